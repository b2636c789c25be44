/** Everything that the service asks the database about projects. */
import type { Database, Row } from '../database/database.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameSearch } from '../model/name.ts';
import type { JsonPage, PageRequest } from '../model/page.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { UserId, UserSummary } from '../model/user.ts';
import { integer, text } from './columns.ts';
import { RECORD_SEPARATOR_SQL, splitRecords, toIdsOfPage, toJsonPage, toWindow, type Fragment } from './pages.ts';
import { toCondition } from './search.ts';

interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  readonly owner: UserSummary & { readonly id: UserId };
}

type InsertProjectOutcome =
  | { readonly kind: 'inserted'; readonly project: Project }
  | { readonly kind: 'name-taken' };

const PROJECT_COLUMNS = `
  projects.id, projects.name, projects.description, projects.date_created, projects.owner_id,
  users.username, users.email`;

export function createProjectStore(database: Database) {
  return {
    async insert(project: NewProject): Promise<InsertProjectOutcome> {
      const { name, description, owner, dateCreated } = project;
      const [rows] = await database.write([
        {
          // max makes one row in any case; without an owner its summary is NULL, which the table refuses.
          sql: `
            INSERT INTO projects (name, name_key, description, owner_id, owner_summary, date_created)
            SELECT ?, ?, ?, ?, max(summary), ? FROM users WHERE id = ?
            ON CONFLICT (name_key) DO NOTHING
            RETURNING id, name, description, date_created, owner_id`,
          parameters: [name, toNameKey(name), description, owner.id, dateCreated, owner.id],
        },
      ]);
      const row = rows?.[0];
      if (row === undefined) {
        return { kind: 'name-taken' };
      }
      return { kind: 'inserted', project: toProject({ ...row, username: owner.username, email: owner.email }) };
    },

    async find(address: { readonly id: ProjectId } | { readonly name: string }): Promise<Project | undefined> {
      const [column, value] = 'id' in address ? ['id', address.id] : ['name_key', toNameKey(address.name)];
      const [row] = await database.read({
        sql: `SELECT ${PROJECT_COLUMNS} FROM projects JOIN users ON users.id = projects.owner_id WHERE projects.${column} = ?`,
        parameters: [value],
      });
      return row && toProject(row);
    },

    /**
     * Names are not indexed by their parts, as those of users are: that would make every new project dearer. A search
     * reads the projects in order until the page is full.
     *
     * @param ownerId - Only this user's projects, or everybody's when it is `undefined`.
     */
    async list({ search, page, ownerId }: {
      readonly search: NameSearch;
      readonly page: PageRequest;
      readonly ownerId: UserId | undefined;
    }): Promise<JsonPage> {
      const isWhole = search.kind === 'all' && ownerId === undefined;
      const records = isWhole ? toRecordsOfPage(page) : toRecordsOfFound({ search, page, ownerId });
      const [row] = await database.read({
        sql: `SELECT group_concat(record, ${RECORD_SEPARATOR_SQL}) AS records FROM (${records.sql})`,
        parameters: records.parameters,
      }, 'recent');
      return toJsonPage(splitRecords(row?.['records']), page);
    },

    /** @returns False when the project does not exist, or belongs to somebody else by now. */
    async delete({ id, ownerId }: Project): Promise<boolean> {
      const [rows] = await database.write([
        { sql: 'DELETE FROM projects WHERE id = ? AND owner_id = ? RETURNING id', parameters: [id, ownerId] },
      ]);
      return rows?.length === 1;
    },
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

/** @param row - The columns of `PROJECT_COLUMNS`. */
export function toProject(row: Row): Project {
  return {
    id: integer(row, 'id') as ProjectId,
    name: text(row, 'name'),
    description: text(row, 'description'),
    dateCreated: text(row, 'date_created') as Timestamp,
    ownerId: integer(row, 'owner_id') as UserId,
    owner: { username: text(row, 'username'), email: text(row, 'email') },
  };
}

/** @returns The records of a page over all projects, and the one after it. */
function toRecordsOfPage(page: PageRequest): Fragment {
  const ids = toIdsOfPage('projects', page);
  return {
    sql: `
      SELECT record
      FROM (SELECT min(id) AS first, max(id) AS last FROM (${ids.sql})) CROSS JOIN projects ON id BETWEEN first AND last
      ORDER BY id`,
    parameters: ids.parameters,
  };
}

/** @returns The records of a page over the projects of an owner, or whose names match, and the one after it. */
function toRecordsOfFound({ search, page, ownerId }: {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly ownerId: UserId | undefined;
}): Fragment {
  const condition = toCondition(search, 'name_key');
  const { limit, offset } = toWindow(page);
  return {
    sql: `
      SELECT record FROM projects
      WHERE ${condition.sql} ${ownerId === undefined ? '' : 'AND owner_id = ?'}
      ORDER BY id LIMIT ? OFFSET ?`,
    parameters: [...condition.parameters, ...(ownerId === undefined ? [] : [ownerId]), limit, offset],
  };
}
