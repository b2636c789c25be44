/** `/api/v1/projects`: from top to bottom, everything that the API does with projects. */
import { jsonBody, readJson, SMALL_BODY_BYTES_MAX, type BodyRule } from '../api/body.ts';
import { expectVersion, originOf, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import {
  idOrName, nameSearch, pageRequest, paging, sortBy, sortOrder, toNameSearch,
} from '../api/parameters.ts';
import { isRefusal, refuse } from '../api/refusal.ts';
import { changed, created, list, record, tagged, words } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { BODY_BYTES_MAX } from '../http/body.ts';
import type { HttpRequest } from '../http/message.ts';
import { object, optional, text } from '../jsonschema/typed.ts';
import type { IdOrName } from '../model/name.ts';
import type { ProjectId } from '../model/project.ts';
import type { ExpectedVersion } from '../stores/guards.ts';
import { HIDDEN, newProjectName } from './rules.ts';

/**
 * Control characters take six bytes in JSON, and SQLite treats NUL as the end of a text. Other characters of
 * `HIDDEN` reverse or hide text. Joiners and variation selectors are allowed: Persian and emoji need them.
 */
const newDescription = text({
  maxLength: 2_000,
  pattern: `^([^${HIDDEN}]|[\\t\\n\\r\\u200c\\u200d\\ufe00-\\ufe0f])*$`,
  title: 'text without invisible characters, except tab and line break',
});

const optionalMembers = { description: optional(newDescription), owner: optional(text()) };
const newProject = object({ name: newProjectName, ...optionalMembers });
const projectPatch = object({ name: optional(newProjectName), ...optionalMembers });

/**
 * A GET may carry any JSON; the member `owner` of an object is read. OpenAPI 3.0 allows no body for GET, so
 * the API document leaves it out.
 */
const ownerFilter: BodyRule<string | undefined> = {
  bytesMax: SMALL_BODY_BYTES_MAX,
  read(bytes, headers) {
    const json = bytes.length === 0 ? { value: undefined } : readJson(bytes, headers);
    if (isRefusal(json)) {
      return json;
    }
    const { owner }: { readonly owner?: unknown } = Object(json.value);
    return { value: typeof owner === 'string' ? owner : undefined };
  },
};

export const projectOperations = {
  listProjects: operation({
    method: 'GET',
    path: '/api/v1/projects',
    access: 'authenticated',
    mayTakeLong: true,
    query: { ...nameSearch, owner: text(), sort: sortBy('name', 'date_created'), ...paging },
    body: ownerFilter,
    replies: list('projects'),
    refuses: ['unknownOwner'],
    async handle({ users, projects }, { query, body, caller: { only } }) {
      const name = query.owner ?? body;
      const owner = name === undefined ? undefined : await users.find({ name }, only);
      if (name !== undefined && owner === undefined) {
        return refuse('unknownOwner', name);
      }
      const page = pageRequest(query);
      const found = await projects.list({
        search: toNameSearch(query), page, sort: sortOrder(query.sort), ownerId: owner?.id ?? only,
      });
      return { page, found };
    },
  }),

  createProject: operation({
    method: 'POST',
    path: '/api/v1/projects',
    access: 'authenticated',
    body: jsonBody(newProject, { bytesMax: BODY_BYTES_MAX }),
    replies: created,
    refuses: [
      'unauthenticated', 'invalidBody', 'unknownOwner', 'ownProjectsOnly', 'tooManyProjects',
      'projectNameTaken',
    ],
    async handle(services, { body, caller, request }) {
      const origin = originOf(services, request, caller);
      const { name, description = '' } = body;
      const owner = body.owner === undefined ? caller.user : { name: body.owner };
      const outcome = await services.projects.insert({ name, description, owner }, origin);
      if (outcome.kind === 'refused') {
        return refuseFailed(outcome, { projectNameTaken: name, unknownOwner: body.owner });
      }
      return { json: outcome.result.json, location: `/api/v1/projects/${outcome.result.id}` };
    },
  }),

  readProject: operation({
    method: 'GET',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    replies: record,
    refuses: ['noSuchProject'],
    async handle({ projects }, { path, caller }) {
      const found = await projects.find(idOrName(path.project_name_or_id), caller.only);
      return found === undefined ? refuse('noSuchProject') : tagged(found);
    },
  }),

  updateProject: operation({
    method: 'PATCH',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    body: jsonBody(projectPatch, { bytesMax: BODY_BYTES_MAX }),
    replies: changed,
    refuses: [
      'unauthenticated', 'invalidBody', 'noSuchProject', 'projectOwnerOnly', 'unknownOwner',
      'transferByAdministratorOnly', 'tooManyProjects', 'projectNameTaken', 'preconditionFailed',
    ],
    async handle(services, { path, body, caller, request }) {
      const origin = originOf(services, request, caller);
      const project = idOrName<ProjectId>(path.project_name_or_id);
      const expected = await expectProjectVersion(services, project, caller, request);
      const outcome = await services.projects.update(project, body, origin, expected);
      return outcome.kind === 'refused'
        ? refuseFailed(outcome, { unknownOwner: body.owner, projectNameTaken: body.name })
        : tagged(outcome.result);
    },
  }),

  deleteProject: operation({
    method: 'DELETE',
    path: '/api/v1/projects/{project_name_or_id}',
    access: 'authenticated',
    replies: words({ project_status: 'deleted' }),
    refuses: ['unauthenticated', 'noSuchProject', 'projectOwnerOnly', 'preconditionFailed'],
    async handle(services, { path, caller, request }) {
      const origin = originOf(services, request, caller);
      const project = idOrName<ProjectId>(path.project_name_or_id);
      const expected = await expectProjectVersion(services, project, caller, request);
      const outcome = await services.projects.delete(project, origin, expected);
      return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
    },
  }),
};

function expectProjectVersion(
  { projects }: Services, ref: IdOrName<ProjectId>, { only }: Caller, request: HttpRequest,
): Promise<ExpectedVersion> {
  return expectVersion(request, async () => {
    const found = await projects.find(ref, only);
    return found && { ...tagged(found), version: found.version };
  });
}
