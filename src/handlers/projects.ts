/** `/api/v1/projects` */
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Project, ProjectId } from '../model/project.ts';
import type { User } from '../model/user.ts';
import { problems } from '../problems.ts';
import { toNewProjectBody, toOwnerFilter } from '../schemas/projects.ts';
import { parseIdOrName, readPage, readSearch, readText, toListReply } from './parameters.ts';
import type { Services } from './services.ts';

export async function listProjects(services: Services, request: HttpRequest): Promise<Reply> {
  const page = readPage(request.query);
  const search = readSearch(request.query);
  const ownerName = readText(request.query, 'owner') ?? toOwnerFilter(request.body);
  const owner = ownerName === undefined ? undefined : await findOwner(services, ownerName);
  const found = await services.projects.list({ search, page, ownerId: owner?.id });
  return toListReply('projects', request, page, found);
}

export async function readProject(services: Services, request: HttpRequest): Promise<Reply> {
  return jsonReply(200, toProjectRecord(await findAddressedProject(services, request)));
}

export async function createProject(services: Services, request: HttpRequest, { user }: Caller): Promise<Reply> {
  const body = toNewProjectBody(request.body);
  const owner = body.owner === undefined ? user : await findPermittedOwner(services, body.owner, user);
  const outcome = await services.projects.insert({
    name: body.name,
    description: body.description,
    owner,
    dateCreated: toTimestamp(services.clock()),
  });
  switch (outcome.kind) {
    case 'inserted':
      return jsonReply(201, toProjectRecord(outcome.project), { 'Location': `/api/v1/projects/${outcome.project.id}` });
    case 'name-taken':
      throw problems.projectNameTaken();
  }
}

export async function deleteProject(services: Services, request: HttpRequest, { user }: Caller): Promise<Reply> {
  const project = await findAddressedProject(services, request);
  if (project.ownerId !== user.id && !user.isAdmin) {
    throw problems.forbidden('Only its owner or an administrator may delete a project');
  }
  if (!(await services.projects.delete(project))) {
    throw problems.notFound('project'); // somebody else was faster
  }
  return jsonReply(200, { project_status: 'deleted' });
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
