import assert from 'node:assert/strict';
import { basic, people, times } from '../support/service.ts';

/** Inside quotes in SQL, each of these names would match a user or break the statement. */
const NAMES = [
  "'", "' OR '1'='1", "' OR is_admin = 1 --", "x' UNION SELECT * FROM users --", '" OR ""="', '?',
];

// The test puts each name in place of `NAME`, or into the body.
people.each('a name with SQL in {0}{1} is an unknown name', [
  ['GET /api/v1/users/NAME', ''],
  ['GET /api/v1/projects?owner=NAME', ''],
  ['GET /api/v1/projects', ' and in its body', (owner: string) => ({ owner })],
  ['POST /api/v1/projects', ' and in its body', (owner: string) => ({ name: 'loom', owner })],
  ['PATCH /api/v1/projects/1', ' and in its body', (owner: string) => ({ owner })],
  ['DELETE /api/v1/users/ada?owned_projects=transfer&new_owner=NAME', ''],
  ['DELETE /api/v1/token?username=NAME', ''],
  ['GET /api/v1/tokens?username=NAME', ''],
  ['DELETE /api/v1/tokens?username=NAME', ''],
], async ({ ada, call, root: as, ...world }, [line, , toJson]) => {
  await world.createProject(ada, 'engine');
  const ask = (name: string) =>
    call(line.replace('NAME', encodeURIComponent(name)), { as, json: toJson?.(name) });
  const { status, json: { type } } = await ask('nobody');
  assert.ok(status === 400 || status === 404, `${status}`);
  for (const name of NAMES) {
    const answer = await ask(name);
    assert.deepEqual([answer.status, answer.json['type']], [status, type], name);
  }
  assert.deepEqual(await world.namesIn('projects', ada), ['engine']);
});

people('a password is right for its own name, not for one that SQL would match', async (world) => {
  const names = [...NAMES, "ada' --"];
  const statuses = await world.signIn(...names.map((name) => basic(name, 'ada-password')), world.ada);
  assert.deepEqual(statuses, [...times(names.length, 401), 200]);
});
