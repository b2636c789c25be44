/**
 * Lists the operations of the server: those of the core, and those of the extras that the settings turn on.
 */
import type { Config } from '../config.ts';
import { documentOperations } from '../extras/documents/documents.ts';
import { metricsOperations, type Metric } from '../extras/metrics/metrics.ts';
import type { Operations } from '../resources/operation.ts';
import { createOperations } from '../resources/operations.ts';

/** @param collectMetrics - Collects the metrics of all processes of the service. */
export function assembleOperations(
  config: Config,
  collectMetrics: () => Promise<readonly Metric[]>,
): Operations {
  return {
    ...createOperations(config),
    ...documentOperations,
    ...(config.metrics === 'on' && metricsOperations(config.metricsToken, collectMetrics)),
  };
}
