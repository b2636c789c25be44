/** Opens a database. The caller passes the cluster driver, because the core does not include this driver. */
import type { Database } from './database.ts';
import type { DatabaseLocation, RqliteLocation } from './location.ts';

type OpenCluster = (location: RqliteLocation) => Promise<Database>;

/** @throws An error that names the database, but contains no credentials. */
export async function openDatabase(location: DatabaseLocation, openCluster?: OpenCluster): Promise<Database> {
  const name = location.driver === 'sqlite'
    ? `file "${location.path}"`
    : `cluster at ${location.nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  try {
    if (location.driver === 'sqlite') {
      const { openSqlite } = await import('./sqlite.ts'); // loads SQLite, which a cluster does not need
      return await openSqlite(location);
    }
    if (openCluster === undefined) {
      throw new Error('this program has no cluster driver');
    }
    return await openCluster(location);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot open the database ${name}: ${reason}`, { cause: error });
  }
}
