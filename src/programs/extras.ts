/**
 * Combines the extras with the core. To remove an extra, delete its folder, and the lines about the extra in
 * this file and in the folder `extras/documents`. The file test/without-extras.test.ts names the other files
 * that need a change.
 */
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { createOperations, type CoreParts } from '../core.ts';
import type { Database } from '../database/database.ts';
import type { RqliteLocation } from '../database/location.ts';
import { auditOperations } from '../extras/audit/audit.ts';
import { createFailureReport } from '../extras/audit/failure-report.ts';
import { createRetention } from '../extras/audit/retention.ts';
import { documentFiles, documentOperations } from '../extras/documents/files.ts';
import { passwordLinkOperations } from '../extras/password-links/password-links.ts';
import { probeOperations } from '../extras/probes/probes.ts';
import { tokenCollectionOperations } from '../extras/tokens/tokens.ts';
import { introspectOperations } from '../extras/verify/introspect.ts';
import { verifyOperations } from '../extras/verify/verify.ts';
import { loadStaticFiles } from '../http/static-files.ts';
import { readVersion } from '../runtime.ts';
import type { Log, ToLine } from '../telemetry/log.ts';

/** The extras that are loaded only if they are used. */
interface LateExtras {
  readonly createMetrics?: (config: Config) => Promise<Pick<CoreParts, 'operations' | 'observer'>>;
  readonly openRqlite?: (location: RqliteLocation) => Promise<Database>;
  readonly upgradeTables?: (database: Database, log: Log) => Promise<void>;
  readonly upgradeFile?: (path: string, log: Log) => Promise<void>;
  readonly loadPrettyLines?: () => Promise<ToLine>;
}

export const late: LateExtras = {
  createMetrics: async (of) => (await import('../extras/metrics/metrics.ts')).createMetrics(of),
  openRqlite: async (location) => (await import('../extras/cluster/driver.ts')).openRqlite(location),
  upgradeTables: async (...of) => (await import('../extras/data/upgrade-steps.ts')).upgradeTables(...of),
  upgradeFile: async (...of) => (await import('../extras/data/upgrade.ts')).upgradeFile(...of),
  loadPrettyLines: async () => (await import('../extras/pretty-log/pretty-log.ts')).toPrettyLine,
};

type Parts = Pick<CoreParts, 'config' | 'database' | 'log'>;

/** @returns The parts that extras add to the core, and the tasks that extras add to housekeeping. */
export async function addOperations(parts: Parts) {
  const { config, database } = parts;
  const metrics = config.metrics === 'on' ? await late.createMetrics?.(config) : undefined;
  return {
    operations: {
      ...createOperations(config),
      ...probeOperations(parts),
      ...tokenCollectionOperations(config, database),
      ...passwordLinkOperations(database),
      ...auditOperations(database),
      ...documentOperations,
      ...verifyOperations,
      ...introspectOperations,
      ...metrics?.operations,
    },
    observer: metrics?.observer,
    ...createFailureReport(database),
    ...createRetention(database, config.auditRetentionSeconds),
  };
}

export async function addExtras(parts: Parts) {
  const added = await addOperations(parts);
  const staticFiles = loadStaticFiles(
    fileURLToPath(new URL('../../static/', import.meta.url)),
    documentFiles(added.operations, parts.config, readVersion()),
  );
  return { ...added, staticFiles };
}
