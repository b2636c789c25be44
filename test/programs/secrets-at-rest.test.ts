import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from '../support/http-client.ts';
import { createInstallation } from '../support/programs.ts';
import { basic } from '../support/service.ts';

test('no database file and no log line contains a password or a token', async (t) => {
  const { folder, start } = createInstallation(t);
  const { port, logLines, stop } = await start();
  const password = 'Pa55word-of-ada';
  const json = { username: 'ada', email: 'ada@example.org', password };
  await call(port, 'POST /api/v1/users', { json });
  const { json: issued } = await call(port, 'POST /api/v1/token', { as: basic('ada', password) });
  await call(port, 'GET /api/v1/user', { as: `Bearer ${issued['token']}` });
  await call(port, 'GET /api/v1/user', { as: basic('ada', `${password}!`) });
  const running = readAll(folder); // while the server runs, the files include the write-ahead log
  await stop('SIGTERM');
  const stored = running + readAll(folder) + logLines.join('\n');
  assert.ok(stored.includes('ada@example.org'));
  for (const secret of [password, String(issued['token']), basic('ada', password).slice('Basic '.length)]) {
    assert.ok(!stored.includes(secret), secret);
  }
});

function readAll(folder: string): string {
  return readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1')).join('\n');
}
