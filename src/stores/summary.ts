/**
 * The numbers of an overview, for the caller and for the service. Reading them takes no longer in a large
 * service: each number is stored in a column or in blocks, or it is counted up to a bound.
 */
import { integer, text, type Database, type Statement } from '../database/database.ts';
import type { Timestamp } from '../model/clock.ts';
import type { Total } from '../model/page.ts';
import type { UserId } from '../model/user.ts';
import { countFailedSignIns } from './audit.ts';
import { countTokens } from './tokens.ts';
import { countMatches, decodeTotal } from './totals.ts';
import { toUserSet } from './user-filter.ts';

/** The moments that the numbers depend on. */
export interface SummaryTimes {
  readonly now: Timestamp;
  /** Tokens that expire until this moment count as expiring. */
  readonly soon: Timestamp;
  /** The start of each day whose registrations are counted, in order. The last day is today. */
  readonly days: readonly Timestamp[];
}

const EVERYTHING = { search: { kind: 'all' } } as const;

export function createSummaryStore(database: Database) {
  return {
    async ofUser(id: UserId, { now, soon }: SummaryTimes) {
      return count(database, {
        projects: countMatches('projects', { ...EVERYTHING, ownerId: id }),
        tokens: countTokens({ userId: id, after: now }),
        tokens_expiring: countTokens({ userId: id, after: now, until: soon }),
      });
    },

    async ofService({ now, soon, days }: SummaryTimes) {
      const [today] = days.slice(-1);
      const counted = await count(database, {
        users: countMatches('users', EVERYTHING),
        administrators: countMatches('users', {
          ...EVERYTHING, among: toUserSet({ isAdmin: true, isDisabled: undefined }),
        }),
        disabled_users: countMatches('users', {
          ...EVERYTHING, among: toUserSet({ isAdmin: undefined, isDisabled: true }),
        }),
        projects: countMatches('projects', EVERYTHING),
        tokens: countTokens({ after: now }),
        tokens_expiring: countTokens({ after: now, until: soon }),
        failed_sign_ins: countFailedSignIns(today ?? now),
      });
      const before = await readUsersBefore(days);
      const after = [...before.slice(1), counted.users.count];
      return {
        ...counted,
        registrations: days.map((day, index) => ({
          // Clocks of several processes may differ, so a later id may have an earlier date.
          day, count: Math.max(0, (after[index] ?? 0) - (before[index] ?? 0)),
        })),
      };
    },
  };

  /** @returns The number of existing users who registered before each moment. */
  async function readUsersBefore(moments: readonly Timestamp[]): Promise<readonly number[]> {
    const rows = await database.read({ sql: USERS_BEFORE, parameters: [JSON.stringify(moments)] }, 'recent');
    const totals = new Map(rows.map((row) => [text(row, 'moment'), integer(row, 'total')]));
    return moments.map((moment) => totals.get(moment) ?? 0);
  }
}

export type SummaryStore = ReturnType<typeof createSummaryStore>;

/**
 * Counts the users before each moment. Ids ascend with time, so a binary search over ids finds the last id
 * before a moment, without an index on dates. It begins with the largest step that ids allow. The result is
 * the sum of all earlier blocks, plus the users of the last block up to that id.
 */
const USERS_BEFORE = `
  WITH RECURSIVE search (moment, id, step) AS (
    SELECT value, 0, ${2 ** 52} FROM json_each(?)
    UNION ALL
    SELECT moment,
      id + iif(
        moment > (
          SELECT date_created FROM users WHERE users.id >= search.id + step ORDER BY users.id LIMIT 1
        ),
        step, 0
      ),
      step >> 1
    FROM search WHERE step > 0
  )
  SELECT moment,
    (SELECT coalesce(sum(count), 0) FROM user_blocks WHERE block < search.id >> 13)
    + (SELECT count(*) FROM users INDEXED BY users_by_id
       WHERE users.id BETWEEN search.id >> 13 << 13 AND search.id) AS total
  FROM search WHERE step = 0`;

/** Reads all numbers in one statement. @param counts - Statements with one row and the column `total`. */
async function count<Name extends string>(
  database: Database, counts: Readonly<Record<Name, Statement>>,
): Promise<Readonly<Record<Name, Total>>> {
  const entries = Object.entries<Statement>(counts);
  const rows = await database.read({
    sql: entries.map(([name, { sql }]) => `SELECT '${name}' AS name, * FROM (${sql})`).join(' UNION ALL '),
    parameters: entries.flatMap(([, { parameters }]) => parameters),
  }, 'recent');
  const totals = rows.map((row) => [text(row, 'name'), decodeTotal(integer(row, 'total'))]);
  return Object.fromEntries(totals) as Readonly<Record<Name, Total>>; // one row per name
}
