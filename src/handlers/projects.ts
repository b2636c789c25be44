/** `/api/v1/projects` */
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { User } from '../model/user.ts';
import { problems } from '../problems.ts';
import { PROJECT_SORT_KEYS } from '../schemas/parameters.ts';
import { toNewProjectBody, toOwnerFilter, toProjectPatch } from '../schemas/projects.ts';
import type { FoundProject } from '../stores/projects.ts';
import {
  answerChanged,
  answerRecord,
  change,
  isChange,
  refuseFailedPrecondition,
  toLostRightProblem,
} from './change.ts';
import { toOrigin } from './origin.ts';
import { parseIdOrName, readAll, readPage, readSearch, readSort, readText, toListReply } from './parameters.ts';
import type { Services } from './services.ts';

export async function listProjects(services: Services, request: HttpRequest): Promise<Reply> {
  const [page, search, sort] = readAll(
    () => readPage(request.query),
    () => readSearch(request.query),
    () => readSort(request.query, PROJECT_SORT_KEYS),
  );
  const ownerName = readText(request.query, 'owner') ?? toOwnerFilter(request.body);
  const owner = ownerName === undefined ? undefined : await findOwner(services, ownerName);
  const found = await services.projects.list({ search, sort, page, ownerId: owner?.id });
  return toListReply('projects', request, page, found);
}

export async function readProject(services: Services, request: HttpRequest): Promise<Reply> {
  return answerRecord(request, (await findAddressedProject(services, request)).representation);
}

export async function createProject(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { user } = caller;
  const body = toNewProjectBody(request.body);
  const owner = body.owner === undefined ? user : await findPermittedOwner(services, body.owner, user);
  const { name, description } = body;
  const project = { name, description, owner, dateCreated: toTimestamp(services.clock()) };
  const outcome = await services.projects.insert(project, toOrigin(services, request, caller));
  switch (outcome.kind) {
    case 'inserted':
      return jsonTextReply(
        201, outcome.representation.json, { 'Location': `/api/v1/projects/${outcome.representation.id}` },
      );
    case 'name-taken':
      throw problems.projectNameTaken();
    case 'owner-gone': // since they were found
      throw problems.unknownOwner();
    case 'too-many-projects':
      throw problems.tooManyProjects();
    case 'credentials-revoked':
    case 'role-lost':
      throw toLostRightProblem(outcome);
  }
}

export async function updateProject(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { owner: ownerName, ...patch } = toProjectPatch(request.body);
  return change(async () => {
    const { project, representation } = await findAddressedProject(services, request);
    refuseStranger(project, caller);
    const owner = ownerName === undefined ? undefined : await findOwner(services, ownerName);
    const to = { ...project, ...patch, ...(owner && { ownerId: owner.id }) };
    refuseHandOver(project, to, caller);
    await refuseOthersName(services, project, to.name);
    refuseFailedPrecondition(request, representation);
    if (!isChange(project, { ...patch, ownerId: to.ownerId })) {
      return answerChanged(representation);
    }
    const outcome = await services.projects.update(project, to, toOrigin(services, request, caller));
    switch (outcome.kind) {
      case 'changed':
        return answerChanged(outcome.representation);
      case 'conflict':
        return outcome.kind;
      case 'too-many-projects':
        throw problems.tooManyProjects();
      case 'credentials-revoked':
      case 'role-lost':
        throw toLostRightProblem(outcome);
    }
  });
}

export async function deleteProject(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  return change(async () => {
    const { project, representation } = await findAddressedProject(services, request);
    refuseStranger(project, caller);
    refuseFailedPrecondition(request, representation);
    const outcome = await services.projects.delete(project, toOrigin(services, request, caller));
    switch (outcome.kind) {
      case 'deleted':
        return jsonReply(200, { project_status: 'deleted' });
      case 'conflict':
        return outcome.kind;
      case 'credentials-revoked':
      case 'role-lost':
        throw toLostRightProblem(outcome);
    }
  });
}

function refuseStranger({ ownerId }: Project, { user }: Caller): void {
  if (ownerId !== user.id && !user.isAdmin) {
    throw problems.forbidden('Only its owner or an administrator may change or delete a project');
  }
}

/** Nobody can be given what they did not ask for, but by an administrator. */
function refuseHandOver(from: Project, to: Pick<Project, 'ownerId'>, { user }: Caller): void {
  if (to.ownerId !== from.ownerId && !user.isAdmin) {
    throw problems.forbidden('Only an administrator may hand a project over');
  }
}

async function refuseOthersName({ projects }: Services, project: Project, name: string): Promise<void> {
  if (toNameKey(name) !== toNameKey(project.name) && (await projects.find({ name })) !== undefined) {
    throw problems.projectNameTaken();
  }
}

async function findAddressedProject({ projects }: Services, request: HttpRequest): Promise<FoundProject> {
  const address = parseIdOrName<ProjectId>(request.pathParameters['project_name_or_id'] ?? '');
  const found = address && (await projects.find(address));
  if (found === undefined) {
    throw problems.notFound('project');
  }
  return found;
}

/** A name that is nobody's is 400 for everybody, as the specification has it for the list; another's is not for all. */
async function findPermittedOwner(services: Services, username: string, user: User): Promise<User> {
  if (toNameKey(username) === toNameKey(user.username)) {
    return user;
  }
  const owner = await findOwner(services, username);
  if (!user.isAdmin) {
    throw problems.forbidden('Only an administrator may create a project for somebody else');
  }
  return owner;
}

async function findOwner({ users }: Services, username: string): Promise<User> {
  const owner = await users.find({ name: username });
  if (owner === undefined) {
    throw problems.unknownOwner();
  }
  return owner;
}
