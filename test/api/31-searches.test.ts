/** The test finds the expected results with a simple search of its own. */
import assert from 'node:assert/strict';
import { toNameKey } from '../../src/model/name.ts';
import { insertProjects } from '../support/filled-file.ts';
import { api, shared, startService } from '../support/service.ts';
import { sql } from '../support/sql.ts';

/** Project names that have a special meaning in SQL or in full-text search, and similar names. */
const HOSTILE = [
  'ada', 'x ada', 'ada x', 'ADA NOT bob', 'ada OR bob', 'NEAR(ada bob)', 'ada*', '"ada"', '"', '"""',
  '^ada', 'ada:bob', '{ada} : bob', '-ada', '100%', '100x', 'a_b', 'axb', 'back\\slash', "o'hara",
  'ab', 'a', 'aba',
  '\ue002ada\ue003', '\ue002ad', '\u{10ffff}\u{10ffff}z', '\u{10ffff}', '\u{10ffff}'.repeat(255), '\ud7ff-',
  'ΟΔΟΣ', '🗝key🗝', 'Zoë',
];

/** With so many names, a search must sort and read the names in several parts. */
const NAMES = [
  ...HOSTILE.slice(0, 10),
  ...Array.from({ length: 10_500 }, (_, index) => `engine ${(index * 7919) % 10_501}`),
  ...HOSTILE.slice(10),
];

const reads = shared(async (t) => {
  const service = await startService(t);
  const as = await service.registerWithToken('ada');
  await service.register('eve');
  const rows = NAMES.map((name) => [name, toNameKey(name), HOSTILE.includes(name) ? 2 : 1]);
  await service.database.write([sql(`
    INSERT INTO projects (name, name_key, description, owner_id, date_created)
    SELECT value ->> 0, value ->> 1, '', value ->> 2, '2026-01-01T00:00:00.000Z'
    FROM json_each(?) ORDER BY key`, JSON.stringify(rows))]);
  return { ...service, as };
});

type Search = Readonly<Record<string, string>>;

function matches(
  name: string, { owner, contains, starts_with: prefix = '', ends_with: suffix = '' }: Search,
): boolean {
  const [key, start, end] = [toNameKey(name), toNameKey(prefix), toNameKey(suffix)];
  const isFound = contains === undefined
    ? key.startsWith(start) && key.endsWith(end) && key.length >= start.length + end.length
    : key.includes(toNameKey(contains));
  return isFound && (owner === undefined || HOSTILE.includes(name));
}

/** SQLite compares keys by their bytes. */
function sortByKey(names: readonly string[]): readonly string[] {
  return names.toSorted((left, right) =>
    Buffer.compare(Buffer.from(toNameKey(left)), Buffer.from(toNameKey(right))));
}

const SEARCHES: readonly Search[] = [
  {},
  ...[
    'engine', 'ngin', 'e', ' 7', '999', 'ada', 'NOT', 'ada OR bob', '"', '"""', '""""', 'ada*', '*', '%',
    'a_b', '\\', "'", 'NEAR(', '{ada} :', 'δος', '\u0002ad', 'da\u0003', '\u0002', 'a\0d', '\0', '\u0001',
    '\ue002ad', '\ue003', '\u{10ffff}', '🗝k', 'x'.repeat(600),
  ].map((contains) => ({ contains })),
  ...[
    'e', 'en', 'engine 99', '"', '%', '\u0002', '\ue002', '\u{10ffff}', '\ud7ff', 'ada\0', '-ada',
  ].map((text) => ({ starts_with: text })),
  ...['7', '77', ' 10', '\u0003', '"', '\ue003', '*', '\0'].map((text) => ({ ends_with: text })),
  { starts_with: 'engine 77', ends_with: '7' }, { starts_with: 'e', ends_with: '99' },
  { starts_with: 'ab', ends_with: 'ba' }, { starts_with: 'a', ends_with: 'a' },
  { starts_with: '"', ends_with: '"' },
  { owner: 'eve' }, { owner: 'eve', contains: 'ada' }, { owner: 'eve', starts_with: 'a' },
  { owner: 'eve', ends_with: 'b' }, { owner: 'eve', contains: 'engine' },
];

// spec 8-1, 8-2, 8-3
reads.each('projects with {0} are the same on each page, in each order', SEARCHES, async (world, search) => {
  const found = NAMES.filter((name) => matches(name, search));
  for (const sort of ['id', '-id', 'name', '-name']) {
    const ascending = sort.endsWith('name') ? sortByKey(found) : found;
    const expected = sort.startsWith('-') ? ascending.toReversed() : ascending;
    const last = Math.max(1, Math.ceil(expected.length / 1_000));
    // without a search, the service skips 10,000 projects in one step
    const far = Object.keys(search).length === 0 ? [[20, 500], [20, 501], [20, 502]] as const : [];
    const isWhole = Object.keys(search).every((name) => name === 'owner');
    for (const [size, page] of [[7, 1], [7, 2], [1_000, 1], [1_000, last], ...far] as const) {
      // The defaults are page 1 and 1000 items.
      const paging = size === 1_000 && page === 1 ? {} : { items_per_page: `${size}`, page: `${page}` };
      const query = new URLSearchParams({ ...search, sort, ...paging });
      const { headers, json } = await world.expect(200, `GET /api/v1/projects?${query}`, { as: world.as });
      const shown = expected.slice((page - 1) * size, page * size);
      assert.deepEqual(json['projects'].map(({ name }: { name: string }) => name), shown);
      assert.equal(headers['count'], String(shown.length));
      assert.equal(/rel="next"/.test(String(headers['link'])), expected.length > page * size);
      const bound = Math.max(1_000, page * size);
      const isExact = isWhole || expected.length <= bound;
      const total = isExact ? [String(expected.length), 'exact'] : [String(bound + 1), 'at_least'];
      assert.deepEqual([headers['total'], headers['total-relation']], total);
    }
  }
});

// stores/listed-projects.test.ts tests the exact limit.
api('a user with over 256 KiB of projects shows the first ones, their number, and a link', async (world) => {
  const as = await world.register('bob');
  const names = Array.from({ length: 125 }, (_, index) => `bob-${index + 1}`);
  const description = 'x'.repeat(2_000);
  await world.database.write([insertProjects({ username: 'bob', projects: names.length, description })]);
  const link = '</api/v1/projects?owner=bob>; rel="related"';
  for (const [line, linked, json] of [
    ['GET /api/v1/users/bob', link], ['GET /api/v1/user', link],
    ['PATCH /api/v1/users/bob', undefined, { email: 'bob@example.com' }],
  ] as const) {
    const { headers, json: { projects, projects_total: total } } = await world.call(line, { as, json });
    const shown = projects.map(({ name }: { name: string }) => name);
    assert.deepEqual(shown, names.slice(0, shown.length), line);
    assert.ok(shown.length > 115 && shown.length < 125, `${line} ${shown.length}`);
    assert.deepEqual([total, headers['link']], [125, linked], line);
  }
  const { json: { users: [listed] } } = await world.call('GET /api/v1/users', { as });
  assert.deepEqual([listed.projects.length, listed.projects_total], [1, 125]);
  assert.deepEqual(await world.namesIn('projects?owner=bob', as), names);
});
