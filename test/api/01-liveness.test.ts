/** Tests the section "GET / and GET /index (also OPTIONS)" of the specification. */
import assert from 'node:assert/strict';
import { api } from '../support/service.ts';

for (const line of ['GET /', 'GET /index', 'OPTIONS /', 'OPTIONS /index']) {
  // spec 1-2, 1-5, 1-8, 4.1-1, 4.1-2
  api(`${line} answers 200 with a message, without authentication`, async (service) => {
    const { headers, json } = await service.expect(200, line);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(typeof json['message'], 'string');
  });
}

// spec 4.1-1
api('a public operation ignores wrong credentials', async (service) => {
  await service.expect(200, 'GET /', { as: 'Basic !' });
});
