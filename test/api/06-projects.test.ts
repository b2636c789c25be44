import assert from 'node:assert/strict';
import { answers, atOnce, people, shared, startWorld, times, type World } from '../support/service.ts';

const LIST = 'GET /api/v1/projects';
const CREATE = 'POST /api/v1/projects';
const CHANGE = 'PATCH /api/v1/projects/engine';
const ADA = { username: 'ada', email: 'ada@example.org' };
const date_created = '2026-01-01T00:00:00.000Z';
/** A Persian word with a non-joiner (U+200C). */
const MI_KHAHAM = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645';

/** Ada owns projects 1 and 2, and eve owns project 3. */
const reads = shared(async (t) => {
  const world = await startWorld(t);
  for (const [as, name] of [[world.ada, 'alpha'], [world.ada, 'beta'], [world.eve, 'gamma']] as const) {
    await world.createProject(as, name);
  }
  return world;
});

// spec 2.1-7, 2.2-1, 2.2-2, 2.2-4, 4.7-1, 4.7-2
people('POST /api/v1/projects is 201 with the project and an owner, usually the caller', async (world) => {
  const { ada: as, expect } = world;
  const { headers, json } = await expect(201, CREATE, { as, json: { name: 'Engine', description: 'x' } });
  assert.equal(headers['location'], '/api/v1/projects/1');
  assert.deepEqual(json, { id: 1, name: 'Engine', description: 'x', date_created, owner: ADA });
  const named = await expect(201, CREATE, { as, json: { name: 'loom', owner: 'aDA' } });
  assert.deepEqual([named.json['owner'], named.json['description']], [ADA, '']);
});

answers('POST /api/v1/projects*', [
  ['root', '', { name: 'engine', owner: 'eve' }, 201],
  ['root', '', { name: 'engine', owner: 'nobody' }, 400],
  ['ada', '', { name: 'engine', owner: 'eve' }, 403],
  ['ada', '', { name: 'engine', owner: 'nobody' }, 400],
  ['eve', '', { name: '\u00c9T\u00c9' }, '422 project-name-taken'],
  ['eve', '', { name: '100x' }, 201],
], {
  async arrange({ ada, createProject }) {
    await createProject(ada, 'E\u0301te\u0301');
    await createProject(ada, '100%');
  },
});

// spec 2.2-1, 2.4-6
people.each('a project name {0} is {1}', [
  ['of 1 to 255 characters', 201, 'x', '𝒳'.repeat(255)],
  ['with spaces and punctuation inside', 201, 'a / b? 100 %', '2026-01-31'],
  ['with letters of two scripts, or of several words', 201, 'Проект X 🚀', '日本 語', '\ufdfa and more words'],
  ['whose key has up to 255 characters', 201, `${'ß'.repeat(127)}x`, '\ufdfa'.repeat(14)],
  ['of 0 or 256 characters, or with such a key', 400, '', 'x'.repeat(256), 'ß'.repeat(128),
    '\ufdfa'.repeat(15)],
  ['with invisible characters', 201, '\u2764\ufe0f', '\u{1F469}\u200d\u{1F4BB}', MI_KHAHAM, '\u200fa\u00ad'],
  ['with a control character, a bidirectional control or a line separator', 400,
    'a\u0007b', 'a\u202eb', 'a\u2067b', 'a\u2028b'],
  ['of an invisible letter or empty pattern', 400, '\u3164', '\u2800', '\ufe0f'],
  ['that begins or ends with a space', 400, ' a', 'a\u00a0', 'a \u200d', 'a\u00a0\ufe0f\u200d'],
  ['that is a dot segment, or no string', 400, '.', '.\u200d.', {}],
  ['that is an integer', 400, '42', '+42', '-42', '١٢', '+\u200d4\ufe0f2\u200d'],
], async ({ ada: as, expect }, [rule, status, ...names]) => {
  for (const name of names) {
    const { json } = await expect(status, CREATE, { as, json: { name } });
    assert.ok(rule !== 'that is an integer' || json['detail'].includes('not a number'), json['detail']);
    if (status === 201) {
      const read = await expect(200, `${LIST}/${encodeURIComponent(String(name))}`, { as });
      assert.equal(read.json['name'], name);
    }
  }
});

// spec 2.2-2, 2.4-6
people.each('a description {0} is {1}', [
  ['of 2000 characters', 201, '\u{1F600}'.repeat(2_000)],
  ['of 2001 characters', 400, '\u{1F600}'.repeat(2_001)],
  ['of several lines, or with invisible characters', 201, 'a\tb\nc\r\nd', '\u2764\ufe0f', 'a\u200eb',
    '\u{1F469}\u200d\u{1F4BB}', MI_KHAHAM, 'a\u00adb', 'a\u200bb', 'a\u2028b', '\ufeffa',
    '\u{1F3F4}\u{E0067}\u{E007F}'],
  ['with a control character or a direction override', 400, 'a\0b', '\x1f', 'a\x1b[31m', '\x7f', '\x85',
    '\b', 'a\u202db', 'a\u202eb'],
], async ({ ada: as, expect }, [, status, ...descriptions]) => {
  for (const [index, description] of descriptions.entries()) {
    await expect(status, CREATE, { as, json: { name: `p${index}`, description } });
  }
});

// spec 2.2-3, 4-3, 4.8-3, 4.8-5
people('GET /api/v1/projects lists all projects to every user, with page, size and Count', async (world) => {
  await world.createProject(world.ada, 'b');
  await world.createProject(world.eve, 'a');
  const { headers, json } = await world.expect(200, LIST, { as: await world.register('joe') });
  assert.deepEqual([headers['page'], headers['items_per_page'], headers['count']], ['1', '1000', '2']);
  const rest = { description: '', date_created };
  const other = { username: 'eve', email: 'eve@example.org' };
  assert.deepEqual(json, {
    projects: [{ id: 1, name: 'b', ...rest, owner: ADA }, { id: 2, name: 'a', ...rest, owner: other }],
  });
});

// spec 7-3
reads.each('GET /api/v1/projects with query and body {1} is {0}', [
  [['alpha', 'beta'], ['?owner=ADA'], ['?owner=ada', '{"owner":"eve"}']],
  [['gamma'], ['?owner=eve&contains=a'], ['', '{"owner":"eve"}']],
  [['alpha', 'beta', 'gamma'],
    ['?owner='], ['', '{"owner":""}'], ['', '{"owner":7}'], ['', '[1]'], ['', 'null']],
  [400, ['?owner=nobody'], ['', '{"owner":"nobody"}'], ['', '{"owner":'], ['?page=0']],
], async (world, [expected, ...requests]) => {
  const isRefused = expected === 400;
  for (const [query, body] of requests) {
    const { json } = await world.expect(isRefused ? 400 : 200, `${LIST}${query}`, { as: world.ada, body });
    const names = json['projects']?.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, isRefused ? undefined : expected);
  }
});

// spec 4.9-1, 4.9-2, 7-5
reads.each('GET /api/v1/projects/{1} is {0}', [
  [200, 'alpha', 'ALPHA', 'a%C2%ADlpha', '1', '001'], [404, '4', '0', 'nothing', '-1', '9'.repeat(40), '%00'],
], async ({ ada: as, expect }, [status, ...segments]) => {
  for (const segment of segments) {
    const { json } = await expect(status, `${LIST}/${segment}`, { as });
    if (status === 200) {
      assert.deepEqual(json, { id: 1, name: 'alpha', description: '', date_created, owner: ADA });
    }
  }
});

// spec 4.10-1, 7-5
answers('DELETE /api/v1/projects/*', [
  ['ada', 'engine', undefined, 200], ['ada', '1', undefined, 200], ['root', 'ENGINE', undefined, 200],
  ['eve', 'engine', undefined, 403], ['eve', '1', undefined, 403], ['eve', '%65ngine', undefined, 403],
  ['eve', '01', undefined, 403],
  ['ada', 'nothing', undefined, 404], ['ada', '2', undefined, 404], ['eve', '2', undefined, 404],
], {
  arrange: ({ ada, createProject }) => createProject(ada, 'engine'),
  async check({ ada, expect }, { json, status }) {
    assert.equal(json['project_status'], status === 200 ? 'deleted' : undefined);
    await expect(status === 200 ? 404 : 200, `${LIST}/engine`, { as: ada });
    if (status === 200) { // the name is free, but the id is not reused
      assert.equal((await expect(201, CREATE, { as: ada, json: { name: 'engine' } })).json['id'], 2);
    }
  },
});

async function createProjects({ ada, eve, createProject }: World): Promise<void> {
  await createProject(ada, 'engine', 'analytical');
  await createProject(eve, 'loom');
}

people('PATCH changes name and description, returns the new state, changes nothing else', async (world) => {
  await createProjects(world);
  const json = { name: 'Difference Engine', id: 9, date_created: 'x', owner_id: 2, version: 1 };
  const { headers, json: answer } = await world.expect(200, CHANGE, { as: world.ada, json });
  assert.deepEqual(answer, {
    id: 1, name: 'Difference Engine', description: 'analytical', date_created, owner: ADA,
  });
  const read = await world.expect(200, 'GET /api/v1/projects/1', { as: world.ada });
  assert.deepEqual([read.json, read.headers.etag], [answer, headers.etag]);
  await world.expect(404, 'GET /api/v1/projects/engine', { as: world.ada });
});

people('after root transfers the project of ada to eve, eve may change it and ada may not', async (world) => {
  await createProjects(world);
  const { json } = await world.expect(200, CHANGE, { as: world.root, json: { owner: 'EVE' } });
  assert.deepEqual(json['owner'], { username: 'eve', email: 'eve@example.org' });
  assert.deepEqual(await world.namesIn('projects?owner=eve', world.ada), ['engine', 'loom']);
  await world.expect(403, 'DELETE /api/v1/projects/engine', { as: world.ada });
  await world.expect(200, CHANGE, { as: world.eve, json: { name: 'x' } });
});

answers('PATCH /api/v1/projects/*', [
  ['ada', 'engine', {}, 200], ['ada', '1', { description: '' }, 200],
  ['ada', 'ENGINE', { name: 'ENGINE' }, 200], ['root', 'engine', { name: 'x' }, 200],
  ['ada', 'engine', { owner: 'ada' }, 200], ['ada', 'engine', { owner: 'eve' }, 403],
  ['ada', 'engine', { name: 'loom' }, 422], ['ada', 'engine', { name: 'LOOM' }, 422],
  ['ada', 'engine', { owner: 'nobody' }, 400], ['ada', 'engine', { name: '12' }, 400],
  ['ada', 'engine', { name: '' }, 400], ['ada', 'engine', { description: 'x'.repeat(3_000) }, 400],
  ['ada', 'engine', { owner: 2 }, 400], ['ada', 'engine', { name: null }, 400], ['ada', 'engine', 7, 400],
  ['eve', 'engine', {}, 403], ['eve', '1', { owner: 'eve' }, 403], ['ada', 'loom', { owner: 'ada' }, 403],
  ['ada', 'nothing', {}, 404], ['root', '99', {}, 404],
], { arrange: createProjects });

people('forty concurrent changes with If-Match: * or no condition succeed and stay', async (world) => {
  await createProjects(world);
  const values = [{ name: 'Fugue' }, { description: 'new' }, { owner: 'eve' }];
  const statuses = await atOnce(40, (index) => world.call('PATCH /api/v1/projects/1', {
    as: world.root, json: values[index % 3], headers: index % 2 === 0 ? { 'If-Match': '*' } : {},
  }));
  assert.deepEqual(statuses, times(40, 200));
  const { json } = await world.call('GET /api/v1/projects/1', { as: world.root });
  assert.deepEqual([json['name'], json['description'], json['owner'].username], ['Fugue', 'new', 'eve']);
});
