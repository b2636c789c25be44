import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { toNameKey, type NameSearch } from '../../src/model/name.ts';
import { readItems } from '../support/list.ts';
import { openStores, type Stores } from '../support/stores.ts';

const NAMES = [
  'ann', 'Anna', 'HANNA', 'a', 'aba', 'ababa',
  '100%', '100x', 'a_b', 'axb', 'back\\slash',
  'Zoë', 'ΟΔΟΣ', '🗝key🗝', "o'hara",
];

let users: Stores['users'];

before(async (t) => {
  const stores = await openStores(t as TestContext);
  for (const username of NAMES) {
    await stores.addUser(username);
  }
  users = stores.users;
});

for (const [search, expected] of [
  [{ kind: 'all' }, NAMES],

  [contains('nn'), ['ann', 'Anna', 'HANNA']],
  [contains('NN'), ['ann', 'Anna', 'HANNA']],
  [contains('ann'), ['ann', 'Anna', 'HANNA']],
  [contains('nnn'), []],
  [contains('%'), ['100%']],
  [contains('_'), ['a_b']],
  [contains('\\'), ['back\\slash']],
  [contains('a%'), []],
  [contains('*'), []],
  [contains("'"), ["o'hara"]],
  [contains('OË'), ['Zoë']],
  [contains('oe\u0308'), ['Zoë']],
  [contains('oe'), []],
  [contains('δος'), ['ΟΔΟΣ']],
  [contains('ΔΟΣ'), ['ΟΔΟΣ']],
  [contains('🗝K'), ['🗝key🗝']],
  [contains('\0'), []],
  [contains('x'.repeat(100_000)), []],

  [affixes('AN', ''), ['ann', 'Anna']],
  [affixes('', 'NA'), ['Anna', 'HANNA']],
  [affixes('ann', ''), ['ann', 'Anna']],
  [affixes('', 'ann'), ['ann']],
  [affixes('anna', ''), ['Anna']],
  [affixes('annas', ''), []],
  [affixes('%', ''), []],
  [affixes('', '%'), ['100%']],
  [affixes('a_', ''), ['a_b']],
  [affixes('', '\\slash'), ['back\\slash']],
  [affixes('🗝', '🗝'), ['🗝key🗝']],
  [affixes('z', 'Ë'), ['Zoë']],
  [affixes('a\0', ''), []],

  // Prefix and suffix may be adjacent, but may not overlap.
  [affixes('a', 'a'), ['Anna', 'aba', 'ababa']],
  [affixes('ab', 'a'), ['aba', 'ababa']],
  [affixes('ab', 'ba'), ['ababa']],
  [affixes('aba', 'ba'), ['ababa']],
  [affixes('aba', 'aba'), []],
  [affixes('ann', 'n'), []],
  [affixes('an', 'n'), ['ann']],
  [affixes('🗝key', 'y🗝'), []],
  [affixes('x'.repeat(100_000), 'y'), []],
] as const) {
  const found = expected.length === NAMES.length ? 'everybody' : expected.join();
  test(`${toTitle(search)} finds [${found}]`, async () => {
    const items = await readItems(await users.list({ search, page: { number: 1, sizeMax: 100 } }));
    assert.deepEqual(items.map(({ username }: { username: string }) => username), expected);
  });
}

function contains(text: string): NameSearch {
  return { kind: 'contains', text: toNameKey(text) };
}

function affixes(prefix: string, suffix: string): NameSearch {
  return { kind: 'affixes', prefix: toNameKey(prefix), suffix: toNameKey(suffix) };
}

function toTitle(search: NameSearch): string {
  return JSON.stringify(search).replace(/x{99,}/, '(100 000 letters)');
}
