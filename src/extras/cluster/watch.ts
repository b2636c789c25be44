/** The housekeeping of a server for its cluster, once a minute. */
import type { Database } from '../../database/database.ts';
import type { RqliteLocation } from '../../database/location.ts';
import { PRUNE_TICKETS } from './batch.ts';
import { findNodeFaults } from './nodes.ts';

/**
 * @param onFault - Told of each node that does not answer, was started otherwise than the others, is behind,
 *   or holds other rows.
 * @returns One round: removes the tickets that faults left behind, and looks at the nodes.
 */
export function createClusterWatch(
  { location, database }: { readonly location: RqliteLocation; readonly database: Database },
  onFault: (fault: string) => void,
): () => Promise<void> {
  return async () => {
    (await findNodeFaults({ location, database }, 'quick')).forEach(onFault);
    await database.write([PRUNE_TICKETS]);
  };
}
