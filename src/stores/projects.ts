/** The statements about projects. */
import { raw, readOne, readRow, sql, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey, type IdOrName } from '../model/name.ts';
import type { UserId } from '../model/user.ts';
import { toAuditStatement, toCut } from './audit.ts';
import {
  changeIf, exists, guard, hasVersion, ifAllowed, isNameFree, mayChange, mayChangeRecord, recordAt, renamed,
  type ExpectedVersion, type Target,
} from './guards.ts';
import { listJson, type ListRequest } from './list.ts';
import { OWNER_JOIN, PROJECT_JSON } from './representations.ts';
import { receiverNamed } from './users.ts';

export type ProjectId = number & { readonly __brand: 'ProjectId' };

type NewProject = Readonly<Record<'name' | 'description', string>> & { readonly owner: IdOrName<UserId> };

/** `owner` is the username of the new owner. */
export type ProjectPatch = { readonly [Name in 'name' | 'description' | 'owner']?: string | undefined };

const SHOWN = raw(`projects.id, projects.name, owner_id AS ownerId, projects.version, ${PROJECT_JSON} AS json
  FROM projects ${OWNER_JOIN}`);

export function createProjectStore(database: Database, projectsPerUserMax: number) {
  return {
    insert({ name, description, owner }: NewProject, origin: Origin) {
      const key = toNameKey(name);
      const target = recordAt('users', owner); // the guards check the owner of the new project
      return changeIf(database, origin, target, {
        guards: [
          ...mayChangeRecord('unknownOwner', 'ownProjectsOnly', origin, raw('users.id')),
          guard('tooManyProjects', sql`users.project_count < ${projectsPerUserMax}`), // counted by triggers
          isNameFree('projectNameTaken', 'projects', key),
        ],
        writes: [
          sql`INSERT INTO projects (name, name_key, description, date_created, owner_id)
            SELECT ${name}, ${key}, ${description}, ${origin.at}, users.id
            FROM users WHERE ${ifAllowed(target)}`,
          toAuditStatement('project.create', recordAt('projects', { name }), origin),
        ],
        readBack: select({ name }, origin.visibleUserId),
        toResult: toRepresentation,
      });
    },

    find: (ref: IdOrName<ProjectId>, visibleUserId?: UserId) =>
      readOne(database, select(ref, visibleUserId), toRepresentation),

    /** Without `ownerId`, the list contains the projects of all users. */
    list({ ownerId, ...request }: ListRequest & { readonly ownerId: UserId | undefined }) {
      const total = ownerId === undefined
        ? raw('SELECT projects FROM row_counts')
        : sql`SELECT project_count FROM users WHERE id = ${ownerId}`;
      return listJson(database, {
        ...request,
        table: 'projects',
        key: 'name_key',
        indexed: [ownerId !== undefined && sql`owner_id = ${ownerId}`],
        total,
        join: OWNER_JOIN,
        item: PROJECT_JSON,
      });
    },

    update(ref: IdOrName<ProjectId>, to: ProjectPatch, origin: Origin, expected?: ExpectedVersion) {
      const { name = null, description = null } = to;
      const key = name === null ? null : toNameKey(name);
      const owner = to.owner === undefined ? raw('projects.owner_id') : receiverNamed(to.owner);
      const target = recordAt('projects', ref);
      const details = sql`concat_ws(', ',
        iif(projects.name <> ${name}, 'name=' || ${toCut(JSON.stringify(name))}, NULL),
        iif(projects.description <> ${description}, 'description', NULL),
        iif(projects.owner_id <> ${owner}, 'owner_id=' || ${owner}, NULL))`;
      // If a request changes nothing, there is no audit event, and the version stays the same.
      const changed: Target = { ...target, row: sql`${target.row} AND ${details} <> ''` };
      return changeIf(database, origin, target, {
        guards: [
          ...mayChangeProject(origin),
          ...(to.owner === undefined ? [] : [
            exists('unknownOwner', origin, owner),
            mayChange('transferByAdministratorOnly', origin, owner), // the owner can send `owner` unchanged
            guard('tooManyProjects', sql`projects.owner_id = ${owner} OR ${projectsPerUserMax} > (
              SELECT project_count FROM users AS receiver WHERE receiver.id = ${owner})`),
          ]),
          key !== null && isNameFree('projectNameTaken', 'projects', key, raw('projects.id')),
          hasVersion('projects', expected),
        ],
        writes: [
          toAuditStatement('project.update', changed, origin, details),
          sql`UPDATE projects SET name = coalesce(${name}, name), name_key = coalesce(${key}, name_key),
            description = coalesce(${description}, description), owner_id = ${owner}, version = version + 1
            WHERE ${ifAllowed(changed)}`,
        ],
        readBack: select(renamed(ref, to.name), origin.visibleUserId),
        toResult: toRepresentation,
      });
    },

    delete(ref: IdOrName<ProjectId>, origin: Origin, expected?: ExpectedVersion) {
      const target = recordAt('projects', ref);
      return changeIf(database, origin, target, {
        guards: [...mayChangeProject(origin), hasVersion('projects', expected)],
        writes: [
          toAuditStatement('project.delete', target, origin),
          sql`DELETE FROM projects WHERE ${ifAllowed(target)}`,
        ],
      });
    },
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

/** Look-ups of hidden and unknown projects take the same time, so the time reveals no hidden project. */
const select = (ref: IdOrName<ProjectId>, visibleUserId: UserId | undefined): Statement => sql`
  SELECT ${SHOWN} WHERE ${recordAt('projects', ref).row}
    AND owner_id = coalesce(${visibleUserId ?? null}, owner_id)`;

const toRepresentation = (row: Row) => readRow(row, {
  id: 'integer',
  name: 'text',
  ownerId: 'integer',
  version: 'integer', // counts the changes to the record of the project, but not to the record of its owner
  json: 'text',
});

const mayChangeProject = (origin: Origin) =>
  mayChangeRecord('noSuchProject', 'projectOwnerOnly', origin, raw('projects.owner_id'));
