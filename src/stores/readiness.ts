/**
 * Whether the database can be worked with, which `/readyz` tells to anybody, as often as they like. So
 * however many ask, the database is asked about once a second. One question answers for everything: the
 * version of the schema.
 */
import type { Database } from '../database/database.ts';
import { readSchemaVersion } from '../database/create-schema.ts';

/**
 * `database` or `cluster`: it does not answer. `schema`: its tables are missing or older than this program.
 */
type DatabaseCheck = 'database' | 'cluster' | 'schema';

/** @returns The checks that failed. It never rejects. */
export type CheckReadiness = () => Promise<readonly DatabaseCheck[]>;

/** How long an outcome holds. */
const OUTCOME_LIFETIME_MS = 1_000;

/** A driver waits longer for its database than those who ask for readiness do. */
const ANSWER_TIMEOUT_MS = 2_000;

interface ReadinessParts {
  /** The name of the check that fails when the database does not answer. */
  readonly name: 'database' | 'cluster';
  /**
   * A newer schema is accepted: copies of the service are replaced one by one, and the first may bring a new
   * one.
   */
  readonly versionMin: number;
  /** Told why the database did not answer. */
  readonly onError: (error: unknown) => void;
}

export function createReadinessCheck(
  database: Database,
  { name, versionMin, onError }: ReadinessParts,
): CheckReadiness {
  let latest: Promise<readonly DatabaseCheck[]> | undefined;

  async function check(): Promise<readonly DatabaseCheck[]> {
    try {
      const version = await inTime(readSchemaVersion(database, 'recent'));
      return version < versionMin ? ['schema'] : [];
    } catch (error) {
      onError(error);
      return [name];
    }
  }

  function forgetSoon(): void {
    setTimeout(() => { latest = undefined; }, OUTCOME_LIFETIME_MS).unref();
  }

  return () => (latest ??= check().finally(forgetSoon));
}

function inTime<Result>(result: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`No answer within ${ANSWER_TIMEOUT_MS} ms`)), ANSWER_TIMEOUT_MS,
    );
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
