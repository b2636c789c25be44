/** Where changes come from in tests that have no request. */
import { toProgramOrigin } from '../../src/model/audit.ts';

export const ORIGIN = toProgramOrigin(() => 0);
