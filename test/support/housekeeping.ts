/** Returns the objects that housekeeping needs, so that a test can run housekeeping at any time. */
import type { HousekeepingParts } from '../../src/programs/housekeeping.ts';
import type { TestService } from './core.ts';

export function housekeepingOf({ database, extras, services }: TestService): HousekeepingParts {
  return { ...services, ...extras, database, log: () => {} };
}
