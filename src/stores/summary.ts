/**
 * The numbers of an overview, for the caller and for the service. Reading them takes no longer in a large
 * service: each number is stored in a column or in blocks, or it is counted up to a bound.
 */
import { integerOf, textOf, type Database, type Statement } from '../database/database.ts';
import type { Timestamp } from '../model/clock.ts';
import type { Total } from '../model/page.ts';
import type { UserId } from '../model/user.ts';
import { countFailedSignIns } from './audit.ts';
import { countUpTo } from './list.ts';
import { countRows } from './search.ts';
import { countTokens } from './tokens.ts';
import { ADMINISTRATORS, DISABLED_USERS } from './users.ts';

/** The moments that the numbers depend on. */
export interface SummaryTimes {
  readonly now: Timestamp;
  /** Tokens that expire until this moment count as expiring. */
  readonly soon: Timestamp;
  /** The start of each day whose registrations are counted, in order. The last day is today. */
  readonly days: readonly Timestamp[];
}

/** Administrators and disabled users are counted up to this number, which takes half a millisecond. */
const USERS_COUNTED_MAX = 10_000;

export function createSummaryStore(database: Database) {
  return {
    async ofUser(id: UserId, { now, soon }: SummaryTimes) {
      return count(database, {
        projects: exactly({ sql: 'SELECT project_count FROM users WHERE id = ?', parameters: [id] }),
        tokens: countTokens({ userId: id, after: now }),
        tokens_expiring: countTokens({ userId: id, after: now, until: soon }),
      });
    },

    async ofService({ now, soon, days }: SummaryTimes) {
      const [today] = days.slice(-1);
      const counted = await count(database, {
        users: exactly(countRows('users')),
        administrators: countUpTo(USERS_COUNTED_MAX, ADMINISTRATORS),
        disabled_users: countUpTo(USERS_COUNTED_MAX, DISABLED_USERS),
        projects: exactly(countRows('projects')),
        tokens: countTokens({ after: now }),
        tokens_expiring: countTokens({ after: now, until: soon }),
        failed_sign_ins: countFailedSignIns(today ?? now),
      });
      return { ...counted, registrations: await countRegistrations(days) };
    },
  };

  async function countRegistrations(days: readonly Timestamp[]) {
    const [first = ''] = days;
    const rows = await database.read({
      sql: 'SELECT day, count FROM registrations WHERE day >= ?', parameters: [toDay(first)],
    }, 'recent');
    const counts = new Map(rows.map((row) => [textOf(row, 'day'), integerOf(row, 'count')]));
    return days.map((day) => ({ day, count: counts.get(toDay(day)) ?? 0 }));
  }
}

export type SummaryStore = ReturnType<typeof createSummaryStore>;

/** The day of a moment in UTC. */
function toDay(moment: string): string {
  return moment.slice(0, 10);
}

/** @param number - A statement with one column. */
function exactly({ sql, parameters }: Statement): Statement {
  return { sql: `SELECT coalesce((${sql}), 0) AS count, 1 AS is_exact`, parameters };
}

/** Reads all numbers in one statement. @param counts - As `countUpTo` makes them. */
async function count<Name extends string>(
  database: Database, counts: Readonly<Record<Name, Statement>>,
): Promise<Readonly<Record<Name, Total>>> {
  const entries = Object.entries<Statement>(counts);
  const rows = await database.read({
    sql: entries.map(([name, { sql }]) => `SELECT '${name}' AS name, * FROM (${sql})`).join(' UNION ALL '),
    parameters: entries.flatMap(([, { parameters }]) => parameters),
  }, 'recent');
  const totals = rows.map((row): [string, Total] => [
    textOf(row, 'name'),
    { count: integerOf(row, 'count'), relation: integerOf(row, 'is_exact') === 1 ? 'exact' : 'at_least' },
  ]);
  return Object.fromEntries(totals) as Readonly<Record<Name, Total>>; // one row per name
}
