/** Everything that the service asks the database about users. */
import type { Database, Row, Statement } from '../database/database.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameKey, type NameSearch } from '../model/name.ts';
import type { JsonPage, PageRequest } from '../model/page.ts';
import type { Project } from '../model/project.ts';
import type { PasswordHash, User, UserId, UserWithProjects } from '../model/user.ts';
import { integer, text } from './columns.ts';
import { toGrams } from './grams.ts';
import { splitRecords, toJsonPage } from './pages.ts';
import { toProject } from './projects.ts';
import { joinUsersAndProjects, toListStatement } from './user-list.ts';

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

const USER_COLUMNS = 'id, username, email, is_admin, date_created';

/** A user beside its projects, one row for each project, or one with empty project columns. */
const USER_WITH_PROJECTS_COLUMNS = `
  users.id, users.username, users.email, users.is_admin, users.date_created,
  projects.id AS project_id, projects.name, projects.description, projects.date_created AS project_date_created`;

const INSERT_USER = `
  INSERT INTO users (username, username_key, username_grams, email, password_hash, is_admin, date_created)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (username_key) DO NOTHING
  RETURNING ${USER_COLUMNS}`;

export function createUserStore(database: Database) {
  return {
    async insert(user: NewUser & { isAdmin: boolean }): Promise<InsertUserOutcome> {
      const { username, email, passwordHash, isAdmin, dateCreated } = user;
      const [rows] = await database.write([
        {
          sql: INSERT_USER,
          parameters: [...toNameColumns(username), email, passwordHash, isAdmin ? 1 : 0, dateCreated],
        },
      ]);
      const row = rows?.[0];
      return row === undefined ? { kind: 'username-taken' } : { kind: 'inserted', user: toUser(row) };
    },

    /**
     * Inserts an administrator unless there is one already.
     *
     * @returns The new administrator, or `undefined` when there was one, or somebody else holds the username.
     */
    async insertFirstAdministrator(user: NewUser): Promise<User | undefined> {
      const { username, email, passwordHash, dateCreated } = user;
      const [rows] = await database.write([
        {
          sql: `
            INSERT INTO users (username, username_key, username_grams, email, password_hash, is_admin, date_created)
            SELECT ?, ?, ?, ?, ?, 1, ?
            WHERE NOT EXISTS (SELECT 1 FROM users WHERE is_admin = 1)
            ON CONFLICT (username_key) DO NOTHING
            RETURNING ${USER_COLUMNS}`,
          parameters: [...toNameColumns(username), email, passwordHash, dateCreated],
        },
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
    async findWithPassword(username: NameKey): Promise<{ readonly user: User; readonly passwordHash: PasswordHash } | undefined> {
      const [row] = await database.read({
        sql: `SELECT ${USER_COLUMNS}, password_hash FROM users WHERE username_key = ?`,
        parameters: [username],
      });
      return row && { user: toUser(row), passwordHash: text(row, 'password_hash') as PasswordHash };
    },

    async findWithProjects(address: { readonly id: UserId } | { readonly name: string }): Promise<UserWithProjects | undefined> {
      const [column, value] = 'id' in address ? ['id', address.id] : ['username_key', toNameKey(address.name)];
      const rows = await database.read({
        sql: `
          SELECT ${USER_WITH_PROJECTS_COLUMNS}
          FROM users LEFT JOIN projects ON projects.owner_id = users.id
          WHERE users.${column} = ?
          ORDER BY projects.id`,
        parameters: [value],
      });
      return toUsersWithProjects(rows)[0];
    },

    /** One statement, whatever the number of users and projects: see user-list.ts. */
    async listWithProjects({ search, page }: { readonly search: NameSearch; readonly page: PageRequest }): Promise<JsonPage> {
      const [row] = await database.read(toListStatement(search, page), 'recent');
      return toJsonPage(joinUsersAndProjects(splitRecords(row?.['users']), splitRecords(row?.['projects'])), page);
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

    /** Sets a new password, and revokes every token of the user in the same batch. */
    async resetPassword(id: UserId, passwordHash: PasswordHash): Promise<void> {
      await database.write([
        { sql: 'UPDATE users SET password_hash = ? WHERE id = ?', parameters: [passwordHash, id] },
        { sql: 'DELETE FROM tokens WHERE user_id = ?', parameters: [id] },
      ]);
    },

    async promote(id: UserId): Promise<void> {
      await database.write([{ sql: 'UPDATE users SET is_admin = 1 WHERE id = ?', parameters: [id] }]);
    },

    /** @returns False when the user is the last administrator, who stays one. */
    async demote(id: UserId): Promise<boolean> {
      const statement: Statement = {
        sql: `
          UPDATE users SET is_admin = 0
          WHERE id = ? AND EXISTS (SELECT 1 FROM users AS other WHERE other.is_admin = 1 AND other.id <> users.id)
          RETURNING id`,
        parameters: [id],
      };
      const [rows] = await database.write([statement]);
      return rows?.length === 1;
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;

/** The values of `username`, `username_key` and `username_grams`. */
function toNameColumns(username: string): readonly string[] {
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
  };
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
  return toProject({
    id: integer(row, 'project_id'),
    name: text(row, 'name'),
    description: text(row, 'description'),
    date_created: text(row, 'project_date_created'),
    owner_id: integer(row, 'id'),
    username: text(row, 'username'),
    email: text(row, 'email'),
  });
}
