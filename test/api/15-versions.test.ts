/** RFC 9110 defines entity tags in §8.8.3, and conditional requests in §13. */
import assert from 'node:assert/strict';
import { starting } from '../support/each.ts';
import { atOnce, startWorld, times } from '../support/service.ts';

const ADA = '/api/v1/users/ada';
const PASSWORD = `${ADA}/password`;
const ENGINE = '/api/v1/projects/engine';
const TOKEN = '/api/v1/tokens/1';

const versions = starting(async (t) => {
  const world = await startWorld(t);
  const { ada } = world;
  await world.createProject(ada, 'engine');
  await world.issueToken(ada);
  const tagOf = async (path: string, as = ada) =>
    String((await world.expect(200, `GET ${path}`, { as })).headers.etag);
  return { ...world, tagOf };
});

versions.each('GET {0} has a strong entity tag, and is 304 without a body for that tag', [
  ADA, ENGINE, TOKEN, '/api/v1/user',
], async ({ ada: as, expect, ...world }, path) => {
  const tag = await world.tagOf(path);
  assert.match(tag, /^"[^"]+"$/);
  for (const method of ['GET', 'HEAD']) {
    for (const field of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const { headers, text } = await expect(304, `${method} ${path}`, {
        as, headers: { 'If-None-Match': field },
      });
      assert.deepEqual([headers.etag, text], [tag, ''], `${method} ${field}`);
    }
  }
  await expect(200, `GET ${path}`, { as, headers: { 'If-None-Match': '"x"' } });
  await expect(412, `GET ${path}`, { as, headers: { 'If-Match': '"x"' } });
});

versions.each('{0} changes the tag of {3}', [
  ['a new email', `PATCH ${ADA}`, { email: 'new@example.org' }, ADA],
  ['a new password', `PUT ${PASSWORD}`, { password: 'x' }, ADA],
  ['a role', `PATCH ${ADA}`, { is_admin: true }, ADA],
  ['a new project of the user', 'POST /api/v1/projects', { name: 'loom', owner: 'ada' }, ADA],
  ['a description', `PATCH ${ENGINE}`, { description: 'x' }, ENGINE],
  ['a new email of the owner', `PATCH ${ADA}`, { email: 'new@example.org' }, ENGINE],
], async ({ call, root: as, tagOf }, [, line, json, path]) => {
  const before = await tagOf(path, as);
  assert.ok((await call(line, { as, json })).status < 300);
  assert.notEqual(await tagOf(path, as), before);
});

versions('changes without effect and uses keep the tag; two tokens have two tags', async (world) => {
  const { ada: as, expect, tagOf } = world;
  const second = await world.issueToken(as);
  const tagsOf = async () => [await tagOf(ADA), await tagOf(TOKEN), await tagOf('/api/v1/tokens/2')];
  const before = await tagsOf();
  assert.notEqual(before[1], before[2]);
  await expect(200, `PATCH ${ADA}`, { as: second, json: { email: 'ada@example.org' } });
  assert.deepEqual(await tagsOf(), before);
});

versions.each('{0} with If-Match succeeds on the state that was read, and is 412 on another', [
  [`PATCH ${ADA}`, { email: 'x@example.org' }, ADA],
  [`PUT ${PASSWORD}`, { password: 'x', current_password: 'ada-password' }, ADA],
  [`DELETE ${ADA}?owned_projects=delete`, undefined, ADA],
  [`PATCH ${ENGINE}`, { name: 'x' }, ENGINE],
  [`DELETE ${ENGINE}`, undefined, ENGINE],
  [`DELETE ${TOKEN}`, undefined, TOKEN],
], async ({ ada: as, expect, tagOf }, [line, json, path]) => {
  const tag = await tagOf(path);
  for (const field of ['"x"', `W/${tag}`, '', 'x']) {
    await expect('412 precondition-failed', line, { as, json, headers: { 'If-Match': field } });
  }
  await expect(412, line, { as, json, headers: { 'If-None-Match': tag } });
  assert.equal(await tagOf(path), tag);
  await expect(200, line, { as, json, headers: { 'If-Match': `"x", ${tag}` } });
});

// In targets and bodies, `*` stands for the number of the request, from 0 to 49. If a row ends with a path,
// each request sends the entity tag of this path in `If-Match`.
// spec 2.1-2
versions.each('of fifty concurrent {0}, one is {2} and all others are {3}', [
  [`PATCH ${ADA}`, { email: '*@example.org' }, 200, 412, ADA],
  [`PUT ${PASSWORD}`, { password: '*' }, 200, 412, ADA],
  [`PATCH ${ENGINE}`, { description: '*' }, 200, 412, ENGINE],
  [`DELETE ${ENGINE}`, undefined, 200, 404], [`DELETE ${TOKEN}`, undefined, 200, 404],
  ['DELETE /api/v1/users/eve', undefined, 200, 404],
  ['POST /api/v1/users', { username: 'best', password: 'x', email: 'best@example.org' }, 201, 422],
  ['PATCH /api/v1/projects/p*', { name: 'best' }, 200, 422],
  ['PATCH /api/v1/users/u*', { username: 'best' }, 200, 422],
], async ({ call, createProject, register, root: as, tagOf }, [line, json, winner, others, path]) => {
  for (let index = 0; index < 50; index += 1) {
    await createProject(await register(`u${index}`), `p${index}`);
  }
  const headers = path === undefined ? {} : { 'If-Match': await tagOf(path) };
  const statuses = await atOnce(50, (index) => {
    const own = json && JSON.parse(JSON.stringify(json).replace('*', `${index}`));
    return call(line.replace('*', `${index}`), { as, json: own, headers });
  });
  assert.deepEqual(statuses, [winner, ...times(49, others)]);
});

versions.each('with {0}: {1}, {3} is {2}', [
  ['If-None-Match', '*', 404, 'GET /api/v1/users/nobody'],
  ['If-Match', '*', 200, `PATCH ${ENGINE}`, {}],
  ['If-Match', '*', 404, 'DELETE /api/v1/projects/nothing'],
  ['If-Match', '"x"', 403, 'PATCH /api/v1/users/root', {}], // any other refusal takes precedence over 412
  ['If-Match', '"x"', 422, `PATCH ${ADA}`, { username: 'root' }],
  ['If-Match', '"x"', 409, `DELETE ${ADA}`],
], async ({ ada: as, expect }, [name, value, status, line, json]) => {
  await expect(status, line, { as, json, headers: { [name]: value } });
  await expect(401, line, { json, headers: { [name]: value } });
});
