/** Workloads with writes come last, so read-only workloads find exactly the data that `fill` created. */
import { ROOT } from '../../test/support/administrator.ts';
import { call, type Answer } from '../../test/support/http-client.ts';
import { toUsername } from './fill.ts';
import { prepare, type PreparedRequest } from './http.ts';

export const WORKLOAD_NAMES = [
  'greeting', 'user', 'list-50', 'list-1000', 'contains', 'contains-short', 'starts-with', 'ends-with',
  'last-page', 'projects-100', 'basic', 'static', 'create-project', 'registration',
] as const;

export type WorkloadName = (typeof WORKLOAD_NAMES)[number];

export interface Workload {
  readonly title: string;
  /** A workload with writes never repeats a request. */
  readonly next: () => PreparedRequest;
  /** Checks the first response. For later responses, only the status is checked. */
  readonly isPlausible: (answer: Answer) => boolean;
  /** Only a workload with slow requests has this limit. */
  readonly connectionsMax?: number;
}

const TOKENS = 16;
/** The number of users that the workload `user` reads. Half of these users own projects. */
const SINGLE_READS = 1000;
const STATIC_FILE = '/static/problems.html';

/** @returns The value of the field `Authorization` for each token. */
export async function issueTokens(port: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: TOKENS }, async () => {
    const { json } = await call(port, 'POST /api/v1/token?expiration=86400', { as: ROOT });
    return `Bearer ${json['token']}`;
  }));
}

export function createWorkloads(
  userCount: number, tokens: readonly string[],
): Readonly<Record<WorkloadName, Workload>> {
  const run = Date.now();
  let sequence = 0; // the number of a write: every write uses a new name

  function list(title: string, member: 'users' | 'projects', query: string, count?: number): Workload {
    const requests = tokens.map((as) => prepare(`GET /api/v1/${member}?${query}`, { as }));
    const isPlausible = ({ json, headers }: Answer) => {
      const { length } = json[member];
      return headers['count'] === String(length) && length === (count ?? length);
    };
    return { title, next: cycle(requests), isPlausible };
  }

  const search = (query: string, count?: number) =>
    list(`first 50 users with ${query}`, 'users', `${query}&items_per_page=50`, count);

  function readUser(index: number): PreparedRequest {
    const userIndex = Math.floor((index * userCount) / SINGLE_READS) + ((index + 1) % 2);
    return prepare(`GET /api/v1/users/${toUsername(userIndex, userCount)}`, { as: tokens[index % TOKENS] });
  }

  function createProject(): PreparedRequest {
    sequence += 1;
    const json = { name: `project-${run}-${sequence}`, description: 'Created while measuring' };
    return prepare('POST /api/v1/projects', { as: tokens[sequence % TOKENS], json }, 201);
  }

  function register(): PreparedRequest {
    sequence += 1;
    const json = { username: `_${run}_${sequence}`, password: 'correct horse', email: 'new@example.org' };
    return prepare('POST /api/v1/users', { json }, 201);
  }

  const lastPage = Math.floor((userCount + 1) / 100); // `userCount` excludes the administrator
  return {
    'greeting': {
      title: 'GET /', next: cycle([prepare('GET /')]),
      isPlausible: ({ json }) => typeof json['message'] === 'string',
    },
    'user': {
      title: `one of ${SINGLE_READS} users by name, with projects; signed in by token`,
      next: cycle(Array.from({ length: SINGLE_READS }, (_, index) => readUser(index))), isPlausible: isUser,
    },
    'list-50': list('first 50 users with projects', 'users', 'items_per_page=50', 50),
    'list-1000': list('first 1000 users with projects, the default page', 'users', '', 1000),
    'contains': search('contains=iramoso', 20),
    'contains-short': search('contains=an'),
    'starts-with': search('starts_with=lindara', 20),
    'ends-with': search('ends_with=kiramoson', 20),
    'last-page': list('last full page of 100 users', 'users', `page=${lastPage}&items_per_page=100`, 100),
    'projects-100': list('first 100 projects', 'projects', 'items_per_page=100', 100),
    'basic': {
      title: 'one user by name; signed in by a password that was verified before',
      next: cycle([prepare(`GET /api/v1/users/${toUsername(1, userCount)}`, { as: ROOT })]),
      isPlausible: isUser,
    },
    'static': {
      title: STATIC_FILE, next: cycle([prepare(`GET ${STATIC_FILE}`)]),
      isPlausible: ({ text }) => text.includes('</html>'),
    },
    'create-project': {
      title: 'a new project, on the disk before the response', next: createProject,
      isPlausible: ({ json }) => json['description'] === 'Created while measuring',
    },
    'registration': {
      title: 'a new user; on four connections, because scrypt is slow', next: register, connectionsMax: 4,
      isPlausible: ({ json }) => json['email'] === 'new@example.org',
    },
  };
}

function cycle(requests: readonly PreparedRequest[]): () => PreparedRequest {
  let index = -1;
  return () => {
    index = (index + 1) % requests.length;
    return requests[index] as PreparedRequest;
  };
}

function isUser({ json }: Answer): boolean {
  return typeof json['username'] === 'string' && Array.isArray(json['projects']);
}
