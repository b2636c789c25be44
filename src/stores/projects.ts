/** The statements about projects. */
import {
  integer, text, type Database, type Row, type Statement,
} from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { UserId } from '../model/user.ts';
import { toAuditStatement, toCutName } from './audit.ts';
import { listJson } from './list.ts';
import { PROJECT_JSON, toRepresentation, type Representation } from './representations.ts';
import { findLostRight, hasRight, HAS_RIGHT, type LostRight } from './rights.ts';
import { countRows, toCandidates, toConditions, toSource } from './search.ts';
import type { UserAddress } from './users.ts';

interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly dateCreated: Timestamp;
  /** A name saves a look-up, and an id stays the same when the owner is renamed. */
  readonly owner: UserAddress;
}

/** A project, on which handlers decide, and its representation for the response. */
interface FoundProject {
  readonly project: Project;
  readonly representation: Representation;
}

type InsertProjectOutcome =
  | { readonly kind: 'inserted'; readonly representation: Representation }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'owner-gone' }
  | { readonly kind: 'too-many-projects' }
  | LostRight;

/** `conflict`: the record, or other data that the change depends on, was changed in the meantime. */
type UpdateProjectOutcome =
  | { readonly kind: 'changed'; readonly representation: Representation }
  | { readonly kind: 'too-many-projects' }
  | { readonly kind: 'conflict' }
  | LostRight;
type DeleteProjectOutcome = { readonly kind: 'deleted' } | { readonly kind: 'conflict' } | LostRight;

/** The values of a project that can be changed. */
type ProjectValues = Pick<Project, 'name' | 'description' | 'ownerId'>;

type ProjectAddress = { readonly id: ProjectId } | { readonly name: string };

/** The sort keys of a list. Ids are assigned in order of creation. */
const SORT_COLUMNS = { id: 'id', name: 'name_key', date_created: 'id' } as const;

interface ProjectQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
  /** Only the projects of this user; `undefined` for the projects of all users. */
  readonly ownerId: UserId | undefined;
}

const SELECT_PROJECT = `
  SELECT projects.id, name, description, projects.date_created, owner_id, projects.version,
    ${PROJECT_JSON} AS json
  FROM projects`;

/** The narrow indexes that have every project. */
const INDEXES = { id: 'projects INDEXED BY projects_by_id', name_key: 'projects' };

/**
 * Inserts nothing if the name is taken, or if no owner meets the conditions: `owner_id` is then NULL, which
 * the table refuses. Either takes an id. An `INSERT … SELECT` would write each row twice, because the table
 * has triggers.
 *
 * @param owner - The column that names the owner.
 */
const toInsertion = (owner: 'id' | 'username_key') => `
  INSERT OR IGNORE INTO projects (name, name_key, description, date_created, owner_id)
  VALUES (?, ?, ?, ?, (SELECT id FROM users WHERE ${owner} = ? AND project_count < ? AND ${HAS_RIGHT}))`;

/** The statements for an owner by id or by name. */
const BY_OWNER = {
  id: { insert: toInsertion('id'), countProjects: 'SELECT project_count FROM users WHERE id = ?' },
  name: {
    insert: toInsertion('username_key'),
    countProjects: 'SELECT project_count FROM users WHERE username_key = ?',
  },
};

/** The date keeps out a project that took the name in the meantime. */
const READ_BACK = `${SELECT_PROJECT} WHERE name_key = ? AND projects.date_created = ?`;

export function createProjectStore(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    async insert(project: NewProject, origin: Origin): Promise<InsertProjectOutcome> {
      const { name, description, owner, dateCreated } = project;
      const key = toNameKey(name);
      const [statements, ownerId, ownerKey] = 'id' in owner
        ? [BY_OWNER.id, owner.id, owner.id]
        : [BY_OWNER.name, undefined, toNameKey(owner.name)];
      const { row } = await database.change([
        {
          sql: statements.insert,
          parameters: [
            name, key, description, dateCreated, ownerKey, projectsPerUserMax,
            ...hasRight(origin, ownerId).parameters,
          ],
        },
        toAuditStatement({ action: 'project.create', resource: { type: 'project', name } }, origin),
      ], { sql: READ_BACK, parameters: [key, dateCreated] });
      if (row !== undefined) {
        return { kind: 'inserted', representation: toRepresentation(row) };
      }
      const receiver = { sql: statements.countProjects, parameters: [ownerKey] };
      return (await findObstacle(ownerId, receiver, origin)) ?? { kind: 'name-taken' };
    },

    async find(address: ProjectAddress): Promise<FoundProject | undefined> {
      const [column, value] = 'id' in address
        ? ['projects.id', address.id]
        : ['projects.name_key', toNameKey(address.name)];
      const [row] = await database.read({
        sql: `${SELECT_PROJECT} WHERE ${column} = ?`, parameters: [value],
      });
      return row && { project: toProject(row), representation: toRepresentation(row) };
    },

    async list({ search, page, sort = BY_ID, ownerId }: ProjectQuery): Promise<JsonPage> {
      const column = SORT_COLUMNS[sort.by];
      const owned = ownerId === undefined ? [] : [{ sql: 'owner_id = ?', parameters: [ownerId] }];
      return listJson(database, {
        table: 'projects',
        item: PROJECT_JSON,
        conditions: [...toConditions(search, 'name_key'), ...owned],
        order: { column, isDescending: sort.isDescending },
        page,
        total: search.kind === 'all' ? toTotal(ownerId) : undefined,
        candidates: [
          ...owned.map(({ sql, parameters }) => ({
            sql: `SELECT id FROM projects WHERE ${sql}`, parameters,
          })),
          ...toCandidates('projects', 'name_key', search),
        ],
        source: toSource('projects', search, {
          select: { sql: `SELECT id, name_key, owner_id FROM ${INDEXES[column]} WHERE TRUE`, parameters: [] },
          position: column,
        }),
      });
    },

    /**
     * Changes a project if it is still as it was read. Only administrators may transfer a project. The
     * outcome is also `conflict` when the new name is taken or the new owner is gone.
     */
    async update(project: Project, to: ProjectValues, origin: Origin): Promise<UpdateProjectOutcome> {
      const key = toNameKey(to.name);
      const ownerId = to.ownerId === project.ownerId ? project.ownerId : undefined;
      const right = hasRight(origin, ownerId);
      const { row } = await database.change([
        {
          sql: `
            UPDATE projects SET name = ?, name_key = ?, description = ?, owner_id = ?, version = version + 1
            WHERE id = ? AND version = ? AND ${right.sql}
              AND NOT EXISTS (
                SELECT 1 FROM projects AS other WHERE other.name_key = ? AND other.id <> projects.id
              )
              AND EXISTS (
                SELECT 1 FROM users AS receiver
                WHERE receiver.id = ? AND (receiver.id = projects.owner_id OR project_count < ?)
              )`,
          parameters: [
            to.name, key, to.description, to.ownerId, project.id, project.version, ...right.parameters,
            key, to.ownerId, projectsPerUserMax,
          ],
        },
        toAuditStatement(
          { action: 'project.update', resource: toResource(project), details: describeChanges(project, to) },
          origin,
        ),
      ], { sql: `${SELECT_PROJECT} WHERE projects.id = ?`, parameters: [project.id] });
      if (row !== undefined) {
        return { kind: 'changed', representation: toRepresentation(row) };
      }
      const receiver = ownerId === undefined
        ? { sql: BY_OWNER.id.countProjects, parameters: [to.ownerId] }
        : undefined;
      const obstacle = await findObstacle(ownerId, receiver, origin);
      return obstacle === undefined || obstacle.kind === 'owner-gone' ? { kind: 'conflict' } : obstacle;
    },

    /** Deletes a project if it is still as it was read. */
    async delete(project: Project, origin: Origin): Promise<DeleteProjectOutcome> {
      const right = hasRight(origin, project.ownerId);
      const { counts: [deleted] } = await database.change([
        {
          sql: `DELETE FROM projects WHERE id = ? AND version = ? AND ${right.sql}`,
          parameters: [project.id, project.version, ...right.parameters],
        },
        toAuditStatement({ action: 'project.delete', resource: toResource(project) }, origin),
      ]);
      return deleted === 0
        ? (await findLostRight(database, origin, project.ownerId)) ?? { kind: 'conflict' }
        : { kind: 'deleted' };
    },
  };

  /**
   * @param permitted - The user who may make the change; `undefined` for administrators only.
   * @param receiver - Counts the projects of the user who should own one more; `undefined` for nobody.
   * @returns The obstacle, if the caller or the receiver is the reason; `undefined` if the project is the
   *   reason.
   */
  async function findObstacle(
    permitted: UserId | undefined, receiver: Statement | undefined, origin: Origin,
  ) {
    const lost = await findLostRight(database, origin, permitted);
    if (lost !== undefined || receiver === undefined) {
      return lost;
    }
    const [row] = await database.read(receiver);
    if (row === undefined) {
      return { kind: 'owner-gone' } as const;
    }
    const isFull = integer(row, 'project_count') >= projectsPerUserMax;
    return isFull ? { kind: 'too-many-projects' } as const : undefined;
  }
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

function toProject(row: Row): Project {
  return {
    id: integer(row, 'id') as ProjectId,
    name: text(row, 'name'),
    description: text(row, 'description'),
    dateCreated: text(row, 'date_created') as Timestamp,
    ownerId: integer(row, 'owner_id') as UserId,
    version: integer(row, 'version'),
  };
}

function toTotal(ownerId: UserId | undefined): Statement {
  return ownerId === undefined
    ? countRows('projects')
    : { sql: 'SELECT project_count AS total FROM users WHERE id = ?', parameters: [ownerId] };
}

function toResource({ id, name }: Project) {
  return { type: 'project', id, name } as const;
}

function describeChanges(from: Project, to: ProjectValues): string {
  return [
    ...(from.name === to.name ? [] : [`name=${toCutName(JSON.stringify(to.name))}`]),
    ...(from.description === to.description ? [] : ['description']),
    ...(from.ownerId === to.ownerId ? [] : [`owner_id=${to.ownerId}`]),
  ].join(', ');
}
