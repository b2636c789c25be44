/** The origin of changes in tests without a request. */
import { toProgramOrigin } from '../../src/model/audit.ts';

export const ORIGIN = toProgramOrigin(() => 0);
