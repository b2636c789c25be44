/** The statements about projects. */
import { integerOf, textOf, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey, type NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { UserId } from '../model/user.ts';
import { toCutName } from './audit.ts';
import {
  assign, changeIf, guard, hasVersion, isSignedIn, mayChange, type ExpectedVersion,
} from './guarded.ts';
import { listJson } from './list.ts';
import { PROJECT_JSON, toRepresentation, type Representation } from './representations.ts';
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
export interface FoundProject {
  readonly project: Project;
  readonly representation: Representation;
}

/** The values of a project that can be changed. */
export type ProjectValues = Pick<Project, 'name' | 'description' | 'ownerId'>;

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

/** The narrow indexes that have every project, and the columns of searches. */
const INDEXES = { id: 'projects INDEXED BY projects_by_id', name_key: 'projects' };

/**
 * Inserts nothing if no owner meets the conditions: `owner_id` is then NULL, which the table refuses. The
 * refused row uses up an id. An `INSERT … SELECT` would write each row twice, because the table has
 * triggers.
 */
const toInsertion = (owner: string) => `
  INSERT OR IGNORE INTO projects (name, name_key, description, date_created, owner_id)
  VALUES (?, ?, ?, ?, (SELECT id FROM users WHERE ${owner}))`;

const IS_FREE =
  'NOT EXISTS (SELECT 1 FROM projects AS other WHERE other.name_key = ? AND other.id <> projects.id)';

const HAS_ROOM = `EXISTS (
  SELECT 1 FROM users AS receiver
  WHERE receiver.id = ? AND (receiver.id = projects.owner_id OR receiver.project_count < ?))`;

/** The date keeps out a project that took the name in the meantime. */
const READ_BACK = `${SELECT_PROJECT} WHERE name_key = ? AND projects.date_created = ?`;

export function createProjectStore(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    /** The owner is the caller, unless the caller is an administrator. */
    insert({ name, description, owner, dateCreated }: NewProject, origin: Origin) {
      const key = toNameKey(name);
      return changeIf(database, {
        target: 'id' in owner
          ? { table: 'users', column: 'id', value: owner.id }
          : { table: 'users', column: 'username_key', value: toNameKey(owner.name) },
        guards: [
          ...isSignedIn(origin),
          guard('unknownOwner', 'users.id IS NOT NULL'),
          ...mayChange('administratorOnly', origin, 'users.id'),
          guard('tooManyProjects', 'users.project_count < ?', [projectsPerUserMax]),
          guard('projectNameTaken', 'NOT EXISTS (SELECT 1 FROM projects WHERE name_key = ?)', [key]),
        ],
        write: ({ sql, parameters }) => ({
          sql: toInsertion(sql), parameters: [name, key, description, dateCreated, ...parameters],
        }),
        audit: { action: 'project.create', resource: { type: 'project', name } },
        readBack: { sql: READ_BACK, parameters: [key, dateCreated] },
        toResult: toRepresentation,
      }, origin);
    },

    /** Reads no more than a decision needs, because a proxy asks before each request of its client. */
    async identify(address: ProjectAddress): Promise<Pick<Project, 'id' | 'name' | 'ownerId'> | undefined> {
      const [column, value] = 'id' in address ? ['id', address.id] : ['name_key', toNameKey(address.name)];
      const [row] = await database.read({
        sql: `SELECT id, name, owner_id FROM projects WHERE ${column} = ?`, parameters: [value],
      });
      return row && {
        id: integerOf(row, 'id') as ProjectId,
        name: textOf(row, 'name'),
        ownerId: integerOf(row, 'owner_id') as UserId,
      };
    },

    /** @param only - Finds projects of this owner alone: a hidden one takes no longer than an unknown one. */
    async find(address: ProjectAddress, only?: UserId): Promise<FoundProject | undefined> {
      const [column, value] = 'id' in address
        ? ['projects.id', address.id]
        : ['projects.name_key', toNameKey(address.name)];
      const owned = only === undefined ? '' : 'AND owner_id = ?';
      const [row] = await database.read({
        sql: `${SELECT_PROJECT} WHERE ${column} = ? ${owned}`,
        parameters: only === undefined ? [value] : [value, only],
      });
      return row && { project: toProject(row), representation: toRepresentation(row) };
    },

    async list({ search, page, sort = BY_ID, ownerId }: ProjectQuery): Promise<JsonPage> {
      const column = SORT_COLUMNS[sort.by];
      const owned = ownerId === undefined ? [] : [{ sql: 'owner_id = ?', parameters: [ownerId] }];
      return listJson(database, {
        table: 'projects',
        item: PROJECT_JSON,
        itemBytesMax: 10_500, // a name has 1,020 bytes, a description 8,000, an owner 550
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
        source: toSource(search, {
          select: { sql: `SELECT id, name_key, owner_id FROM ${INDEXES[column]} WHERE TRUE`, parameters: [] },
          position: column,
        }),
      });
    },

    /** Changes the given values. Only administrators may transfer a project. */
    update(
      project: Project, to: Partial<ProjectValues>, origin: Origin, expected: ExpectedVersion = 'any',
    ) {
      const { name, description, ownerId } = to;
      const key = name === undefined ? undefined : toNameKey(name);
      const columns = assign({ name, name_key: key, description, owner_id: ownerId });
      return changeIf(database, {
        target: { table: 'projects', column: 'id', value: project.id },
        guards: [
          ...mayChangeProject(origin),
          ...(ownerId === undefined ? [] : [
            ...mayChange('transferByAdministratorOnly', origin, 'NULL'),
            guard('unknownOwner', 'EXISTS (SELECT 1 FROM users WHERE id = ?)', [ownerId]),
            guard('tooManyProjects', HAS_ROOM, [ownerId, projectsPerUserMax]),
          ]),
          ...(key === undefined ? [] : [guard('projectNameTaken', IS_FREE, [key])]),
          ...hasVersion('projects', expected),
        ],
        write: ({ sql, parameters }) => ({
          sql: `UPDATE projects SET ${columns.sql} version = version + 1 WHERE ${sql}`,
          parameters: [...columns.parameters, ...parameters],
        }),
        audit: {
          action: 'project.update', resource: toProjectResource(project), details: describeProjectChanges(to),
        },
        readBack: { sql: `${SELECT_PROJECT} WHERE projects.id = ?`, parameters: [project.id] },
        toResult: toRepresentation,
      }, origin);
    },

    delete(project: Project, origin: Origin, expected: ExpectedVersion = 'any') {
      return changeIf(database, {
        target: { table: 'projects', column: 'id', value: project.id },
        guards: [...mayChangeProject(origin), ...hasVersion('projects', expected)],
        write: ({ sql, parameters }) => ({ sql: `DELETE FROM projects WHERE ${sql}`, parameters }),
        audit: { action: 'project.delete', resource: toProjectResource(project) },
        toResult: () => undefined,
      }, origin);
    },
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

function toProject(row: Row): Project {
  return {
    id: integerOf(row, 'id') as ProjectId,
    name: textOf(row, 'name'),
    description: textOf(row, 'description'),
    dateCreated: textOf(row, 'date_created') as Timestamp,
    ownerId: integerOf(row, 'owner_id') as UserId,
    version: integerOf(row, 'version'),
  };
}

function toTotal(ownerId: UserId | undefined): Statement {
  return ownerId === undefined
    ? countRows('projects')
    : { sql: 'SELECT project_count AS total FROM users WHERE id = ?', parameters: [ownerId] };
}

/** The project still exists, and the caller may change it. */
function mayChangeProject(origin: Origin) {
  return [
    ...isSignedIn(origin),
    guard('noSuchProject', 'projects.id IS NOT NULL'),
    ...mayChange('projectOwnerOnly', origin, 'projects.owner_id'),
  ];
}

function toProjectResource({ id, name }: Project) {
  return { type: 'project', id, name } as const;
}

function describeProjectChanges({ name, description, ownerId }: Partial<ProjectValues>): string {
  return [
    ...(name === undefined ? [] : [`name=${toCutName(JSON.stringify(name))}`]),
    ...(description === undefined ? [] : ['description']),
    ...(ownerId === undefined ? [] : [`owner_id=${ownerId}`]),
  ].join(', ');
}
