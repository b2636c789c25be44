/** Fills a database with the first N people of the population and their projects, through the stores of the service. */
import type { Database } from '../../src/database/database.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { openDatabase } from '../../src/database/open.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { PasswordHash, User, UserId } from '../../src/model/user.ts';
import { toProgramOrigin } from '../../src/programs/program-origin.ts';
import { PROGRAM } from '../../src/auth/applicants.ts';
import { createPasswords } from '../../src/service.ts';
import { schema } from '../../src/stores/schema.ts';
import { createProjectStore, type ProjectStore } from '../../src/stores/projects.ts';
import { createUserStore, type UserStore } from '../../src/stores/users.ts';
import { gatherWrites } from './batches.ts';
import { toPerson, toProject, toUsername } from './population.ts';
import { startProgress } from '../../src/programs/progress.ts';

/** That of every filled user; hashed once. */
export const PASSWORD = 'correct horse battery staple';

/** Records were created at this instant, so that a filled file depends on nothing but the number of users. */
export const FILLED_AT = toTimestamp(Date.parse('2026-01-01T00:00:00Z'));

/** In the audit trail, the filled records come from a program. */
export const ORIGIN = toProgramOrigin(() => Date.parse(FILLED_AT));

/** Few: SQLite notes what a batch changes in a list in memory, and walks all of it for each statement to come. */
const USERS_PER_BATCH = 30;

interface Stores {
  readonly users: UserStore;
  readonly projects: ProjectStore;
}

/** @param file - A new file; its folder exists. */
export async function fillDatabase(file: string, userCount: number): Promise<void> {
  const database = await openDatabase({ driver: 'sqlite', path: file });
  try {
    await createSchema(database, schema, FILLED_AT);
    await hastenFilling(database);
    await fill(gatherWrites(database), userCount);
  } finally {
    await database.close();
  }
}

/** @returns True when the file holds the first N people and nobody else. */
export async function isFilled(file: string, userCount: number): Promise<boolean> {
  const database = await openDatabase({ driver: 'sqlite', path: file });
  try {
    const users = createUserStore(database);
    await createSchema(database, schema, FILLED_AT);
    const [last, following] = await Promise.all(
      [userCount, userCount + 1].map((id) => users.find({ id: id as UserId })),
    );
    return last?.username === toUsername(userCount - 1, userCount) && following === undefined;
  } finally {
    await database.close();
  }
}

/** @returns A hash of `PASSWORD`. */
export async function hashPassword(): Promise<PasswordHash> {
  const outcome = await createPasswords({ passwordWaitMs: 0 }).hash(PASSWORD, PROGRAM);
  if (outcome.kind === 'busy') {
    throw new Error('Cannot hash a password: the queue is full, although nobody else uses it');
  }
  return outcome.result;
}

/** A power cut would cost nothing but another filling, and indexes in random order are built in memory. */
async function hastenFilling(database: Database): Promise<void> {
  for (const sql of ['PRAGMA synchronous = OFF', 'PRAGMA cache_size = -262144']) {
    await database.read({ sql, parameters: [] });
  }
}

async function fill(database: Database, userCount: number): Promise<void> {
  const stores: Stores = {
    users: createUserStore(database), projects: createProjectStore(database, { projectsPerUserMax: 1_000 }),
  };
  const passwordHash = await hashPassword();
  const progress = startProgress(`Filling with ${userCount.toLocaleString('en')} users and their projects`, userCount);
  let projectCount = 0;
  for (let first = 0; first < userCount; first += USERS_PER_BATCH) {
    const indexes = Array.from({ length: Math.min(USERS_PER_BATCH, userCount - first) }, (_, offset) => first + offset);
    const owners = await Promise.all(indexes.map((index) => insertUser(stores, { ...toPerson(index, userCount), passwordHash })));
    const owned = owners.flatMap((owner, offset) => Array<User>(toPerson(first + offset, userCount).projectCount).fill(owner));
    await Promise.all(owned.map((owner, offset) => insertProject(stores, projectCount + offset, owner)));
    projectCount += owned.length;
    progress.update(first + indexes.length);
  }
  progress.end();
}

async function insertUser(
  { users }: Stores,
  { username, email, passwordHash }: { username: string; email: string; passwordHash: PasswordHash },
): Promise<User> {
  const outcome = await users.insert({ username, email, passwordHash, isAdmin: false, dateCreated: FILLED_AT }, ORIGIN);
  if (outcome.kind !== 'inserted') {
    throw new Error(`Cannot fill: the user "${username}" is refused: ${outcome.kind}`);
  }
  return outcome.user;
}

async function insertProject({ projects }: Stores, index: number, owner: User): Promise<void> {
  const outcome = await projects.insert({ ...toProject(index), owner, dateCreated: FILLED_AT }, ORIGIN);
  if (outcome.kind !== 'inserted') {
    throw new Error(`Cannot fill: the project "${toProject(index).name}" is refused: ${outcome.kind}`);
  }
}
