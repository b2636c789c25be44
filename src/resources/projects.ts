/** `/api/v1/projects`: from top to bottom, everything that the API does with projects. */
import { jsonBody, readJson, SMALL_BODY_BYTES_MAX, type BodyRule } from '../api/body.ts';
import { expectVersion, LOST_RIGHTS, onlyChanges, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import {
  idOrName, nameSearch, pageRequest, paging, parameter, sortBy, toNameSearch,
} from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import { changed, created, done, list, record, tagged } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { BODY_BYTES_MAX } from '../http/body.ts';
import { object, optional, text } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { ProjectValues } from '../stores/projects.ts';
import type { UserAddress } from '../stores/users.ts';
import { findVisible, findVisibleProject, onlyVisible } from './directory.ts';
import { HIDDEN, newProjectName, projectNameRule } from './names.ts';

/**
 * Control characters take six bytes in JSON, and SQLite treats NUL as the end of a text. Other characters of
 * `HIDDEN` reverse or hide text. Joiners and variation selectors are allowed: Persian and emoji need them.
 */
const newDescription = text({
  maxLength: 2_000,
  pattern: `^([^${HIDDEN}]|[\\t\\n\\r\\u200c\\u200d\\ufe00-\\ufe0f])*$`,
  title: 'visible text without control characters but tab and line break',
});

const newProject = object({
  name: newProjectName,
  description: optional(newDescription),
  owner: optional(text()),
});

const projectPatch = object({
  name: optional(newProjectName),
  description: optional(newDescription),
  owner: optional(text()),
});

const BODY_OPTIONS = { rules: { name: projectNameRule }, bytesMax: BODY_BYTES_MAX };

/** Any JSON; an object's member `owner` is read. OpenAPI 3.0 allows no body for GET, so none is described. */
const ownerFilter: BodyRule<string | undefined> = {
  bytesMax: SMALL_BODY_BYTES_MAX,
  read(bytes, headers) {
    const json = bytes.length === 0 ? { value: undefined } : readJson(bytes, headers);
    if (isRefusal(json)) {
      return json;
    }
    const { value } = json;
    const owner = typeof value === 'object' && value !== null && Object.hasOwn(value, 'owner')
      && 'owner' in value && value.owner;
    return { value: typeof owner === 'string' ? owner : undefined };
  },
};

export const projectInPath = { project_name_or_id: idOrName<ProjectId>() };

export const projectOperations = {
  listProjects: operation({
    method: 'GET',
    path: '/api/v1/projects',
    access: 'authenticated',
    mayTakeLong: true,
    query: {
      ...nameSearch,
      owner: parameter(text()),
      sort: sortBy('name', 'date_created'),
      ...paging,
    },
    body: ownerFilter,
    replies: list('projects'),
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
    body: jsonBody(newProject, BODY_OPTIONS),
    replies: created,
    refuses: [
      'invalidBody', 'unknownOwner', 'ownProjectsOnly', 'projectNameTaken', 'tooManyProjects',
      ...LOST_RIGHTS,
    ],
    async handle(services, { body, caller, origin }) {
      const { name, description = '' } = body;
      const owner = body.owner === undefined
        ? caller.user
        : await checkNamedOwner(services, body.owner, caller);
      if (isRefusal(owner)) {
        return owner;
      }
      const dateCreated = toTimestamp(services.clock());
      const outcome = await services.projects.insert({ name, description, owner, dateCreated }, origin);
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
    replies: record,
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
    body: jsonBody(projectPatch, BODY_OPTIONS),
    replies: changed,
    refuses: [
      'unauthenticated', 'invalidBody', 'noSuchProject', 'projectOwnerOnly', 'transferByAdministratorOnly',
      'unknownOwner', 'projectNameTaken', 'tooManyProjects', 'preconditionFailed', 'tooManyConflicts',
    ],
    async handle(services, { path, body, caller, origin, request }) {
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
      const outcome = await services.projects.update(current, to, origin, expected);
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
    replies: done({ project_status: 'deleted' }),
    refuses: [
      'unauthenticated', 'noSuchProject', 'projectOwnerOnly', 'preconditionFailed', 'tooManyConflicts',
    ],
    async handle(services, { path, caller, origin, request }) {
      const found = await findVisibleProject(services, path.project_name_or_id, caller);
      if (found === undefined) {
        return refuse('noSuchProject');
      }
      const { project: current, representation } = found;
      if (!mayEdit(caller, current)) {
        return refuse('projectOwnerOnly');
      }
      const expected = expectVersion(request, tagged(representation), current.version);
      const outcome = await services.projects.delete(current, origin, expected);
      return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
    },
  }),
};

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
