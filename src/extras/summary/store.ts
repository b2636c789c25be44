/**
 * The numbers of an overview, for the caller and for the service. Reading them takes no longer in a large
 * service: each number is stored in a column, or it is counted up to a bound.
 */
import { integerOf, textOf, type Database, type Statement } from '../../database/database.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { Total } from '../../model/page.ts';
import type { UserId } from '../../model/user.ts';
import { countUpTo } from '../../stores/list.ts';
import { countRows } from '../../stores/search.ts';
import { LAST_EXPIRY } from '../../stores/tokens.ts';
import { ADMINISTRATORS, DISABLED_USERS } from '../../stores/users.ts';

/** The moments that the numbers depend on. */
export interface SummaryTimes {
  readonly now: Timestamp;
  /** Tokens that expire until this moment count as expiring. */
  readonly soon: Timestamp;
  /** The start of each day whose registrations are counted, in order. The last day is today. */
  readonly days: readonly Timestamp[];
}

/** Users of a kind, and tokens, are counted up to this number, which takes at most about a millisecond. */
const COUNTED_MAX = 10_000;

/** So many events of failed sign-ins are added up. */
const FAILURES_COUNTED_MAX = 1_000;

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
        administrators: countUpTo(COUNTED_MAX, ADMINISTRATORS),
        disabled_users: countUpTo(COUNTED_MAX, DISABLED_USERS),
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

/**
 * Counts the tokens that are not revoked and expire in a span of time, of one user or of all users. In both
 * cases, an index in order of expiry suffices.
 */
function countTokens({ userId, after, until = LAST_EXPIRY }: {
  readonly userId?: UserId | undefined; readonly after: Timestamp; readonly until?: Timestamp;
}): Statement {
  const [index, owner, ofOwner] = userId === undefined
    ? ['tokens_by_expiry', 'TRUE', []]
    : ['live_tokens', 'user_id = ? AND revoked_at IS NULL', [userId]];
  return countUpTo(COUNTED_MAX, {
    sql: `
      SELECT 1 FROM tokens INDEXED BY ${index}
      WHERE ${owner} AND revoked_at IS NULL AND expires_at > ? AND expires_at <= ?`,
    parameters: [...ofOwner, after, until],
  });
}

/** Adds up failed sign-ins, newest first. `stores/audit.ts` records their number in `details`: `count=2`. */
function countFailedSignIns(since: Timestamp): Statement {
  return {
    sql: `
      SELECT coalesce(sum(attempts), 0) AS count,
        count(*) <= ${FAILURES_COUNTED_MAX} OR max(is_earlier) AS is_exact
      FROM (
        SELECT occurred_at < ? AS is_earlier,
          iif(occurred_at < ?, 0, CAST(substr(details, 7) AS INTEGER)) AS attempts
        FROM audit_events
        WHERE action = 'sign_in.failures' ORDER BY id DESC LIMIT ${FAILURES_COUNTED_MAX + 1}
      )`,
    parameters: [since, since],
  };
}

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
