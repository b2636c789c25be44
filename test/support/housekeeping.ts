/** Returns the objects that housekeeping needs, so that a test can run housekeeping at any time. */
import type { HousekeepingParts } from '../../src/programs/housekeeping.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import type { TestService } from './core.ts';

export function housekeepingOf({ database, failures, services }: TestService): HousekeepingParts {
  const audit = createAuditStore(database);
  return { ...services, database, failures, audit, auditRetentionSeconds: 0, log: () => {} };
}
