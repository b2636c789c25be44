/** Runs the housekeeping of a service that a test has started. The server runs housekeeping once a minute. */
import type { HousekeepingParts } from '../../src/programs/housekeeping.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import type { TestService } from './core.ts';

export function housekeepingOf({ database, failures, services }: TestService): HousekeepingParts {
  const audit = createAuditStore(database);
  return { ...services, database, failures, audit, auditRetentionSeconds: 0, log: () => {} };
}
