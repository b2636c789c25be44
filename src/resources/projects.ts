/** The operations on projects, at `/api/v1/projects`. */
import { jsonBody, readJson, DEFAULT_BODY_BYTES_MAX, type BodyRule } from '../api/body.ts';
import { operation } from '../api/operation.ts';
import { listQuery, nameSearch, toListRequest } from '../api/parameters.ts';
import { refuse, resultOf } from '../api/problems.ts';
import { changed, created, expectVersion, list, record, words } from '../api/replies.ts';
import { BODY_BYTES_MAX } from '../http/body.ts';
import { object, optional, text } from '../jsonschema/schema.ts';
import { idOrName } from '../model/name.ts';
import type { ProjectId } from '../stores/projects.ts';
import { newProjectName } from './rules.ts';

/**
 * Refuses control characters, because each of them takes six bytes in JSON. Also refuses characters that
 * override the text direction (UAX #9 §2.2).
 */
const newDescription = text({
  maxLength: 2_000,
  pattern: '^([^\\p{Cc}\\u202d\\u202e]|[\\t\\n\\r])*$',
  title: 'text without direction overrides, and without control characters except tab and line break',
});

const optionalMembers = { description: optional(newDescription), owner: optional(text()) };
const newProject = object({ name: newProjectName, ...optionalMembers });
const projectPatch = object({ name: optional(newProjectName), ...optionalMembers });

/** Reads any JSON from the body of a GET request. The handler uses only the member `owner`. */
const anyJson: BodyRule<unknown> = {
  bytesMax: DEFAULT_BODY_BYTES_MAX,
  read: (bytes, headers) => (bytes.length === 0 ? { value: undefined } : readJson(bytes, headers)),
};

export const projectOperations = {
  listProjects: operation({
    method: 'GET',
    path: '/api/v1/projects',
    access: 'authenticated',
    query: { ...nameSearch, owner: text(), ...listQuery('name', 'date_created') },
    body: anyJson,
    replies: list('projects'),
    refuses: ['unknownOwner'],
    async handle({ users, projects }, { query, body, caller: { visibleUserId } }) {
      const { owner: fromBody }: { readonly owner?: unknown } = Object(body);
      const name = query.owner ?? (typeof fromBody === 'string' && fromBody !== '' ? fromBody : undefined);
      const owner = name === undefined ? undefined : await users.find({ name }, visibleUserId);
      if (name !== undefined && owner === undefined) {
        return refuse('unknownOwner');
      }
      const ownerId = owner?.id ?? visibleUserId;
      return projects.list({ ...toListRequest(query), ownerId });
    },
  }),

  createProject: operation({
    method: 'POST',
    path: '/api/v1/projects',
    access: 'authenticated',
    body: jsonBody(newProject, { bytesMax: BODY_BYTES_MAX }),
    replies: created('/api/v1/projects'),
    refuses: [
      'unauthenticated', 'unknownOwner', 'ownProjectsOnly', 'tooManyProjects', 'projectNameTaken',
    ],
    async handle({ projects }, { body, caller, origin }) {
      const { name, description = '' } = body;
      const owner = body.owner === undefined ? caller.user : { name: body.owner };
      return resultOf(await projects.insert({ name, description, owner }, origin()));
    },
  }),

  readProject: operation({
    method: 'GET',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    replies: record,
    refuses: ['noSuchProject'],
    async handle({ projects }, { path, caller }) {
      const project = await projects.find(idOrName(path.project_name_or_id), caller.visibleUserId);
      return project ?? refuse('noSuchProject');
    },
  }),

  updateProject: operation({
    method: 'PATCH',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    body: jsonBody(projectPatch, { bytesMax: BODY_BYTES_MAX }),
    replies: changed,
    refuses: [
      'unauthenticated', 'noSuchProject', 'projectOwnerOnly', 'unknownOwner', 'transferByAdministratorOnly',
      'tooManyProjects', 'projectNameTaken', 'preconditionFailed',
    ],
    async handle({ projects }, { path, body, caller, origin, request }) {
      const project = idOrName<ProjectId>(path.project_name_or_id);
      const expected = await expectVersion(request, () => projects.find(project, caller.visibleUserId));
      return resultOf(await projects.update(project, body, origin(), expected));
    },
  }),

  deleteProject: operation({
    method: 'DELETE',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    replies: words({ project_status: 'deleted' }),
    refuses: ['unauthenticated', 'noSuchProject', 'projectOwnerOnly', 'preconditionFailed'],
    async handle({ projects }, { path, caller, origin, request }) {
      const project = idOrName<ProjectId>(path.project_name_or_id);
      const expected = await expectVersion(request, () => projects.find(project, caller.visibleUserId));
      return resultOf(await projects.delete(project, origin(), expected));
    },
  }),
};
