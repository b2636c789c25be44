/** Where changes come from in tests that have no request. */
import { toProgramOrigin } from '../../src/programs/program-origin.ts';

export const ORIGIN = toProgramOrigin(() => 0);
