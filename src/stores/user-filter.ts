/** Lists of users by role and state. */
import type { Database, SqlValue } from '../database/database.ts';
import type { UserFilter } from '../model/user.ts';
import { integer } from './columns.ts';
import type { RowSet } from './row-query.ts';

const ALL_USERS = 'users_by_id';

/** The most users whose names a search reads one by one. */
const FEW_MAX = 1_000;

/**
 * The values are parameters, so that nine combinations share few statements. Administrators and disabled
 * users are usually few, and have their own indexes. The index of administrators is usually the smaller one.
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

export function isEverybody({ isAdmin, isDisabled }: UserFilter): boolean {
  return isAdmin === undefined && isDisabled === undefined;
}

/**
 * Finds the ids of a small set of users, so that a search can read their names. The index of names would
 * first find all users with matching names.
 *
 * @returns The ids; `undefined` if there are, or may be, too many.
 */
export async function findFew(
  database: Database, { condition: { sql, parameters }, index, isInIndex }: RowSet,
): Promise<readonly number[] | undefined> {
  if (index === ALL_USERS) {
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

function toRange(value: boolean | undefined): readonly [SqlValue, SqlValue] {
  return value === undefined ? [0, 1] : [Number(value), Number(value)];
}
