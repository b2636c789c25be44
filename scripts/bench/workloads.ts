/**
 * The requests of each workload, in the order of measurement: workloads that write come last, so that the
 * pages of the others stay as they were filled.
 */
import { CALLER_COUNT, PASSWORD, type Caller } from './fill.ts';
import { findHeader, prepare, type Answer, type PreparedRequest } from './http.ts';
import { toSearch, toUsername, type SearchName } from './population.ts';

export const WORKLOAD_NAMES = [
  'greeting', 'user', 'list-50', 'list-1000',
  'contains', 'starts-with', 'ends-with', 'prefix-and-suffix', 'contains-common', 'contains-short',
  'last-page', 'projects-100', 'basic', 'static', 'static-304',
  'create-project', 'mix', 'registration',
] as const;

export type WorkloadName = (typeof WORKLOAD_NAMES)[number];

/** Workloads whose growth with the number of users is of interest. */
export const SCALE_WORKLOAD_NAMES: readonly WorkloadName[] = [
  'user', 'list-50', 'contains', 'starts-with', 'ends-with', 'prefix-and-suffix',
  'contains-common', 'contains-short', 'last-page',
];

export interface Workload {
  readonly title: string;
  /** The next request; workloads that write never repeat one. */
  readonly next: () => PreparedRequest;
  /** Checks the whole first answer; of all later answers only the status is checked. */
  readonly isPlausible: (answer: Answer) => boolean;
  /** The most connections, for a workload of which the service handles only a few requests at a time. */
  readonly connectionCountMax?: number;
  /** The bare server has one answer only, so a mix is measured without it. */
  readonly isMix?: true;
}

interface World {
  readonly userCount: number;
  readonly callers: readonly Caller[];
  /** The entity tag of `STATIC_FILE`. */
  readonly staticTag: string;
}

export const STATIC_FILE = '/static/problems.html';

/** The number of different users that are read, evenly spread over all. Every second one owns projects. */
const SINGLE_READS = 1000;
const LAST_PAGE_SIZE = 100;
const SEARCH_PAGE_SIZE = 50;

/**
 * The connections of registrations. More would only measure the queue: scrypt takes 150 ms, two at a time.
 */
const REGISTRATION_CONNECTIONS = 4;

/** The ten parts of the mix; a read of one user follows each part. */
const MIX: readonly Exclude<WorkloadName, 'mix'>[] = [
  'list-50', 'create-project', 'contains', 'greeting', 'list-50',
  'starts-with', 'projects-100', 'create-project', 'ends-with', 'list-50',
];

export function createWorkloads(world: World): Readonly<Record<WorkloadName, Workload>> {
  const { userCount, callers, staticTag } = world;
  const usernames = Array.from({ length: userCount }, (_, index) => toUsername(index, userCount));
  const run = Date.now();
  let sequence = 0; // numbers the writes, so that no two use the same name

  const authorizationOf = (index: number) => `Bearer ${callers[index % callers.length]?.token}`;

  function list(member: 'users' | 'projects', query: string, itemCount: number) {
    const target = `GET /api/v1/${member}${query}`;
    const requests = callers.map((_, index) => prepare(target, { authorization: authorizationOf(index) }));
    const isPlausible = (answer: Answer) => countItems(answer, member) === itemCount;
    return { next: cycle(requests), isPlausible };
  }

  function search(name: SearchName): Workload {
    const { query, matchCount } = toSearch(name, usernames);
    const title = `${query}, which ${matchCount} of ${userCount} match; first ${SEARCH_PAGE_SIZE}`;
    const itemCount = Math.min(matchCount, SEARCH_PAGE_SIZE);
    return { title, ...list('users', `?${query}&items_per_page=${SEARCH_PAGE_SIZE}`, itemCount) };
  }

  function readUser(index: number): PreparedRequest {
    const userIndex = Math.floor((index * userCount) / SINGLE_READS) + ((index + 1) % 2);
    return prepare(`GET /api/v1/users/${usernames[userIndex]}`, { authorization: authorizationOf(index) });
  }

  function createProject(): PreparedRequest {
    sequence += 1;
    const json = { name: `project-${run}-${sequence}`, description: 'Created while measuring' };
    const authorization = authorizationOf(sequence);
    return prepare('POST /api/v1/projects', { authorization, json, status: 201 });
  }

  function register(): PreparedRequest {
    sequence += 1;
    const json = { username: `_${run}_${sequence}`, password: PASSWORD, email: 'newcomer@example.org' };
    return prepare('POST /api/v1/users', { json, status: 201 });
  }

  const lastPage = Math.floor((userCount + CALLER_COUNT) / LAST_PAGE_SIZE);
  const basic = `Basic ${Buffer.from(`${callers[0]?.username}:${PASSWORD}`).toString('base64')}`;
  const workloads: Readonly<Record<Exclude<WorkloadName, 'mix'>, Workload>> = {
    'greeting': {
      title: 'GET /',
      next: cycle([prepare('GET /')]),
      isPlausible: ({ body }) => typeof parse(body)['message'] === 'string',
    },
    'user': {
      title: `one of ${SINGLE_READS} users by name, with projects; by token, like all that follow`,
      next: cycle(Array.from({ length: SINGLE_READS }, (_, index) => readUser(index))),
      isPlausible: isUser,
    },
    'list-50': { title: 'first 50 users with projects', ...list('users', '?items_per_page=50', 50) },
    'list-1000': { title: 'first 1000 users with projects, the default page', ...list('users', '', 1000) },
    'contains': search('contains'),
    'starts-with': search('starts-with'),
    'ends-with': search('ends-with'),
    'prefix-and-suffix': search('prefix-and-suffix'),
    'contains-common': search('contains-common'),
    'contains-short': search('contains-short'),
    'last-page': {
      title: `last full page of ${LAST_PAGE_SIZE} users with projects`,
      ...list('users', `?page=${lastPage}&items_per_page=${LAST_PAGE_SIZE}`, LAST_PAGE_SIZE),
    },
    'projects-100': { title: 'first 100 projects', ...list('projects', '?items_per_page=100', 100) },
    'basic': {
      title: 'one user by name, by a password that was verified before',
      next: cycle([prepare(`GET /api/v1/users/${usernames[1]}`, { authorization: basic })]),
      isPlausible: isUser,
    },
    'static': {
      title: STATIC_FILE,
      next: cycle([prepare(`GET ${STATIC_FILE}`)]),
      isPlausible: ({ body }) => body.includes('</html>'),
    },
    'static-304': {
      title: `${STATIC_FILE}, not modified`,
      next: cycle([prepare(`GET ${STATIC_FILE}`, { headers: { 'If-None-Match': staticTag }, status: 304 })]),
      isPlausible: (answer) => findHeader(answer, 'ETag') === staticTag,
    },
    'create-project': {
      title: 'a new project, on the disk before it is answered',
      next: createProject,
      isPlausible: ({ body }) => parse(body)['description'] === 'Created while measuring',
    },
    'registration': {
      title: `a new user; bound by scrypt, so few requests, over ${REGISTRATION_CONNECTIONS} connections`,
      next: register,
      isPlausible: ({ body }) => parse(body)['email'] === 'newcomer@example.org',
      connectionCountMax: REGISTRATION_CONNECTIONS,
    },
  };
  return {
    ...workloads,
    'mix': {
      title: 'users 50%, lists of 50 15%, searches 15%, new projects 10%, projects 5%, greetings 5%',
      next: interleave(MIX.flatMap((name) => [workloads.user.next, workloads[name].next])),
      isPlausible: isUser, // checks the answer to the first request
      isMix: true,
    },
  };
}

/** Gives the requests in turn, and begins again after the last. */
function cycle(requests: readonly PreparedRequest[]): () => PreparedRequest {
  return interleave(requests.map((request) => () => request));
}

function interleave(sources: readonly (() => PreparedRequest)[]): () => PreparedRequest {
  let index = -1;
  return () => {
    index = (index + 1) % sources.length;
    const source = sources[index];
    if (source === undefined) {
      throw new Error('A workload needs at least one request');
    }
    return source();
  };
}

function isUser({ body }: Answer): boolean {
  const { username, projects } = parse(body);
  return typeof username === 'string' && Array.isArray(projects);
}

/** The number of records in a list, provided that its `Count` field says the same. */
function countItems(answer: Answer, member: 'users' | 'projects'): number | undefined {
  const items = parse(answer.body)[member];
  const isCounted = Array.isArray(items) && findHeader(answer, 'Count') === String(items.length);
  return isCounted ? items.length : undefined;
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(body.toString());
}
