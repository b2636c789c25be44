/** The statements that find and insert users. Changes of users are in user-changes.ts. */
import {
  integerOf, raw, readOne, sql, textOf, type Database, type Row, type Statement,
} from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type IdOrName, type NameKey } from '../model/name.ts';
import { BY_ID, type PageRequest, type SortOrder } from '../model/page.ts';
import type { Account, PasswordHash, User, UserId } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import { ALLOWED, changeIf, guard, isAdministrator, recordAt, type Guards } from './guards.ts';
import { listJson, type JsonPage, type NameSearch } from './list.ts';
import {
  CREATED_USER, SHOWN_BYTES_MAX, toFirstBeyond, toProjectsBefore, toUserJson,
} from './representations.ts';

type NewUser = Pick<User, 'username' | 'email'> & { readonly passwordHash: PasswordHash };

export interface UserRepresentation {
  readonly id: UserId;
  /** Counts all changes of the record, also of data that is not shown. */
  readonly version: number;
  readonly json: string;
  readonly username: string;
  readonly hasMoreProjects: boolean;
  /** True for an invited user who has not set a password yet. */
  readonly isInvited: boolean;
}

export type ListedUser = User & Pick<UserRepresentation, 'isInvited'>;

interface UserQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
  readonly isAdmin?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isInvited?: boolean;
  /** If given, the only user whom the list may show. */
  readonly visibleUserId?: UserId | undefined;
  /** Only administrators learn who has not set a password yet. */
  readonly isForAdministrator?: boolean;
}

export const USER_COLUMNS =
  'users.id, users.username, users.email, users.is_admin, users.disabled, users.date_created';

/** Ids are in the order of creation, so a sort by `date_created` is a sort by id. */
const SORT_COLUMNS = { id: 'id', username: 'username_key', date_created: 'id' } as const;

const IS_INVITED = "password_hash = ''";

const LISTED_USER = toUserJson('listed_projects');
const WITH_INVITED = `${LISTED_USER} || iif(${IS_INVITED}, ',"invited":true', ',"invited":false')`;

/** @param beyond - The id of the first project that is left out, or NULL. */
const toShown = (projects: string, beyond: string) => `
  id, version, username, ${beyond} IS NOT NULL AS has_more_projects, ${IS_INVITED} AS is_invited,
  ${toUserJson(projects)} || '}' AS json`;

/** Constant texts: the driver hashes each new text of a statement to find the prepared statement. */
const toLookup = (columns: string) => ({
  byId: `SELECT ${columns} FROM users WHERE id = ? AND id = coalesce(?, id)`,
  byName: `SELECT ${columns} FROM users WHERE username_key = ? AND id = coalesce(?, id)`,
});
const FIND = toLookup(USER_COLUMNS);

/** Reading the stored list of projects, if it is complete, is three times as fast as reading the projects. */
const FIND_SHORT = toLookup(toShown(
  "iif(json_array_length('[' || listed_projects || ']') = project_count, listed_projects, NULL)", 'NULL',
));
const FIND_SHOWN_ID = toLookup(`id AS shown_id, ${toFirstBeyond(SHOWN_BYTES_MAX)} AS beyond`);
const SHOWN = raw(toShown(toProjectsBefore('beyond'), 'beyond'));

/** A look-up of a hidden user takes as long as one of an unknown name, so the time tells nothing. */
function selectVisible(
  { byId, byName }: ReturnType<typeof toLookup>, ref: IdOrName<UserId>, visibleUserId: UserId | undefined,
): Statement {
  const [text, key] = 'id' in ref ? [byId, ref.id] : [byName, toNameKey(ref.name)];
  return { sql: text, parameters: [key, visibleUserId ?? null] };
}

/** `LIMIT` in the inner query makes SQLite run the inner query only once. */
export const selectRepresentation = (ref: IdOrName<UserId>, visibleUserId?: UserId): Statement => sql`
  SELECT ${SHOWN}
  FROM (${selectVisible(FIND_SHOWN_ID, ref, visibleUserId)} LIMIT 1) JOIN users ON id = shown_id`;

export function createUserStore(database: Database) {
  return {
    /** Everybody may register a user. */
    register: (user: NewUser, origin: Origin) => insertUser<never>({ ...user, isAdmin: false }, [], origin),

    insert: (user: NewUser & { isAdmin: boolean }, origin: Origin) =>
      insertUser(user, isAdministrator(origin), origin),

    insertFirstAdministrator(user: NewUser, origin: Origin) {
      const isFirst = raw('NOT EXISTS (SELECT 1 FROM users WHERE is_admin = 1)');
      return insertUser({ ...user, isAdmin: true }, [guard('administratorExists', isFirst)], origin);
    },

    async hasAdministrator(): Promise<boolean> {
      return (await database.read(sql`SELECT id FROM users WHERE is_admin = 1 LIMIT 1`)).length > 0;
    },

    find: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, selectVisible(FIND, ref, visibleUserId), toUser),

    findWithPassword: (username: NameKey) => readOne(database, sql`
      SELECT ${raw(USER_COLUMNS)}, password_hash, password_version
      FROM users WHERE username_key = ${username}`, toAccount),

    /** Lists the users with ids above `id`, in the order of their ids. */
    async listAfter(id: UserId | undefined, countMax: number): Promise<readonly ListedUser[]> {
      const rows = await database.read(sql`
        SELECT ${raw(USER_COLUMNS)}, ${raw(IS_INVITED)} AS is_invited
        FROM users WHERE id > ${id ?? 0} ORDER BY id LIMIT ${countMax}`);
      return rows.map((row) => ({ ...toUser(row), isInvited: integerOf(row, 'is_invited') === 1 }));
    },

    /** @returns `long` if the projects of the user take more than 4 KiB of JSON. */
    findShortRepresentation: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, selectVisible(FIND_SHORT, ref, visibleUserId), (row) =>
        row['json'] === null ? 'long' : toUserRepresentation(row)),

    findRepresentation: (ref: IdOrName<UserId>, visibleUserId?: UserId) =>
      readOne(database, selectRepresentation(ref, visibleUserId), toUserRepresentation),

    async list({
      search, page, sort = BY_ID, isAdmin, isDisabled, isInvited, visibleUserId, isForAdministrator,
    }: UserQuery): Promise<JsonPage> {
      const conditions = [
        isAdmin === false && raw('is_admin = 0'), isDisabled === false && raw('disabled = 0'),
      ].filter((condition) => condition !== false);
      const indexed = [
        visibleUserId !== undefined && sql`id = ${visibleUserId}`, isInvited && raw(IS_INVITED),
        isAdmin && raw('is_admin = 1'), isDisabled && raw('disabled = 1'),
      ].filter((condition) => typeof condition === 'object');
      const isWhole = search.kind === 'all' && conditions.length + indexed.length === 0;
      return listJson(database, {
        table: 'users',
        order: { column: SORT_COLUMNS[sort.by], isDescending: sort.isDescending },
        names: { search, key: 'username_key' },
        conditions,
        indexed,
        total: isWhole ? raw('SELECT users FROM row_counts') : undefined,
        item: `${isForAdministrator ? WITH_INVITED : LISTED_USER} || '}'`,
        page,
      });
    },
  };

  function insertUser<Reason extends string>(
    { username, email, passwordHash, isAdmin }: NewUser & { isAdmin: boolean },
    guards: Guards<Reason>,
    origin: Origin,
  ) {
    const key = toNameKey(username);
    const details = isAdmin ? 'is_admin=true' : '';
    return changeIf<Reason | 'usernameTaken', { user: User; json: string }>(database, origin, undefined, {
      guards: [...guards, isUsernameFree(key)],
      writes: [
        sql`INSERT INTO users (username, username_key, email, password_hash, is_admin, date_created)
          SELECT ${username}, ${key}, ${email}, ${passwordHash}, ${Number(isAdmin)}, ${origin.at}
          WHERE ${ALLOWED}`,
        toAuditStatement('user.create', recordAt('users', { name: username }), origin, details),
      ],
      // Since the insertion, another user may have taken the name: the hash tells the two users apart.
      readBack: sql`SELECT ${raw(USER_COLUMNS)}, ${raw(CREATED_USER)} AS json FROM users
        WHERE username_key = ${key} AND password_hash = ${passwordHash}`,
      toResult: (row) => ({ user: toUser(row), json: textOf(row, 'json') }),
    });
  }
}

export type UserStore = ReturnType<typeof createUserStore>;

/** @param besides - The id of a user whose own name does not count as taken. */
export function isUsernameFree(key: NameKey, besides: Statement = raw('NULL')) {
  return guard('usernameTaken', sql`NOT EXISTS (
    SELECT 1 FROM users AS other WHERE other.username_key = ${key} AND other.id IS NOT ${besides})`);
}

/** A user whose deletion has begun receives no projects, because these projects would be deleted, too. */
export const receiverNamed = (name: string): Statement => sql`(
  SELECT id FROM users
  WHERE username_key = ${toNameKey(name)} AND id NOT IN (SELECT user_id FROM deletions))`;

export function toUser(row: Row): User {
  return {
    id: integerOf(row, 'id') as UserId,
    username: textOf(row, 'username'),
    email: textOf(row, 'email'),
    dateCreated: textOf(row, 'date_created') as Timestamp,
    isAdmin: integerOf(row, 'is_admin') === 1,
    isDisabled: integerOf(row, 'disabled') === 1,
  };
}

function toAccount(row: Row): Account {
  return {
    user: toUser(row),
    passwordHash: textOf(row, 'password_hash') as PasswordHash,
    passwordVersion: integerOf(row, 'password_version'),
  };
}

export function toUserRepresentation(row: Row): UserRepresentation {
  return {
    id: integerOf(row, 'id') as UserId,
    version: integerOf(row, 'version'),
    json: textOf(row, 'json'),
    username: textOf(row, 'username'),
    hasMoreProjects: integerOf(row, 'has_more_projects') === 1,
    isInvited: integerOf(row, 'is_invited') === 1,
  };
}
