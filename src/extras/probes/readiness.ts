/**
 * Checks whether the database is usable, by reading the version of its tables. The probe `/readyz` is public
 * and may be called often, so the database is queried only about once a second.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { readSchemaVersion } from '../../database/create-schema.ts';
import type { Database } from '../../database/database.ts';

const OUTCOME_LIFETIME_MS = 1_000;
/** The maximum wait for the database. The wait is short, because load balancers soon give up. */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * @param name - The name of the check that fails if the database does not respond.
 * @returns A function that resolves to the names of the failed checks, and never rejects.
 */
export function createReadinessCheck(
  database: Database, name: 'database' | 'cluster', version: number, onError: (error: unknown) => void,
) {
  let latest: Promise<readonly string[]> | undefined;

  async function check(): Promise<readonly string[]> {
    try {
      const answer = readSchemaVersion(database, 'recent'); // in a cluster, any node may answer this read
      const found = await Promise.race([answer, wait(ANSWER_TIMEOUT_MS, 'late' as const, { ref: false })]);
      if (found === 'late') {
        throw new Error(`No answer within ${ANSWER_TIMEOUT_MS} ms`);
      }
      return found === version ? [] : ['schema'];
    } catch (error) {
      onError(error);
      return [name];
    }
  }

  return () => (latest ??= check().finally(() => {
    setTimeout(() => { latest = undefined; }, OUTCOME_LIFETIME_MS).unref();
  }));
}
