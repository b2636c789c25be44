/** `/api/v1/projects` */
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { User, UserSummary } from '../model/user.ts';
import { problems } from '../problems.ts';
import { PROJECT_SORT_KEYS } from '../schemas/parameters.ts';
import { toNewProjectBody, toOwnerFilter, toProjectPatch } from '../schemas/projects.ts';
import { answerChanged, answerRecord, change, isChange, refuseFailedPrecondition } from './change.ts';
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
  return answerRecord(request, toShownProject(await findAddressedProject(services, request)));
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
      return jsonReply(201, toProjectRecord(outcome.project), { 'Location': `/api/v1/projects/${outcome.project.id}` });
    case 'name-taken':
      throw problems.projectNameTaken();
    case 'owner-gone': // since they were found
      throw problems.unknownOwner();
  }
}

export async function updateProject(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { owner: ownerName, ...patch } = toProjectPatch(request.body);
  return change(async () => {
    const project = await findAddressedProject(services, request);
    refuseStranger(project, caller);
    const owner = ownerName === undefined ? undefined : await findOwner(services, ownerName);
    const to = { ...project, ...patch, ...(owner && { ownerId: owner.id, owner: toSummary(owner) }) };
    await refuseOthersName(services, project, to.name);
    refuseFailedPrecondition(request, toShownProject(project));
    if (!isChange(project, { ...patch, ownerId: to.ownerId })) {
      return answerChanged(toShownProject(project));
    }
    const outcome = await services.projects.update(project, to, toOrigin(services, request, caller));
    return outcome === 'changed' ? answerChanged(toShownProject({ ...to, version: project.version + 1 })) : outcome;
  });
}

export async function deleteProject(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  return change(async () => {
    const project = await findAddressedProject(services, request);
    refuseStranger(project, caller);
    refuseFailedPrecondition(request, toShownProject(project));
    const outcome = await services.projects.delete(project, toOrigin(services, request, caller));
    return outcome === 'changed' ? jsonReply(200, { project_status: 'deleted' }) : outcome;
  });
}

function refuseStranger({ ownerId }: Project, { user }: Caller): void {
  if (ownerId !== user.id && !user.isAdmin) {
    throw problems.forbidden('Only its owner or an administrator may change or delete a project');
  }
}

async function refuseOthersName({ projects }: Services, project: Project, name: string): Promise<void> {
  if (toNameKey(name) !== toNameKey(project.name) && (await projects.find({ name })) !== undefined) {
    throw problems.projectNameTaken();
  }
}

function toShownProject(project: Project) {
  return { version: project.version, json: JSON.stringify(toProjectRecord(project)) };
}

function toSummary({ username, email }: User): UserSummary {
  return { username, email };
}

export function toProjectRecord({ id, name, description, dateCreated, owner }: Project) {
  return { id, name, description, date_created: dateCreated, owner };
}

async function findAddressedProject({ projects }: Services, request: HttpRequest): Promise<Project> {
  const address = parseIdOrName<ProjectId>(request.pathParameters['project_name_or_id'] ?? '');
  const project = address && (await projects.find(address));
  if (project === undefined) {
    throw problems.notFound('project');
  }
  return project;
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
  const owner = await users.findByName(username);
  if (owner === undefined) {
    throw problems.unknownOwner();
  }
  return owner;
}
