/** From a file into a cluster and back, in the steps that the README names. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startCluster } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { call } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';

const ADA = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };

test('A file moves into a cluster and back, and the service goes on with what is in it', { skip: skipWithoutCluster }, async (t) => {
  const folder = createFolder(t);
  const nodes = await startCluster(t);
  const [node] = nodes.all;
  const base = `http://127.0.0.1:${node?.port}`;
  const as = basic(ADA.username, ADA.password);

  const first = await startServer(t, { DATABASE_URL: `sqlite:${folder}/service.sqlite` });
  assert.equal((await call(first.port, 'POST /api/v1/users', { json: ADA })).status, 201);
  await first.stop('SIGTERM');

  const file = new DatabaseSync(join(folder, 'service.sqlite'));
  file.exec(`VACUUM INTO '${folder}/moving.sqlite'`);
  file.close();
  const body = readFileSync(join(folder, 'moving.sqlite'));
  const loaded = await fetch(`${base}/db/load`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body });
  assert.equal(loaded.status, 200);

  const second = await startServer(t, { DATABASE_URL: nodes.url });
  assert.equal((await call(second.port, 'POST /api/v1/projects', { as, json: { name: 'engine' } })).status, 201);
  await second.stop('SIGTERM');

  const backup = await fetch(`${base}/db/backup`);
  writeFileSync(join(folder, 'back.sqlite'), Buffer.from(await backup.arrayBuffer()));
  const third = await startServer(t, { DATABASE_URL: `sqlite:${folder}/back.sqlite` });
  assert.equal((await call(third.port, 'GET /api/v1/projects/engine', { as })).status, 200);
  assert.equal((await call(third.port, 'GET /api/v1/users?contains=ad', { as })).json['users'].length, 1);
});
