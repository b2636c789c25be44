/** The two writers reach the database over a network that delays, reorders and loses changes. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailableError, type Database } from '../../src/database/database.ts';
import { findInconsistencies } from '../../src/extras/data/check.ts';
import type { Origin } from '../../src/model/audit.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { createUserChanges } from '../../src/stores/user-changes.ts';
import { clusterUrl } from '../support/database.ts';
import { each } from '../support/each.ts';
import { createRandom } from '../support/mutations.ts';
import { readColumn } from '../support/sql.ts';
import { openStores, ORIGIN } from '../support/stores.ts';

type Random = ReturnType<typeof createRandom>;

const PROJECTS_MAX = 3;
const STEPS = clusterUrl === undefined ? 300 : 100;
const TURNS_MAX = 20;

each('Two writers whose changes are delayed, reordered and lost keep every rule ({0})', [
  1, 2, 3, 4, 5,
], async (seed, t) => {
  const { database, addUser } = await openStores(t);
  const random = createRandom(seed);
  const origins: Origin[] = [];
  for (const username of ['ada', 'bob', 'root', 'rita']) {
    const user = await addUser(username, { isAdmin: username.startsWith('r') });
    origins.push({ ...ORIGIN, signIn: 'password', user, passwordVersion: 1 });
  }
  const seen = { created: 0, deleted: 0, unknown: 0 };
  await Promise.all([1, 2].map(() => writeAtRandom(createLossy(database, random), random, origins, seen)));

  const read = async (text: string) => Number((await readColumn(database, `SELECT ${text}`))[0]);
  const count = (from: string) => read(`count(*) FROM ${from}`);
  const created = await count("audit_events WHERE action = 'project.create'");
  const deleted = await count("audit_events WHERE action = 'project.delete'");
  assert.equal(await count('projects'), created - deleted, 'every change has its event');
  assert.ok(seen.created > 0 && seen.unknown > 0, 'something happened');
  assert.ok(created >= seen.created && deleted >= seen.deleted, 'no acknowledged change is lost');
  assert.ok(created + deleted <= seen.created + seen.deleted + seen.unknown, 'no refused change is made');
  assert.equal(await count(`users WHERE project_count > ${PROJECTS_MAX}`), 0, 'no quota is exceeded');
  assert.ok(await count('users WHERE is_admin = 1 AND disabled = 0') > 0, 'an administrator is left');
  const events = await count("audit_events WHERE action = 'user.update'");
  assert.equal(await read('sum(version - 1) FROM users'), events, 'every version of a user has its event');
  assert.equal(await count('refusal'), 0);
  assert.deepEqual(await findInconsistencies(database), []);
});

/** Makes `STEPS` random changes, ten at a time. `seen` counts the outcomes. */
async function writeAtRandom(
  database: Database, random: Random, origins: readonly Origin[],
  seen: { created: number; deleted: number; unknown: number },
): Promise<void> {
  const projects = createProjectStore(database, PROJECTS_MAX);
  const users = createUserChanges(database, PROJECTS_MAX);
  const observe = async (kind: 'created' | 'deleted' | undefined, change: Promise<{ kind: string }>) => {
    try {
      const outcome = await change;
      if (kind !== undefined && outcome.kind === 'changed') {
        seen[kind] += 1;
      }
    } catch (error) {
      assert.ok(error instanceof DatabaseUnavailableError, String(error));
      seen.unknown += 1;
    }
  };
  const step = () => {
    const origin = random.pick(origins);
    const name = `p${random.below(9)}`;
    const owner = { id: origin.user?.id ?? assert.fail() };
    const administrator = { name: random.pick(['root', 'rita']) };
    return random.pick([
      () => observe('created', projects.insert({ name, description: '', owner }, origin)),
      () => observe('created', projects.insert({ name, description: '', owner }, origin)),
      () => observe('deleted', projects.delete({ name }, origin)),
      () => observe(undefined, projects.update({ name }, { owner: random.pick(['ada', 'bob']) }, origin)),
      () => observe(undefined, users.update(administrator, { isAdmin: random.below(2) === 0 }, origin)),
      () => observe(undefined, users.update(administrator, { isDisabled: random.below(2) === 0 }, ORIGIN)),
    ])();
  };
  for (let done = 0; done < STEPS; done += 10) {
    await Promise.all(Array.from({ length: 10 }, step));
  }
}

/** Simulates a network that loses some writes, and loses the responses to some other writes. */
function createLossy(database: Database, random: Random): Database {
  const travel = async () => {
    for (let turns = random.below(TURNS_MAX); turns > 0; turns -= 1) {
      await nextTurn();
    }
    if (random.below(20) === 0) {
      throw new DatabaseUnavailableError('lost');
    }
  };
  return {
    ...database,
    async change(statements, readBack) {
      await travel();
      const change = await database.change(statements, readBack);
      await travel();
      return change;
    },
  };
}
