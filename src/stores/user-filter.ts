/** Lists of users by role and state. */
import type { SqlValue } from '../database/database.ts';
import type { UserFilter } from '../model/user.ts';
import type { RowSet } from './row-query.ts';

const ALL_USERS = 'users_by_id';

/**
 * The values are parameters, so that nine combinations share few statements. Administrators and disabled
 * users are few among many, and have indexes of their own; administrators are mostly fewer.
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

/** @returns Whether the index may hold few users. */
export function mayBeFew({ index }: RowSet): boolean {
  return index !== ALL_USERS;
}

function toRange(value: boolean | undefined): readonly [SqlValue, SqlValue] {
  return value === undefined ? [0, 1] : [Number(value), Number(value)];
}
