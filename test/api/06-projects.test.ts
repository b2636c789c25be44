/** Tests the operations on projects that the specification describes. */
import assert from 'node:assert/strict';
import { answers, api, people, shared, startWorld } from '../support/service.ts';

const LIST = 'GET /api/v1/projects';
const CREATE = 'POST /api/v1/projects';

/**
 * Defines a test that only reads. Ada owns project 1 (alpha) and project 2 (beta), and eve owns project 3
 * (gamma).
 */
const reads = shared(async (t) => {
  const world = await startWorld(t);
  for (const [as, name] of [[world.ada, 'alpha'], [world.ada, 'beta'], [world.eve, 'gamma']] as const) {
    await world.createProject(as, name);
  }
  return world;
});

// spec 2.1-7, 2.2-1, 2.2-2, 2.2-4, 4.7-1, 4.7-2
api('POST /api/v1/projects is 201 with the project and its owner, by default the caller', async (service) => {
  const as = await service.registerWithToken('ada');
  const { headers, json } = await service.expect(201, 'POST /api/v1/projects', {
    as, json: { name: 'Engine', description: 'x' },
  });
  assert.equal(headers['location'], '/api/v1/projects/1');
  assert.deepEqual(json, {
    id: 1, name: 'Engine', description: 'x', date_created: '2026-01-01T00:00:00.000Z',
    owner: { username: 'ada', email: 'ada@example.org' },
  });
});

// spec 2.2-4, 4.7-1
people('POST /api/v1/projects accepts an owner in any case, no description', async ({ expect, ada: as }) => {
  const { json } = await expect(201, CREATE, { as, json: { name: 'engine', owner: 'aDA' } });
  assert.deepEqual([json['owner'].username, json['description']], ['ada', '']);
});

answers('POST /api/v1/projects*', [
  ['root', '', { name: 'engine', owner: 'eve' }, 201],
  ['root', '', { name: 'engine', owner: 'nobody' }, 400],
  ['ada', '', { name: 'engine', owner: 'eve' }, 403],
  ['ada', '', { name: 'engine', owner: 'nobody' }, 400],
]);

for (const [title, name, status] of [
  ['of 1 character', 'x', 201],
  ['of 255 characters', '𝒳'.repeat(255), 201],
  ['with spaces and punctuation inside', 'a / b? 100 %', 201],
  ['that is empty', '', 400],
  ['of 256 characters', 'x'.repeat(256), 400],
  ['of digits alone', '42', 400],
  ['that is a positive integer', '+42', 400],
  ['that is a negative integer', '-42', 400],
  ['that is a date', '2026-01-31', 201],
  ['with a control character', 'a\u0007b', 400],
  ['with a leading space', ' a', 400],
  ['with a zero width joiner', 'a\u200db', 400],
  ['with a right-to-left override', 'a\u202eb', 400],
  ['with a line separator', 'a\u2028b', 400],
  ['that is an invisible letter', '\u3164', 400],
  ['that is an empty braille pattern', '\u2800', 400],
  ['with letters of two scripts', 'Проект X 🚀', 201],
  ['with a trailing no-break space', 'a\u00a0', 400],
  ['that is a dot segment', '.', 400],
  ['whose key has 256 characters', 'ß'.repeat(128), 400],
  ['whose key has 255 characters', `${'ß'.repeat(127)}x`, 201],
  ['that is not a string', {}, 400],
] as const) {
  // spec 2.2-1, 2.4-6
  people(`a project name ${title} is ${status}`, async ({ ada: as, expect }) => {
    await expect(status, CREATE, { as, json: { name } });
    if (status === 201) {
      const read = await expect(200, `${LIST}/${encodeURIComponent(String(name))}`, { as });
      assert.equal(read.json['name'], name);
    }
  });
}

for (const name of ['42', '-3', '١٢']) {
  people(`the first fault of the project name ${name} is the true one`, async ({ ada: as, expect }) => {
    assert.match((await expect(400, CREATE, { as, json: { name } })).json['detail'], /not a number/);
  });
}

for (const [length, status] of [[2_000, 201], [2_001, 400]] as const) {
  // spec 2.2-2, 2.4-6
  people(`a description of ${length} characters is ${status}`, async ({ ada: as, expect }) => {
    await expect(status, CREATE, { as, json: { name: 'x', description: '\u{1F600}'.repeat(length) } });
  });
}

for (const [description, status] of [
  ['a\tb\nc\r\nd', 201], ['a\0b', 400], ['\x1f', 400], ['a\x1b[31m', 400], ['\x7f', 400], ['\x85', 400],
  ['\b', 400], ['a\u202eb', 400], ['a\u200eb', 400], ['a\u2067b', 400], ['a\u200bb', 400], ['a\u2028b', 400],
  ['\u{E0041}', 400], ['\u2764\ufe0f', 201], ['\u{1F469}\u200d\u{1F4BB}', 201],
  ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 201],
] as const) {
  people(`a description ${JSON.stringify(description)} is ${status}`, async ({ ada: as, expect }) => {
    await expect(status, CREATE, { as, json: { name: 'engine', description } });
  });
}

people('a project name that any user has taken is 422, in any case', async (world) => {
  await world.createProject(world.ada, 'Engine');
  const { json } = await world.expect(422, CREATE, { as: world.eve, json: { name: 'ENGINE' } });
  assert.equal(json['type'], '/static/problems.html#project-name-taken');
});

// spec 7-2
people('malformed JSON is 400', async ({ ada: as, expect }) => {
  await expect(400, CREATE, { as, body: '{"name":' });
});

// spec 2.2-3, 4-3, 4.8-3, 4.8-5
people('GET /api/v1/projects lists all projects to every user, with page, size and Count', async (world) => {
  await world.createProject(world.ada, 'b');
  await world.createProject(world.eve, 'a');
  const { headers, json } = await world.expect(200, LIST, { as: await world.register('joe') });
  assert.deepEqual([headers['page'], headers['items_per_page'], headers['count']], ['1', '1000', '2']);
  const [owner, other] = ['ada', 'eve'].map((username) => ({ username, email: `${username}@example.org` }));
  const rest = { description: '', date_created: '2026-01-01T00:00:00.000Z' };
  assert.deepEqual(json, {
    projects: [{ id: 1, name: 'b', ...rest, owner }, { id: 2, name: 'a', ...rest, owner: other }],
  });
});

// spec 8-1, 8-2, 8-3
api('the first page of 1001 projects has 1000, unless the request gives another size', async (service) => {
  const as = await service.registerWithToken('ada');
  await service.database.write([{
    sql: `
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
      INSERT INTO projects (name, name_key, description, owner_id, date_created)
      SELECT 'p' || number, 'p' || number, '', users.id, users.date_created FROM numbers CROSS JOIN users`,
    parameters: [1001],
  }]);
  for (const [query, names] of [['', 1000], ['?page=2', 1], ['?items_per_page=7', 7]] as const) {
    const { headers, json } = await service.call(`${LIST}${query}`, { as });
    assert.deepEqual([json['projects'].length, headers['count']], [names, String(names)]);
  }
});

for (const [target, body, names] of [
  ['?owner=ADA', undefined, ['alpha', 'beta']],
  ['?owner=eve&contains=a', undefined, ['gamma']],
  ['?starts_with=a', undefined, ['alpha']],
  ['?ends_with=TA', undefined, ['beta']],
  ['?contains=amm', undefined, ['gamma']],
  ['?items_per_page=1&page=2', undefined, ['beta']],
  ['?owner=', undefined, ['alpha', 'beta', 'gamma']],
  ['', '{"owner":"eve"}', ['gamma']],
  ['?owner=ada', '{"owner":"eve"}', ['alpha', 'beta']],
  ['', '{"owner":7}', ['alpha', 'beta', 'gamma']],
  ['', '[1]', ['alpha', 'beta', 'gamma']],
  ['', 'null', ['alpha', 'beta', 'gamma']],
] as const) {
  reads(`${LIST}${target} with ${body ?? 'no body'} lists [${names.join(', ')}]`, async (world) => {
    const { ada } = world;
    const options = body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } };
    const { json } = await world.expect(200, `${LIST}${target}`, { as: ada, ...options });
    assert.deepEqual(json['projects'].map(({ name }: { name: string }) => name), names);
  });
}

for (const [title, target, body] of [
  ['an unknown owner in the query', '?owner=nobody', undefined],
  ['an unknown owner in the body', '', '{"owner":"nobody"}'],
  ['malformed JSON', '', '{"owner":'],
  ['page=0', '?page=0', undefined],
] as const) {
  // spec 7-3
  reads(`GET /api/v1/projects with ${title} is 400`, async ({ ada: as, expect }) => {
    await expect(400, `${LIST}${target}`, { as, ...(body !== undefined && { body }) });
  });
}

for (const [segment, status] of [
  ['alpha', 200], ['ALPHA', 200], ['1', 200], ['001', 200],
  ['4', 404], ['0', 404], ['nothing', 404], ['-1', 404], ['9'.repeat(40), 404], ['%00', 404],
] as const) {
  // spec 4.9-1, 4.9-2, 7-5
  reads(`GET /api/v1/projects/${segment} is ${status}`, async ({ ada: as, expect }) => {
    const { json } = await expect(status, `${LIST}/${segment}`, { as });
    if (status === 200) {
      assert.deepEqual(json, {
        id: 1, name: 'alpha', description: '', date_created: '2026-01-01T00:00:00.000Z',
        owner: { username: 'ada', email: 'ada@example.org' },
      });
    }
  });
}

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
  },
});

people('the name of a deleted project is free, but its id is not reused', async (world) => {
  const { ada: as, expect } = world;
  await world.createProject(as, 'engine');
  await expect(200, 'DELETE /api/v1/projects/engine', { as });
  const { json } = await expect(201, CREATE, { as, json: { name: 'engine' } });
  assert.equal(json['id'], 2);
});
