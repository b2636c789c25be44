/** The core reads a record only after the authentication of the caller, so refused callers learn nothing. */
import assert from 'node:assert/strict';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { createToken } from '../../src/model/token.ts';
import { startCore } from '../support/core.ts';
import { starting, type Overrides } from '../support/each.ts';
import { basic } from '../support/http-client.ts';

const UNKNOWN_TOKEN = `Bearer ${createToken().text}`;

const watched = starting(async (t, overrides: Overrides = {}) => {
  const service = await startCore(t, { overrides });
  const token = await service.registerWithToken('ada');
  await service.createProject(token, 'notes');
  const watch = (name: 'write' | 'change') => t.mock.method(service.database, name).mock;
  const { mock: reads } = t.mock.method(service.database, 'read');
  return { service, token, reads, all: [reads, watch('write'), watch('change')] };
});

watched.each('A request with {0} is refused without any read', [
  ['no credentials', undefined],
  ['a mistyped token', `${UNKNOWN_TOKEN.slice(0, -1)}!`],
  ['a scheme that does not exist', 'Digest username="ada"'],
], async ({ service, reads }, [, as]) => {
  await service.expect(401, 'GET /api/v1/projects/notes', { as });
  assert.equal(reads.callCount(), 0);
});

watched('A throttled password is refused without any read or write', async ({ all, service }) => {
  for (const [name, status] of [['ada', 401], ['ada', 429], ['bob', 401], ['eve', 429]] as const) {
    all.forEach((mock) => mock.resetCalls());
    await service.expect(status, 'GET /api/v1/projects/notes', { as: basic(name, 'wrong') });
    assert.ok(status === 401 || all.every((mock) => mock.callCount() === 0), name);
  }
}, { failuresPerNameMax: 1, failuresPerNetworkMax: 2 });

watched.each('GET {0} reads a record only for a known caller, and is 503 if it cannot', [
  '/api/v1/users/ada', '/api/v1/projects/notes',
], async ({ reads, service, token }, path) => {
  const sqlOf = (index: number) => reads.calls.at(index)?.arguments[0].sql ?? '';
  await service.expect(401, `GET ${path}`, { as: UNKNOWN_TOKEN });
  assert.deepEqual([reads.callCount(), /FROM (\w+)/.exec(sqlOf(0))?.[1]], [1, 'tokens']);
  // The next read finds the token and succeeds. The read of the record then fails.
  reads.mockImplementationOnce(() => Promise.reject(new DatabaseUnavailableError('No answer')), 2);
  await service.expect(503, `GET ${path}`, { as: token });
  assert.match(sqlOf(-1), /FROM (projects|users) [^]*name_key = /);
});

watched('The core alone has tokens, no description and no metrics', async ({ service, token: as }) => {
  await service.expect(200, 'DELETE /api/v1/token', { as });
  await service.expect(401, 'GET /api/v1/projects', { as });
  for (const path of ['/api/v1/openapi.json', '/static/openapi.json', '/metrics']) {
    await service.expect(404, `GET ${path}`);
  }
}, { metrics: 'on' });
