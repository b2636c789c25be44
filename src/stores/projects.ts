/** Everything that the service asks the database about projects. */
import type { Database, Row, Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { UserId, UserSummary } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import { integer, text } from './columns.ts';
import { toJsonPage, toOrderTerm, toSpanOfPage, toWindow } from './pages.ts';
import { toCondition } from './search.ts';

interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  readonly owner: UserSummary & { readonly id: UserId };
}

type InsertProjectOutcome =
  | { readonly kind: 'inserted'; readonly project: Project }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'owner-gone' };

/** What of a project can be changed. */
type ProjectValues = Pick<Project, 'name' | 'description' | 'ownerId'>;

/** Overtaken: the record was changed in the meantime, or something that the change depends on was. */
type ChangeOutcome = 'changed' | 'overtaken';

const PROJECT_COLUMNS = `
  projects.id, projects.name, projects.description, projects.date_created, projects.owner_id, projects.version,
  users.username, users.email`;

/** By what a list is sorted. Ids are assigned in the order of creation. */
const SORT_COLUMNS = { id: 'id', name: 'name_key', date_created: 'id' };

interface ProjectQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
  /** Only this user's projects, or everybody's when it is `undefined`. */
  readonly ownerId: UserId | undefined;
}

const INSERT_PROJECT = `
  INSERT INTO projects (name, name_key, description, owner_id, owner_summary, date_created)
  SELECT ?, ?, ?, users.id, users.summary, ? FROM users WHERE users.id = ?
  ON CONFLICT (name_key) DO NOTHING
  RETURNING id, name, description, date_created, owner_id, version`;

export function createProjectStore(database: Database) {
  return {
    async insert(project: NewProject, origin: Origin): Promise<InsertProjectOutcome> {
      const { name, description, owner, dateCreated } = project;
      const [rows] = await database.write([
        { sql: INSERT_PROJECT, parameters: [name, toNameKey(name), description, dateCreated, owner.id] },
        toAuditStatement({ action: 'project.create', resource: { type: 'project', name } }, origin),
      ]);
      const row = rows?.[0];
      if (row === undefined) {
        const holders = await database.read({ sql: 'SELECT id FROM projects WHERE name_key = ?', parameters: [toNameKey(name)] });
        return { kind: holders.length > 0 ? 'name-taken' : 'owner-gone' };
      }
      return { kind: 'inserted', project: toProject(row, owner) };
    },

    async find(address: { readonly id: ProjectId } | { readonly name: string }): Promise<Project | undefined> {
      const [column, value] = 'id' in address ? ['id', address.id] : ['name_key', toNameKey(address.name)];
      const [row] = await database.read({
        sql: `SELECT ${PROJECT_COLUMNS} FROM projects JOIN users ON users.id = projects.owner_id WHERE projects.${column} = ?`,
        parameters: [value],
      });
      return row && toProject(row, { username: text(row, 'username'), email: text(row, 'email') });
    },

    /**
     * Names are not indexed by their parts, as those of users are: that would make every new project dearer. A search
     * reads the projects in order until the page is full.
     */
    async list({ search, page, sort = BY_ID, ownerId }: ProjectQuery): Promise<JsonPage> {
      const order = toOrderTerm(sort, SORT_COLUMNS);
      const isWhole = search.kind === 'all' && ownerId === undefined && order === undefined;
      const { sql, parameters } = isWhole ? toWholeList(page) : toFoundList({ search, page, ownerId }, order ?? 'id');
      const [row = {}] = await database.read({ sql, parameters }, 'recent'); // an aggregate has one row, always
      return toJsonPage(row, page);
    },

    /**
     * Changes a project as it was read. Overtaken when it has another version by then, the new name is another project's,
     * or there is no such owner.
     */
    async update(project: Project, to: ProjectValues, origin: Origin): Promise<ChangeOutcome> {
      const key = toNameKey(to.name);
      const [rows] = await database.write([
        {
          sql: `
            UPDATE projects SET name = ?, name_key = ?, description = ?, owner_id = ?, version = version + 1
            WHERE id = ? AND version = ?
              AND NOT EXISTS (SELECT 1 FROM projects AS other WHERE other.name_key = ? AND other.id <> projects.id)
              AND EXISTS (SELECT 1 FROM users WHERE users.id = ?)
            RETURNING id`,
          parameters: [to.name, key, to.description, to.ownerId, project.id, project.version, key, to.ownerId],
        },
        toAuditStatement({ action: 'project.update', resource: toResource(project), details: describeChanges(project, to) }, origin),
      ]);
      return rows?.length === 1 ? 'changed' : 'overtaken';
    },

    /** Deletes a project as it was read. Overtaken when it is gone or has another version by then. */
    async delete(project: Project, origin: Origin): Promise<ChangeOutcome> {
      const [rows] = await database.write([
        {
          sql: 'DELETE FROM projects WHERE id = ? AND version = ? RETURNING id',
          parameters: [project.id, project.version],
        },
        toAuditStatement({ action: 'project.delete', resource: toResource(project) }, origin),
      ]);
      return rows?.length === 1 ? 'changed' : 'overtaken';
    },
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

/** @param row - The columns of `PROJECT_COLUMNS`; those of the owner are not looked at. */
function toProject(row: Row, { username, email }: UserSummary): Project {
  return {
    id: integer(row, 'id') as ProjectId,
    name: text(row, 'name'),
    description: text(row, 'description'),
    dateCreated: text(row, 'date_created') as Timestamp,
    ownerId: integer(row, 'owner_id') as UserId,
    owner: { username, email },
    version: integer(row, 'version'),
  };
}

function toResource({ id, name }: Project) {
  return { type: 'project', id, name } as const;
}

function describeChanges(from: Project, to: ProjectValues): string {
  return [
    ...(from.name === to.name ? [] : [`name=${JSON.stringify(to.name)}`]),
    ...(from.description === to.description ? [] : ['description']),
    ...(from.ownerId === to.ownerId ? [] : [`owner_id=${to.ownerId}`]),
  ].join(', ');
}

/** A page over all projects is a range of ids. */
function toWholeList(page: PageRequest): Statement {
  const span = toSpanOfPage('projects', page);
  return {
    sql: `
      WITH span AS MATERIALIZED (${span.sql})
      ${toText(`
        SELECT record FROM projects
        WHERE id BETWEEN (SELECT first FROM span) AND (SELECT last FROM span) ORDER BY id`)}`,
    parameters: span.parameters,
  };
}

/** A page over the projects of an owner, or whose names match, or in another order. */
function toFoundList({ search, page, ownerId }: ProjectQuery, order: string): Statement {
  const condition = toCondition(search, 'name_key');
  const { limit, offset } = toWindow(page);
  return {
    sql: toText(`
      SELECT record FROM projects
      WHERE ${condition.sql} ${ownerId === undefined ? '' : 'AND owner_id = ?'}
      ORDER BY ${order} LIMIT ? OFFSET ?`),
    parameters: [...condition.parameters, ...(ownerId === undefined ? [] : [ownerId]), limit, offset],
  };
}

/** @param records - A select of the records of a page, and the one after it. */
function toText(records: string): string {
  return `SELECT group_concat(record) AS records, count(*) AS count FROM (${records})`;
}
