/** Puts the extras of the server together with its core: operations, metrics, and generated files. */
import { fileURLToPath } from 'node:url';
import type { Operations } from '../api/operation.ts';
import { createOperations, type Extend } from '../core.ts';
import { auditOperations } from '../extras/audit/audit.ts';
import { documentOperations } from '../extras/documents/document.ts';
import { documentFiles } from '../extras/documents/files.ts';
import { passwordLinkOperations } from '../extras/password-links/password-links.ts';
import { probeOperations } from '../extras/probes/probes.ts';
import { tokenCollectionOperations } from '../extras/tokens/tokens.ts';
import { introspectOperations } from '../extras/verify/introspect.ts';
import { verifyOperations } from '../extras/verify/verify.ts';
import { loadStaticFiles } from '../http/static-files.ts';
import { readVersion } from './version.ts';

const staticFolder = fileURLToPath(new URL('../../static/', import.meta.url));

/** The parts of the core that extras may use. */
type ExtensionPoints = Parameters<Extend>[0];

export const addExtras: Extend = async (core) => {
  const { operations, observer } = await assemble(core);
  const staticFiles = loadStaticFiles(staticFolder, documentFiles(operations, core.config, readVersion()));
  return { operations, observer, staticFiles };
};

/** Assembles the operations of the server, and what counts them while `METRICS` is `on`. */
export async function assemble(core: ExtensionPoints) {
  const operations = assembleOperations(core);
  if (core.config.metrics === 'off') {
    return { operations, observer: undefined };
  }
  // Imported only here, so that with `METRICS=off` none of their lines runs.
  const { metricsOperations } = await import('../extras/metrics/metrics.ts');
  const { createServiceMetrics } = await import('../extras/metrics/service-metrics.ts');
  const { observer, collect } = createServiceMetrics({ ...core, location: core.config.database });
  return { operations: { ...operations, ...metricsOperations(core.config.metricsToken, collect) }, observer };
}

/** Lists the operations of the core and of the extras, except `/metrics`. */
export function assembleOperations(parts: Pick<ExtensionPoints, 'config' | 'database' | 'log'>): Operations {
  const { config, database } = parts;
  return {
    ...createOperations(config),
    ...probeOperations(parts),
    ...tokenCollectionOperations(config, database),
    ...passwordLinkOperations(database),
    ...auditOperations(database),
    ...documentOperations,
    ...verifyOperations,
    ...introspectOperations,
  };
}
