/** `/api/v1/projects`: from top to bottom, everything that the API does with projects. */
import { changed, created, done, list, read, tagged } from '../api/answers.ts';
import { refuseMember, requiredBody, SMALL_BODY_BYTES_MAX } from '../api/body.ts';
import { auditContext, expectVersion, LOST_RIGHTS, onlyChanges, refuseFailed } from '../api/changes.ts';
import { operation, type BodyRule } from '../api/operation.ts';
import {
  idOrName, nameSearch, pageRequest, paging, sortBy, toNameSearch, usernameInQuery,
} from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { BODY_BYTES_MAX } from '../http/body.ts';
import { anything, object, optional, text } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { findNameFault, PROJECT_NAME_LENGTH_MAX, toNameKey } from '../model/name.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { ProjectValues } from '../stores/projects.ts';
import type { UserAddress } from '../stores/users.ts';
import { findVisible, findVisibleProject, onlyVisible } from './directory.ts';
import { HIDDEN, id, newProjectName, timestamp, userSummary } from './schemas.ts';

export const project = object({
  id: id(1),
  name: text({
    minLength: 1,
    maxLength: PROJECT_NAME_LENGTH_MAX,
    description: 'Unique across the service, case ignored.',
    example: 'notes',
  }),
  description: text({ description: 'May be empty.', example: 'On the Analytical Engine' }),
  date_created: timestamp('2026-01-31T12:05:00.000Z'),
  owner: userSummary,
});

/**
 * Control characters take six bytes in JSON, and SQLite treats NUL as the end of a text. Other characters of
 * `HIDDEN` reverse or hide text. Joiners and variation selectors are allowed: Persian and emoji need them.
 */
const newDescription = text({
  maxLength: 2_000,
  pattern: `^([^${HIDDEN}]|[\\t\\n\\r\\u200c\\u200d\\ufe00-\\ufe0f])*$`,
  title: 'visible text without control characters but tab and line break',
  description:
    'No control or invisible characters but tab, line break, joiners and variation selectors; empty unless ' +
    'given.',
  example: 'On the Analytical Engine',
});

const newProject = object({
  name: newProjectName,
  description: optional(newDescription),
  owner: optional(text({
    description: 'The owner, the caller unless given. Only administrators may name another user.',
  })),
});

const projectPatch = object({
  name: optional(newProjectName),
  description: optional(newDescription),
  owner: optional(text({ description: 'The username of the new owner, for administrators.' })),
}, { example: { description: 'On the Analytical Engine' } });

/** The API document does not describe the body of the list, because OpenAPI 3.0 allows none for GET. */
const ownerFilter: BodyRule<string | undefined> = {
  presence: 'optional',
  format: 'json',
  schema: anything,
  bytesMax: SMALL_BODY_BYTES_MAX,
  pick: (body) => {
    const owner = typeof body === 'object'
      && body !== null
      && Object.hasOwn(body, 'owner')
      && 'owner' in body
      && body.owner;
    return typeof owner === 'string' ? owner : undefined;
  },
};

export const projectInPath = {
  project_name_or_id: idOrName<ProjectId>(
    'The name of a project, case ignored, or its id: an integer is an id.', 'notes',
  ),
};

export const projectOperations = {
  listProjects: operation({
    method: 'GET',
    path: '/api/v1/projects',
    access: 'authenticated',
    mayTakeLong: true,
    tag: 'Projects',
    summary: 'List projects',
    description:
      'Every signed-in user may read every project; with `DIRECTORY=closed`, plain users read only their ' +
      'own. The list is by id unless `sort` says otherwise.\n\n' +
      'A request may have a JSON object as its body. Its member `owner` works like the query parameter, ' +
      'which takes precedence.',
    query: {
      ...nameSearch,
      owner: usernameInQuery('Only projects of this user. Case is ignored; an unknown user is 400.'),
      sort: sortBy('name', 'date_created'),
      ...paging,
    },
    body: ownerFilter,
    answers: list('projects', project, '/api/v1/projects'),
    refuses: ['unknownOwner'],
    async handle(services, { query, body, caller }) {
      const ownerName = query.owner ?? body;
      const owner = ownerName === undefined ? undefined : await findVisible(services, ownerName, caller);
      if (ownerName !== undefined && owner === undefined) {
        return refuse('unknownOwner', ownerName);
      }
      const page = pageRequest(query);
      const { sort } = query;
      const ownerId = owner?.id ?? onlyVisible(services, caller);
      const found = await services.projects.list({
        search: toNameSearch(query), page, ownerId, ...(sort && { sort }),
      });
      return { page, found };
    },
  }),

  createProject: operation({
    method: 'POST',
    path: '/api/v1/projects',
    access: 'authenticated',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'The caller owns it, unless an administrator names another owner.',
    body: requiredBody('NewProject', newProject, BODY_BYTES_MAX),
    answers: created(project, 'The new project.', '/api/v1/projects/1'),
    refuses: [
      'invalidBody', 'unknownOwner', 'ownProjectsOnly', 'projectNameTaken', 'tooManyProjects',
      ...LOST_RIGHTS,
    ],
    async handle(services, { body, caller, request }) {
      const { name, description = '' } = body;
      const fault = refuseFaultyName(name);
      if (fault !== undefined) {
        return fault;
      }
      const owner = body.owner === undefined
        ? caller.user
        : await checkNamedOwner(services, body.owner, caller);
      if (isRefusal(owner)) {
        return owner;
      }
      const dateCreated = toTimestamp(services.clock());
      const outcome = await services.projects.insert(
        { name, description, owner, dateCreated }, auditContext(services, request, caller),
      );
      if (outcome.kind === 'refused') {
        return refuseFailed(outcome, { projectNameTaken: name, unknownOwner: body.owner });
      }
      return { json: outcome.result.json, location: `/api/v1/projects/${outcome.result.id}` };
    },
  }),

  readProject: operation({
    method: 'GET',
    path: '/api/v1/projects/{project_name_or_id}',
    parameters: projectInPath,
    access: 'authenticated',
    tag: 'Projects',
    summary: 'Get a project',
    description:
      'Every signed-in user may read every project; with `DIRECTORY=closed`, plain users read only their ' +
      'own.',
    answers: read(project, 'The project.'),
    refuses: ['noSuchProject'],
    async handle(services, { path, caller }) {
      const found = await findVisibleProject(services, path.project_name_or_id, caller);
      return found === undefined ? refuse('noSuchProject') : tagged(found.representation);
    },
  }),

  updateProject: operation({
    method: 'PATCH',
    path: '/api/v1/projects/{project_name_or_id}',
    parameters: projectInPath,
    access: 'authenticated',
    tag: 'Projects',
    summary: 'Change a project',
    description:
      'Changes the given members and leaves the others as they are. The owner or an administrator may do ' +
      'this; only an administrator may transfer the project with `owner`.',
    body: requiredBody('ProjectPatch', projectPatch, BODY_BYTES_MAX),
    answers: changed(project, 'The project as it is now.'),
    refuses: [
      'unauthenticated', 'invalidBody', 'noSuchProject', 'projectOwnerOnly', 'transferByAdministratorOnly',
      'unknownOwner', 'projectNameTaken', 'tooManyProjects', 'preconditionFailed', 'tooManyConflicts',
    ],
    async handle(services, { path, body, caller, request }) {
      const { projects } = services;
      const fault = refuseFaultyName(body.name ?? '');
      if (fault !== undefined) {
        return fault;
      }
      const found = await findVisibleProject(services, path.project_name_or_id, caller);
      if (found === undefined) {
        return refuse('noSuchProject');
      }
      const { project: current, representation } = found;
      if (!mayEdit(caller, current)) {
        return refuse('projectOwnerOnly');
      }
      const owner = body.owner === undefined ? undefined : await findVisible(services, body.owner, caller);
      if (body.owner !== undefined && owner === undefined) {
        return refuse('unknownOwner', body.owner);
      }
      const { name, description } = body;
      const to = onlyChanges<ProjectValues>(current, { name, description, ownerId: owner?.id });
      const state = tagged(representation);
      const expected = expectVersion(request, state, current.version);
      if (Object.keys(to).length === 0) {
        return expected === 'unmet' ? refuse('preconditionFailed') : state;
      }
      const outcome = await projects.update(
        current, to, auditContext(services, request, caller), expected,
      );
      return outcome.kind === 'refused'
        ? refuseFailed(outcome, { unknownOwner: body.owner, projectNameTaken: name })
        : tagged(outcome.result);
    },
  }),

  deleteProject: operation({
    method: 'DELETE',
    path: '/api/v1/projects/{project_name_or_id}',
    parameters: projectInPath,
    access: 'authenticated',
    tag: 'Projects',
    summary: 'Delete a project',
    description:
      'The owner or an administrator may do this. The name becomes free; the id is never used again.',
    answers: done('The project is deleted.', { project_status: 'deleted' }),
    refuses: [
      'unauthenticated', 'noSuchProject', 'projectOwnerOnly', 'preconditionFailed', 'tooManyConflicts',
    ],
    async handle(services, { path, caller, request }) {
      const found = await findVisibleProject(services, path.project_name_or_id, caller);
      if (found === undefined) {
        return refuse('noSuchProject');
      }
      const { project: current, representation } = found;
      if (!mayEdit(caller, current)) {
        return refuse('projectOwnerOnly');
      }
      const expected = expectVersion(request, tagged(representation), current.version);
      const outcome = await services.projects.delete(
        current, auditContext(services, request, caller), expected,
      );
      return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
    },
  }),
};

function refuseFaultyName(name: string): Refusal<'invalidBody'> | undefined {
  return refuseMember('name', 'pattern', findNameFault(name));
}

function mayEdit({ user }: Caller, { ownerId }: Project): boolean {
  return ownerId === user.id || user.isAdmin;
}

/**
 * An unknown owner is 400 for every caller. Naming another user is 403 unless the caller is an administrator.
 *
 * @returns For an administrator a name, which the insertion looks up.
 */
async function checkNamedOwner(
  services: Services, name: string, caller: Caller,
): Promise<UserAddress | Refusal<'unknownOwner' | 'ownProjectsOnly'>> {
  const { user } = caller;
  if (toNameKey(name) === toNameKey(user.username)) {
    return user;
  }
  if (user.isAdmin) {
    return { name };
  }
  return await findVisible(services, name, caller) === undefined
    ? refuse('unknownOwner', name)
    : refuse('ownProjectsOnly');
}
