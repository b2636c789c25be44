/** The origin of changes that tests make without a request. */
import { toProgramOrigin } from '../../src/model/audit.ts';

export const ORIGIN = toProgramOrigin(() => 0);
