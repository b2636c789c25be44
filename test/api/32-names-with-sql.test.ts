/** A name from a request is a parameter of the statement that looks for it, and never part of its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, startService } from '../support/service.ts';

/** Texts that match somebody, or are no valid SQL, if they become part of a statement in quotes. */
const NAMES = [
  "'", "' OR '1'='1", "' OR is_admin = 1 --", "x' UNION SELECT * FROM users --", '" OR ""="', '?',
];

/** Every place in which a request names a user who may not exist. */
const PLACES: readonly (readonly [line: string, toJson?: (name: string) => object])[] = [
  ['GET /api/v1/users/NAME'],
  ['GET /api/v1/projects?owner=NAME'],
  ['GET /api/v1/projects', (owner) => ({ owner })],
  ['POST /api/v1/projects', (owner) => ({ name: 'loom', owner })],
  ['PATCH /api/v1/projects/1', (owner) => ({ owner })],
  ['DELETE /api/v1/users/ada?owned_projects=transfer&new_owner=NAME'],
  ['DELETE /api/v1/token?username=NAME'],
  ['GET /api/v1/tokens?username=NAME'],
  ['DELETE /api/v1/tokens?username=NAME'],
];

for (const [line, toJson] of PLACES) {
  api(`a name with SQL in ${line}${toJson ? ' and in its body' : ''} is an unknown name`, async (service) => {
    const [root, ada] = [await service.registerAdministrator('root'), await service.register('ada')];
    await service.createProject(ada, 'engine');
    const ask = (name: string) => service.call(line.replace('NAME', encodeURIComponent(name)), {
      as: root, json: toJson?.(name),
    });
    const { status, json: { type } } = await ask('nobody');
    assert.ok(status === 400 || status === 404, `${status}`);
    for (const name of NAMES) {
      const answer = await ask(name);
      assert.deepEqual([answer.status, answer.json['type']], [status, type], name);
    }
    const { json } = await service.call('GET /api/v1/users/ada', { as: ada });
    assert.equal(json['projects'][0].name, 'engine');
  });
}

test('a password is right for its own name only, not for a name that SQL would match with it', async (t) => {
  const service = await startService(t);
  await service.register('ada');
  for (const name of [...NAMES, "ada' --"]) {
    const as = `Basic ${Buffer.from(`${name}:ada-password`).toString('base64')}`;
    assert.equal((await service.call('GET /api/v1/user', { as })).status, 401, name);
  }
  const as = `Basic ${Buffer.from('ada:ada-password').toString('base64')}`;
  await service.expect(200, 'GET /api/v1/user', { as });
});
