/** Specification, "GET / and GET /index (also OPTIONS)". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

for (const line of ['GET /', 'GET /index', 'OPTIONS /', 'OPTIONS /index']) {
  // spec 1-2, 1-5, 1-8, 4.1-1, 4.1-2
  test(`${line} answers 200 with a message, without authentication`, async (t) => {
    const service = await startService(t);
    const { status, headers, json } = await service.call(line);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(typeof json['message'], 'string');
  });
}

// spec 4.1-1
test('a public operation ignores wrong credentials', async (t) => {
  const service = await startService(t);
  assert.equal((await service.call('GET /', { as: 'Basic !' })).status, 200);
});
