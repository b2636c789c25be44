/** Chooses how a list of users by role, state and name finds its rows. */
import { integer, type Database, type SqlValue } from '../database/database.ts';
import type { TextSearch } from '../model/name.ts';
import type { UserFilter } from '../model/user.ts';
import { toGramQuery } from './grams.ts';
import type { RowSet } from './search.ts';

const ALL_USERS = 'users_by_id';

/** For each index by id, the index by name that contains the same rows. */
const BY_NAME: Readonly<Record<RowSet['index'], string>> = {
  [ALL_USERS]: 'users_by_name',
  administrators: 'administrators_by_name',
  disabled_users: 'disabled_users_by_name',
};

/** The most users whose names a search reads one by one. */
const FEW_MAX = 1_000;

/** Beyond this many candidates, reading all names in an index is faster than reading the candidates' rows. */
const CANDIDATES_MAX = 20_000;

/**
 * Chooses the index for a role and state. The values are parameters, so that nine combinations share few
 * statements. Administrators and disabled users are usually few, and have their own indexes. With both, the
 * index of administrators is usually the smaller one.
 */
export function toUserSet({ isAdmin, isDisabled }: UserFilter): RowSet {
  const condition = {
    sql: 'is_admin BETWEEN ? AND ? AND disabled BETWEEN ? AND ?',
    parameters: [...toRange(isAdmin), ...toRange(isDisabled)],
  };
  if (isAdmin === true) {
    return { condition, index: 'administrators', isInIndex: 'is_admin = 1' };
  }
  return isDisabled === true
    ? { condition, index: 'disabled_users', isInIndex: 'disabled = 1' }
    : { condition, index: ALL_USERS, isInIndex: 'TRUE' };
}

/** True when the rows have no index of their own. */
export function isOfAll({ index }: Pick<RowSet, 'index'>): boolean {
  return index === ALL_USERS;
}

export function isEverybody({ isAdmin, isDisabled }: UserFilter): boolean {
  return isAdmin === undefined && isDisabled === undefined;
}

/**
 * Finds the ids of a small set of users, so that a search can read their names. The full-text index
 * would first find all users with matching names.
 *
 * @returns The ids; `undefined` if there are, or may be, too many.
 */
export async function findFew(
  database: Database, { condition: { sql, parameters }, index, isInIndex }: RowSet,
): Promise<readonly number[] | undefined> {
  if (isOfAll({ index })) {
    return undefined;
  }
  const rows = await database.read({
    sql: `
      SELECT id FROM users INDEXED BY ${index} WHERE ${isInIndex} AND ${sql}
      ORDER BY id LIMIT ${FEW_MAX + 1}`,
    parameters,
  }, 'recent');
  return rows.length > FEW_MAX ? undefined : rows.map((row) => integer(row, 'id'));
}

/**
 * Chooses an index that has all names in the order of the list. Reading it to the end takes 50 ms for a
 * million users. The full-text index finds candidates in order of ids alone: for another order, or for a late
 * page, the row of each candidate would be read.
 *
 * @param isByName - The list is sorted by name, in either direction.
 * @returns The index; `undefined` if there are so few candidates that the full-text index is faster.
 */
export async function findNamesInOrder(
  database: Database, search: TextSearch, { index }: RowSet, isByName: boolean,
): Promise<string | undefined> {
  const rows = await database.read({
    sql: `
      SELECT count(*) AS count FROM (
        SELECT 1 FROM users_search WHERE users_search MATCH ? LIMIT ${CANDIDATES_MAX + 1}
      )`,
    parameters: [toGramQuery(search)],
  }, 'recent');
  if (rows[0] === undefined || integer(rows[0], 'count') <= CANDIDATES_MAX) {
    return undefined;
  }
  return isByName ? BY_NAME[index] : ALL_USERS;
}

function toRange(value: boolean | undefined): readonly [SqlValue, SqlValue] {
  return value === undefined ? [0, 1] : [Number(value), Number(value)];
}
