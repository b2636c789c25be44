/** Totals of lists over all pages, and lists of users by role and state. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import type { Database, SqlValue } from '../../src/database/database.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { NameSearch } from '../../src/model/name.ts';
import { toGrams } from '../../src/stores/grams.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { schema } from '../../src/stores/schema.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { openTestDatabase, withoutStaleReads } from '../support/database.ts';
import { readItems } from '../support/list.ts';
import { QUOTAS } from '../support/quotas.ts';

const ALL: NameSearch = { kind: 'all' };
const EXACT = 'exact' as const;
const BOTH = [undefined, true, false];

/** Enough for three blocks of 8192 ids. */
const COUNT = 20_000;

interface Person {
  readonly id: number;
  readonly username: string;
  readonly is_admin: boolean;
  readonly disabled: boolean;
}

/** Every seventh user is an administrator, every fifth is disabled; names descend while ids ascend. */
function toPerson(id: number): Person {
  return { id, username: `u${90_000 - id}`, is_admin: id % 7 === 0, disabled: id % 5 === 0 };
}

async function openWorld(context: TestContext, people: readonly Person[]) {
  const database = withoutStaleReads(await openTestDatabase(context));
  await createSchema(database, schema, toTimestamp(0));
  const rows = people.map(({ id, username, is_admin, disabled }) => [
    id, username, toGrams(username as never), Number(is_admin), Number(disabled),
  ]);
  for (let from = 0; from < rows.length; from += 5_000) {
    await run(database, `
      INSERT INTO users
        (id, username, username_key, username_grams, email, password_hash, is_admin, disabled, date_created)
      SELECT value->>0, value->>1, value->>1, value->>2, '', '', value->>3, value->>4, '' FROM json_each(?)`,
      JSON.stringify(rows.slice(from, from + 5_000)));
  }
  return { database, users: createUserStore(database) };
}

async function run(database: Database, sql: string, ...parameters: SqlValue[]): Promise<void> {
  await database.write([{ sql, parameters }]);
}

/** The users of a list, in its order, computed from all users in memory. */
function select(people: readonly Person[], { isAdmin, isDisabled }: {
  isAdmin: boolean | undefined; isDisabled: boolean | undefined;
}, part = ''): Person[] {
  return people.filter(({ username, is_admin, disabled }) =>
    username.includes(part) && is_admin === (isAdmin ?? is_admin) && disabled === (isDisabled ?? disabled));
}

for (const isAdmin of BOTH) {
  for (const isDisabled of BOTH) {
    const filter = { isAdmin, isDisabled };
    const title = `is_admin ${isAdmin ?? 'any'} and disabled ${isDisabled ?? 'any'}`;

    test(`Pages and totals of users with ${title} are exact in every order`, async (context) => {
      const people = Array.from({ length: COUNT }, (_, index) => toPerson(index + 1));
      const { database, users } = await openWorld(context, people);
      await run(database, 'DELETE FROM users WHERE id BETWEEN 100 AND 300 OR id % 11 = 0');
      await run(database, 'UPDATE users SET is_admin = 1 - is_admin WHERE id % 13 = 0');
      await run(database, 'UPDATE users SET disabled = 1 - disabled WHERE id % 17 = 0');
      const left = people.filter(({ id }) => (id < 100 || id > 300) && id % 11 !== 0).map((person) => ({
        ...person,
        is_admin: person.is_admin !== (person.id % 13 === 0),
        disabled: person.disabled !== (person.id % 17 === 0),
      }));
      const expected = select(left, filter).map(({ id }) => id);
      const last = Math.ceil(expected.length / 100);
      for (const by of ['id', 'username'] as const) {
        for (const isDescending of [false, true]) {
          const isReversed = isDescending === (by === 'id'); // names descend while ids ascend
          const ids = isReversed ? expected.toReversed() : expected;
          for (const number of [1, 2, 83, last - 1, last, last + 1, 1_000_000].filter((page) => page > 0)) {
            const page = { number, sizeMax: 100 };
            const found = await users.list({ search: ALL, page, filter, sort: { by, isDescending } });
            const shown = (await readItems(found)).map(({ id }) => id);
            assert.deepEqual(shown, ids.slice((number - 1) * 100, number * 100), `${by} ${number}`);
            assert.deepEqual(found.total, { count: expected.length, relation: EXACT });
            assert.equal(found.hasNext, number < last);
          }
        }
      }
    });

    test(`A search among users with ${title} is exact, among few and among many`, async (context) => {
      const people = Array.from({ length: 3_000 }, (_, index) => toPerson(index + 1));
      const few = people.map((person) => ({ ...person, is_admin: person.id % 500 === 0 }));
      for (const world of [people, few]) {
        const { users } = await openWorld(context, world);
        for (const part of ['u8', '889', '9', 'nobody']) {
          const search = { kind: 'contains', text: part } as NameSearch;
          const expected = select(world, filter, part);
          for (const number of [1, 2, 9]) {
            const found = await users.list({ search, page: { number, sizeMax: 40 }, filter });
            assert.deepEqual(
              (await readItems(found)).map(({ id }) => id),
              expected.map(({ id }) => id).slice((number - 1) * 40, number * 40),
            );
            const { count, relation } = found.total;
            assert.ok(relation === EXACT ? count === expected.length : count <= expected.length);
            assert.ok(relation === EXACT || count >= Math.min(expected.length, (number - 1) * 40 + 1));
          }
        }
      }
    });
  }
}

test('A search has an exact total for 1000 candidates, and a lower bound for 1001', async (t) => {
  const people = Array.from({ length: 1_001 }, (_, index) => toPerson(index + 1));
  const search = { kind: 'contains', text: 'u8' } as NameSearch;
  const { users, database } = await openWorld(t, people);
  const page = { number: 1, sizeMax: 10 };
  assert.deepEqual((await users.list({ search, page })).total, { count: 1_001, relation: 'at_least' });
  await run(database, 'DELETE FROM users WHERE id = 7');
  assert.deepEqual((await users.list({ search, page })).total, { count: 1_000, relation: EXACT });
});

test('A lower bound is at least the number of items up to the current page', async (t) => {
  const people = Array.from({ length: 2_500 }, (_, index) => toPerson(index + 1));
  const { users } = await openWorld(t, people);
  const search = { kind: 'contains', text: 'u8' } as NameSearch;
  const found = await users.list({ search, page: { number: 2, sizeMax: 1_000 } });
  assert.deepEqual(found.total, { count: 2_001, relation: 'at_least' });
  const last = await users.list({ search, page: { number: 3, sizeMax: 1_000 } });
  assert.deepEqual(last.total, { count: 2_500, relation: EXACT });
});

test('The total of projects is exact for all and for an owner, and bounded for a search', async (t) => {
  const { database } = await openWorld(t, [toPerson(1), toPerson(2)]);
  const projects = createProjectStore(database, QUOTAS);
  await run(database, `
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1500)
    INSERT INTO projects (name, name_key, description, owner_id, date_created)
    SELECT 'p' || id, 'p' || id, '', 1 + (id > 30), '' FROM ids`);
  const page = { number: 1, sizeMax: 10 };
  const totalOf = async (search: NameSearch, ownerId: number | undefined) =>
    (await projects.list({ search, page, ownerId: ownerId as never })).total;
  const named = (text: string) => ({ kind: 'contains', text }) as NameSearch;
  assert.deepEqual(await totalOf(ALL, undefined), { count: 1_500, relation: EXACT });
  assert.deepEqual(await totalOf(ALL, 1), { count: 30, relation: EXACT });
  assert.deepEqual(await totalOf(named('p'), 1), { count: 30, relation: EXACT });
  assert.deepEqual(await totalOf(named('p'), undefined), { count: 1_001, relation: 'at_least' });
  assert.deepEqual(await totalOf(named('p777'), undefined), { count: 1, relation: EXACT });
});

test('The statements of all combinations of list parameters fit into the limit of one process', async (t) => {
  const people = Array.from({ length: 9_000 }, (_, index) => toPerson(index + 1));
  const { database, users } = await openWorld(t, people);
  const stores = {
    projects: createProjectStore(database, QUOTAS), tokens: createTokenStore(database, QUOTAS),
    audit: createAuditStore(database),
  };
  const searches = [ALL, { kind: 'contains', text: 'a' }, { kind: 'affixes', prefix: 'a', suffix: '' }];
  const orders = ['id', 'username', 'date_created'].flatMap(
    (by) => [false, true].map((isDescending) => ({ by, isDescending })),
  );
  const toProjectOrder = ({ by, ...order }: (typeof orders)[number]) =>
    ({ ...order, by: by === 'username' ? 'name' : by }) as never;
  const now = toTimestamp(0);
  for (const [number, short] of [[1, ''], [9_000, ''], [1, null], [9_000, null]] as const) {
    await run(database, 'UPDATE users SET short_projects = ? WHERE short_projects IS NOT ?', short, short);
    const page = { number, sizeMax: 1 };
    for (const search of searches as NameSearch[]) {
      for (const order of orders) {
        const sort = order as never;
        for (const isAdmin of BOTH) {
          for (const isDisabled of BOTH) {
            await users.list({ search, page, sort, filter: { isAdmin, isDisabled } });
          }
        }
        for (const ownerId of [undefined, 1 as never]) {
          await stores.projects.list({ search, page, sort: toProjectOrder(order), ownerId });
        }
      }
    }
    for (const userId of [undefined, 1 as never]) {
      for (const lastFour of [undefined, 'abcd']) {
        await stores.tokens.list({ userId, lastFour, now, page });
      }
    }
    for (const action of [undefined, 'user.create' as const]) {
      for (const username of [undefined, 'ada']) {
        for (const since of [undefined, now]) {
          for (const sort of orders.slice(0, 2) as never[]) {
            await stores.audit.list({ filter: { action, username, since }, page, sort });
          }
        }
      }
    }
  }
});
