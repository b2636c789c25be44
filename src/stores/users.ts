/** Everything that the service asks the database about users. */
import type { Database, Row, Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameKey, type NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { Account, PasswordHash, User, UserId, UserWithProjects } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import { integer, text } from './columns.ts';
import { toGrams } from './grams.ts';
import { toOrderTerm } from './pages.ts';
import { toListStatement, toUserPage } from './user-list.ts';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: PasswordHash;
  readonly dateCreated: Timestamp;
}

/** Everything that can come of inserting a user. Outages are thrown, not listed. */
type InsertUserOutcome =
  | { readonly kind: 'inserted'; readonly user: User }
  | { readonly kind: 'username-taken' };

export const USER_COLUMNS =
  'users.id, users.username, users.email, users.is_admin, users.disabled, users.version, users.date_created';
/** The same, as rqlite reads them in a `RETURNING` clause. */
const RETURNED_COLUMNS = USER_COLUMNS.replaceAll('users.', '');

/** A user beside its projects, one row for each project, or one with empty project columns. */
const USER_WITH_PROJECTS_COLUMNS = `
  ${USER_COLUMNS},
  projects.id AS project_id, projects.name, projects.description, projects.date_created AS project_date_created,
  projects.version AS project_version`;

const SELECT_WITH_PROJECTS = `SELECT ${USER_WITH_PROJECTS_COLUMNS} FROM users LEFT JOIN projects ON projects.owner_id = users.id`;
const FIND_BY_ID = `${SELECT_WITH_PROJECTS} WHERE users.id = ? ORDER BY projects.id`;
const FIND_BY_NAME = `${SELECT_WITH_PROJECTS} WHERE users.username_key = ? ORDER BY projects.id`;

const SELECT_JSON = `
  SELECT version, substr(record, 1, length(record) - 1)
    || iif(disabled, ',"disabled":true,"projects":[', ',"disabled":false,"projects":[')
    || coalesce((SELECT group_concat(record) FROM (SELECT record FROM projects WHERE owner_id = users.id ORDER BY id)), '')
    || ']}' AS json
  FROM users`;
const FIND_JSON_BY_ID = `${SELECT_JSON} WHERE id = ?`;
const FIND_JSON_BY_NAME = `${SELECT_JSON} WHERE username_key = ?`;

const FIND_WITH_PASSWORD = `SELECT ${USER_COLUMNS}, password_hash, password_version FROM users WHERE username_key = ?`;

/** By what a list is sorted. Ids are assigned in the order of creation. */
const SORT_COLUMNS = { id: 'users.id', username: 'users.username_key', date_created: 'users.id' };

type UserAddress = { readonly id: UserId } | { readonly name: string };

interface UserQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
}

/**
 * A number that triggers raise with each change or deletion of a user or token. An insertion needs no such
 * notice: it changes nothing that could be found before, and finding nothing is not remembered.
 */
export const CREDENTIAL_CHANGES: Statement = { sql: 'SELECT count FROM credential_changes', parameters: [] };

const INSERT_USER = `
  INSERT INTO users (username, username_key, username_grams, email, password_hash, is_admin, date_created)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (username_key) DO NOTHING
  RETURNING ${RETURNED_COLUMNS}`;

export function createUserStore(database: Database) {
  return {
    async insert(user: NewUser & { isAdmin: boolean }, origin: Origin): Promise<InsertUserOutcome> {
      const { username, email, passwordHash, isAdmin, dateCreated } = user;
      const [rows] = await database.write([
        {
          sql: INSERT_USER,
          parameters: [...toNameColumns(username), email, passwordHash, isAdmin ? 1 : 0, dateCreated],
        },
        toCreationEvent({ username, isAdmin }, origin),
      ]);
      const row = rows?.[0];
      return row === undefined ? { kind: 'username-taken' } : { kind: 'inserted', user: toUser(row) };
    },

    /**
     * Inserts an administrator unless there is one already.
     *
     * @returns The new administrator, or `undefined` when there was one, or somebody else holds the username.
     */
    async insertFirstAdministrator(user: NewUser, origin: Origin): Promise<User | undefined> {
      const { username, email, passwordHash, dateCreated } = user;
      const [rows] = await database.write([
        {
          sql: `
            INSERT INTO users (username, username_key, username_grams, email, password_hash, is_admin, date_created)
            SELECT ?, ?, ?, ?, ?, 1, ?
            WHERE NOT EXISTS (SELECT 1 FROM users WHERE is_admin = 1)
            ON CONFLICT (username_key) DO NOTHING
            RETURNING ${RETURNED_COLUMNS}`,
          parameters: [...toNameColumns(username), email, passwordHash, dateCreated],
        },
        toCreationEvent({ username, isAdmin: true }, origin),
      ]);
      return rows?.[0] && toUser(rows[0]);
    },

    async hasAdministrator(): Promise<boolean> {
      const rows = await database.read({ sql: 'SELECT id FROM users WHERE is_admin = 1 LIMIT 1', parameters: [] });
      return rows.length > 0;
    },

    async findByName(username: string): Promise<User | undefined> {
      const [row] = await database.read({
        sql: `SELECT ${USER_COLUMNS} FROM users WHERE username_key = ?`,
        parameters: [toNameKey(username)],
      });
      return row && toUser(row);
    },

    /** Finds what is needed to check a password. */
    async findWithPassword(username: NameKey): Promise<Account | undefined> {
      const [row] = await database.read({
        sql: FIND_WITH_PASSWORD,
        parameters: [username],
        cachedWhile: CREDENTIAL_CHANGES,
      });
      return row && toAccount(row);
    },

    /** True when somebody else is an administrator who can sign in. */
    async hasOtherAdministrator({ id }: Pick<User, 'id'>): Promise<boolean> {
      const rows = await database.read({
        sql: 'SELECT id FROM users WHERE is_admin = 1 AND disabled = 0 AND id <> ? LIMIT 1',
        parameters: [id],
      });
      return rows.length > 0;
    },

    /** @returns At most `countMax` users in the order of their ids, from the first or from the one after `id`. */
    async listAfter(id: UserId | undefined, countMax: number): Promise<readonly User[]> {
      const rows = await database.read({
        sql: `SELECT ${USER_COLUMNS} FROM users WHERE id > ? ORDER BY id LIMIT ?`,
        parameters: [id ?? 0, countMax],
      });
      return rows.map(toUser);
    },

    async findWithProjects(address: UserAddress): Promise<UserWithProjects | undefined> {
      const statement = 'id' in address
        ? { sql: FIND_BY_ID, parameters: [address.id] }
        : { sql: FIND_BY_NAME, parameters: [toNameKey(address.name)] };
      const rows = await database.read(statement);
      return toUsersWithProjects(rows)[0];
    },

    /**
     * @returns The user as JSON, with projects: text that SQLite has kept (see schema.ts), which costs half of making
     *   it here.
     */
    async findJson(address: UserAddress): Promise<{ readonly version: number; readonly json: string } | undefined> {
      const [row] = await database.read('id' in address
        ? { sql: FIND_JSON_BY_ID, parameters: [address.id] }
        : { sql: FIND_JSON_BY_NAME, parameters: [toNameKey(address.name)] });
      return row && { version: integer(row, 'version'), json: text(row, 'json') };
    },

    /** One statement, whatever the number of users and projects: see user-list.ts. */
    async listWithProjects({ search, page, sort = BY_ID }: UserQuery): Promise<JsonPage> {
      const [row = {}] = await database.read(toListStatement(search, page, toOrderTerm(sort, SORT_COLUMNS)), 'recent');
      return toUserPage(row, page);
    },

    /**
     * Replaces a stored password that is known to be right by one with other parameters; does nothing when the password
     * was changed in between.
     */
    async renewPasswordHash(id: UserId,
      { from, to }: { readonly from: PasswordHash; readonly to: PasswordHash }): Promise<void> {
      await database.write([
        { sql: 'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?', parameters: [to, id, from] },
      ]);
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;

/** The values of `username`, `username_key` and `username_grams`. */
export function toNameColumns(username: string): readonly string[] {
  const key = toNameKey(username);
  return [username, key, toGrams(key)];
}

export function toUser(row: Row): User {
  return {
    id: integer(row, 'id') as UserId,
    username: text(row, 'username'),
    email: text(row, 'email'),
    dateCreated: text(row, 'date_created') as Timestamp,
    isAdmin: integer(row, 'is_admin') === 1,
    isDisabled: integer(row, 'disabled') === 1,
    version: integer(row, 'version'),
  };
}

function toAccount(row: Row): Account {
  return {
    user: toUser(row),
    passwordHash: text(row, 'password_hash') as PasswordHash,
    passwordVersion: integer(row, 'password_version'),
  };
}

function toCreationEvent({ username, isAdmin }: Pick<User, 'username' | 'isAdmin'>, origin: Origin): Statement {
  return toAuditStatement(
    { action: 'user.create', resource: { type: 'user', name: username }, details: isAdmin ? 'is_admin=true' : '' },
    origin,
  );
}

/** @param rows - Columns of `USER_WITH_PROJECTS_COLUMNS`, the rows of one user following each other. */
function toUsersWithProjects(rows: readonly Row[]): readonly UserWithProjects[] {
  const users: (User & { projects: Project[] })[] = [];
  for (const row of rows) {
    let user = users.at(-1);
    if (user?.id !== row['id']) {
      user = { ...toUser(row), projects: [] };
      users.push(user);
    }
    if (row['project_id'] !== null) {
      user?.projects.push(toProjectOf(row));
    }
  }
  return users;
}

function toProjectOf(row: Row): Project {
  return {
    id: integer(row, 'project_id') as ProjectId,
    name: text(row, 'name'),
    description: text(row, 'description'),
    dateCreated: text(row, 'project_date_created') as Timestamp,
    ownerId: integer(row, 'id') as UserId,
    owner: { username: text(row, 'username'), email: text(row, 'email') },
    version: integer(row, 'project_version'),
  };
}
