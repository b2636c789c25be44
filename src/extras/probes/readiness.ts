/**
 * Checks for `/readyz` whether the database is usable. `/readyz` is public and may be polled often, so the
 * database is queried only about once a second. One query checks everything: it reads the version of the
 * schema.
 */
import { readSchemaVersion } from '../../database/create-schema.ts';
import type { Database } from '../../database/database.ts';

/**
 * `database` or `cluster`: the database does not respond. `schema`: the tables are missing, or have another
 * version.
 */
type DatabaseCheck = 'database' | 'cluster' | 'schema';

/** @returns The checks that failed. It never rejects. */
type CheckReadiness = () => Promise<readonly DatabaseCheck[]>;

/** How long a result is reused. */
const OUTCOME_LIFETIME_MS = 1_000;

/** The timeout of the query. Load balancers do not wait as long as the timeouts of the drivers. */
const ANSWER_TIMEOUT_MS = 2_000;

interface ReadinessParts {
  /** The name of the check that fails when the database does not respond. */
  readonly name: 'database' | 'cluster';
  /** The version of the tables that the program works with. It can read no other, older or newer. */
  readonly version: number;
  /** Called with the reason why the database did not respond. */
  readonly onError: (error: unknown) => void;
}

export function createReadinessCheck(
  database: Database,
  { name, version, onError }: ReadinessParts,
): CheckReadiness {
  let latest: Promise<readonly DatabaseCheck[]> | undefined;

  async function check(): Promise<readonly DatabaseCheck[]> {
    try {
      // Any node of a cluster may respond. On a file, a `recent` read would wait its turn behind slow lists.
      const consistency = name === 'cluster' ? 'recent' : 'linearizable';
      const found = await inTime(readSchemaVersion(database, consistency));
      return found === version ? [] : ['schema'];
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
