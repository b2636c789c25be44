/** Statements that find and insert users. Statements that change and delete users are in user-changes.ts. */
import { raw, readOne, readRow, sql, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey, type IdOrName, type NameKey } from '../model/name.ts';
import type { Account, User, UserId } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import { ALLOWED, changeIf, guard, isAdministrator, isNameFree, recordAt } from './guards.ts';
import { listJson, type ListRequest } from './list.ts';
import {
  CREATED_USER, SHOWN_BYTES_MAX, toFirstBeyond, toProjectsBefore, toUserJson,
} from './representations.ts';

type NewUser = Pick<User, 'username' | 'email' | 'isAdmin'> & Pick<Account, 'passwordHash'>;

export type UserRepresentation = ReturnType<typeof toUserRepresentation>;

interface UserQuery extends ListRequest {
  readonly role?: 'administrator' | 'user' | undefined;
  readonly state?: 'enabled' | 'disabled' | 'invited' | undefined;
  /** If this id is set, the list shows only the user with this id. */
  readonly visibleUserId?: UserId | undefined;
  /** Only administrators learn who has not set a password yet. */
  readonly isForAdministrator?: boolean;
}

export const USER_COLUMNS = `users.id, username, email, users.date_created AS dateCreated,
  is_admin AS isAdmin, disabled AS isDisabled`;

const ACCOUNT = raw(`${USER_COLUMNS}, password_hash AS passwordHash, password_version AS passwordVersion`);

const ANY_ADMINISTRATOR = raw('SELECT 1 FROM users WHERE is_admin = 1 LIMIT 1');

const IS_INVITED = "password_hash = ''";

const LISTED_USER = toUserJson('listed_projects');
const WITH_INVITED = `${LISTED_USER} || iif(${IS_INVITED}, ',"invited":true', ',"invited":false')`;

const toShown = (projects: string, beyond: string) => raw(`
  id, version, username, ${beyond} IS NOT NULL AS hasMoreProjects, ${IS_INVITED} AS isInvited,
  ${toUserJson(projects)} || '}' AS json`);

/**
 * Reads the stored list of projects, because reading the projects themselves takes three times as long.
 * NULL replaces an incomplete list. A text concatenated with NULL is NULL, so the column `json` is NULL, too.
 */
const SHORT = toShown(
  "iif(json_array_length('[' || listed_projects || ']') = project_count, listed_projects, NULL)", 'NULL',
);
const LONG = toShown(toProjectsBefore('beyond'), 'beyond');
const SHOWN_ID = raw(`id AS shown_id, ${toFirstBeyond(SHOWN_BYTES_MAX)} AS beyond`);

/** Look-ups of hidden and unknown users take the same time, so the time reveals no hidden user. */
const select = (columns: Statement, ref: IdOrName<UserId>, visibleUserId?: UserId): Statement => sql`
  SELECT ${columns} FROM users WHERE ${recordAt('users', ref).row}
    AND id = coalesce(${visibleUserId ?? null}, id)`;

/** `LIMIT` in the inner query makes SQLite run the inner query only once. */
export const selectRepresentation = (ref: IdOrName<UserId>, visibleUserId?: UserId): Statement => sql`
  SELECT ${LONG} FROM (${select(SHOWN_ID, ref, visibleUserId)} LIMIT 1) JOIN users ON id = shown_id`;

export function createUserStore(database: Database) {
  return {
    /**
     * @param by - Who is allowed to insert the user. With `first`, the insertion fails if there is an
     * administrator.
     */
    insert(
      { username, email, passwordHash, isAdmin }: NewUser, origin: Origin,
      by: 'administrator' | 'anybody' | 'first' = 'administrator',
    ) {
      const key = toNameKey(username);
      return changeIf(database, origin, undefined, {
        guards: [
          ...(by === 'administrator' ? isAdministrator(origin) : []),
          by === 'first' && guard('administratorOnly', sql`NOT EXISTS (${ANY_ADMINISTRATOR})`),
          isNameFree('usernameTaken', 'users', key),
        ],
        writes: [
          sql`INSERT INTO users (username, username_key, email, password_hash, is_admin, date_created)
            SELECT ${username}, ${key}, ${email}, ${passwordHash}, ${Number(isAdmin)}, ${origin.at}
            WHERE ${ALLOWED}`,
          toAuditStatement(
            'user.create', recordAt('users', { name: username }), origin, isAdmin ? 'is_admin=true' : '',
          ),
        ],
        // On a cluster, a later request can give the name to another user before this query runs. So the
        // query also compares the hash.
        readBack: sql`SELECT ${raw(USER_COLUMNS)}, ${raw(CREATED_USER)} AS json FROM users
          WHERE username_key = ${key} AND password_hash = ${passwordHash}`,
        toResult: (row) => ({ ...toUser(row), ...readRow(row, { json: 'text' }) }),
      });
    },

    hasAdministrator: async () => (await database.read(ANY_ADMINISTRATOR)).length > 0,

    find: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, select(raw(USER_COLUMNS), ref, visibleUserId), toUser),

    findWithPassword: (username: NameKey) =>
      readOne(database, sql`SELECT ${ACCOUNT} FROM users WHERE username_key = ${username}`, toAccount),

    /** Lists the users with ids above `id`, in the order of their ids. */
    listAfter: async (id: number, countMax: number) => (await database.read(sql`
      SELECT ${ACCOUNT} FROM users WHERE id > ${id} ORDER BY id LIMIT ${countMax}`)).map(toAccount),

    /** @returns `long` if the projects of the user take more than 4 KiB of JSON. */
    findShortRepresentation: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, select(SHORT, ref, visibleUserId), (row) =>
        row['json'] === null ? 'long' : toUserRepresentation(row)),

    findRepresentation: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, selectRepresentation(ref, visibleUserId), toUserRepresentation),

    list({ role, state, visibleUserId, isForAdministrator, ...request }: UserQuery) {
      const isFiltered = (role ?? state ?? visibleUserId) !== undefined;
      return listJson(database, {
        ...request,
        table: 'users',
        key: 'username_key',
        conditions: [role === 'user' && raw('is_admin = 0'), state === 'enabled' && raw('disabled = 0')],
        indexed: [
          visibleUserId !== undefined && sql`id = ${visibleUserId}`,
          state === 'invited' && raw(IS_INVITED),
          role === 'administrator' && raw('is_admin = 1'),
          state === 'disabled' && raw('disabled = 1'),
        ],
        total: !isFiltered && raw('SELECT users FROM row_counts'),
        item: `${isForAdministrator ? WITH_INVITED : LISTED_USER} || '}'`,
      });
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;

/** A user who is being deleted cannot receive projects: the deletion could delete these projects, too. */
export const receiverNamed = (name: string): Statement => sql`(
  SELECT id FROM users
  WHERE username_key = ${toNameKey(name)} AND id NOT IN (SELECT user_id FROM deletions))`;

export const toUser = (row: Row) => readRow(row, {
  id: 'integer', username: 'text', email: 'text', dateCreated: 'text', isAdmin: 'flag', isDisabled: 'flag',
}) satisfies Record<keyof User, unknown> as User; // ids and times have narrower types than their columns

const toAccount = (row: Row) => ({
  user: toUser(row), ...readRow(row, { passwordHash: 'text', passwordVersion: 'integer' }),
}) satisfies Record<keyof Account, unknown> as Account;

export const toUserRepresentation = (row: Row) => readRow(row, {
  id: 'integer',
  version: 'integer', // counts all changes to the user, even to hidden data such as the password
  json: 'text',
  username: 'text',
  hasMoreProjects: 'flag',
  isInvited: 'flag', // true for an invited user who has not set a password yet
});
