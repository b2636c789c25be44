/** Fills a database through the stores of the service, so that its rows are as the service writes them. */
import { PROGRAM } from '../../src/auth/client.ts';
import { createToken, toLastFour, toTokenDigest } from '../../src/auth/token.ts';
import { createPasswordHasher } from '../../src/auth/password.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { openDatabase } from '../../src/database/open.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { PasswordHash, User, UserId } from '../../src/model/user.ts';
import { toProgramOrigin } from '../../src/model/audit.ts';
import { createFairQueue } from '../../src/scheduling/fair-queue.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { schema } from '../../src/stores/schema.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { toPerson, toProject, toUsername } from './population.ts';

/** A user who sends requests. */
export interface Caller {
  readonly username: string;
  readonly token: string;
}

export const CALLER_COUNT = 16;

/** The password of every filled user; hashed once. */
export const PASSWORD = 'correct horse battery staple';

/**
 * The instant at which all records were created. It is fixed, so that a file depends only on the number of
 * users.
 */
const FILLED_AT = toTimestamp(Date.parse('2026-01-01T00:00:00Z'));
const TOKENS_EXPIRE_AT = toTimestamp(Date.parse('2999-01-01T00:00:00Z'));

const QUOTAS = { projectsPerUserMax: 10_000, tokensPerUserMax: 1_000 };

/** The origin of the filled records in the audit trail: a program. */
const ORIGIN = toProgramOrigin(() => Date.parse(FILLED_AT));

/** The number of users that are inserted at once; the driver joins their writes to transactions. */
const USERS_AT_ONCE = 200;

/**
 * Fills a new file with the first N people of the population and their projects. A power cut may lose
 * writes, since the file can be filled again.
 */
export async function fillDatabase(file: string, userCount: number): Promise<void> {
  await withStores(file, async (stores) => {
    const passwordHash = await hashPassword();
    console.error(`Filling with ${userCount.toLocaleString('en')} users and their projects …`);
    let projectCount = 0;
    for (let first = 0; first < userCount; first += USERS_AT_ONCE) {
      const count = Math.min(USERS_AT_ONCE, userCount - first);
      const people = Array.from({ length: count }, (_, offset) => toPerson(first + offset, userCount));
      const users = await Promise.all(people.map((person) => insertUser(stores, person, passwordHash)));
      const owners = people.flatMap((person, offset) => Array(person.projectCount).fill(users[offset]));
      await Promise.all(owners.map((owner, offset) => insertProject(stores, projectCount + offset, owner)));
      projectCount += owners.length;
    }
  });
}

/** @returns True when the file holds the first N people and nobody else. */
export async function isFilled(file: string, userCount: number): Promise<boolean> {
  return withStores(file, async ({ users }) => {
    const ids = [userCount, userCount + 1].map((id) => id as UserId); // filled users have the ids 1 to N
    const [last, following] = await Promise.all(ids.map((id) => users.find({ id })));
    return last?.username === toUsername(userCount - 1, userCount) && following === undefined;
  });
}

/**
 * Adds the callers, whose password is `PASSWORD`, and a token for each. They come after the filled users, so
 * their new projects appear on no measured page. The names of callers, and of users who register in the run,
 * contain no letters, so no search finds these users.
 */
export async function addCallers(file: string): Promise<readonly Caller[]> {
  return withStores(file, async (stores) => {
    const passwordHash = await hashPassword();
    const names = Array.from({ length: CALLER_COUNT }, (_, index) => `_${index + 1}`);
    return Promise.all(
      names.map(async (username) => {
        const owner = await insertUser(stores, { username, email: 'caller@example.org' }, passwordHash);
        const token = createToken();
        const record = {
          digest: toTokenDigest(token),
          lastFour: toLastFour(token),
          owner,
          name: 'bench',
          scope: 'full',
          dateCreated: FILLED_AT,
          expiresAt: TOKENS_EXPIRE_AT,
        } as const;
        await stores.tokens.insert(record, ORIGIN);
        return { username, token };
      }),
    );
  });
}

type Stores = ReturnType<typeof createStores>;

function createStores(database: Awaited<ReturnType<typeof openDatabase>>) {
  return {
    users: createUserStore(database),
    projects: createProjectStore(database, QUOTAS),
    tokens: createTokenStore(database, QUOTAS),
  };
}

async function withStores<Result>(
  file: string,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({ driver: 'sqlite', path: file, synchronous: 'normal' });
  try {
    await createSchema(database, schema);
    return await work(createStores(database));
  } finally {
    await database.close();
  }
}

async function hashPassword(): Promise<PasswordHash> {
  const queue = createFairQueue({ runningMax: 1, waitMsMax: 0, durationMsGuessed: 0 });
  const outcome = await createPasswordHasher(queue).hash(PASSWORD, PROGRAM);
  if (outcome.kind === 'busy') {
    throw new Error('Cannot hash a password: the queue is full, although nobody else uses it');
  }
  return outcome.result;
}

async function insertUser(
  { users }: Stores,
  { username, email }: { readonly username: string; readonly email: string },
  passwordHash: PasswordHash,
): Promise<User> {
  const user = { username, email, passwordHash, isAdmin: false, dateCreated: FILLED_AT };
  const outcome = await users.insert(user, ORIGIN);
  if (outcome.kind !== 'changed') {
    throw new Error(`Cannot add the user "${username}": ${outcome.kind}`);
  }
  return outcome.result.user;
}

async function insertProject({ projects }: Stores, index: number, owner: User): Promise<void> {
  const outcome = await projects.insert({ ...toProject(index), owner, dateCreated: FILLED_AT }, ORIGIN);
  if (outcome.kind !== 'changed') {
    throw new Error(`Cannot add the project "${toProject(index).name}": ${outcome.kind}`);
  }
}
