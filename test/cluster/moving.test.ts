/** Moving from a file into a cluster and back, in the steps of the README. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCluster } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { call } from '../support/http-client.ts';
import { createFolder, run, startServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';

const ADA = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };

test('Data moved into a cluster and back is identical line by line, and the service works with it',
  { skip: skipWithoutCluster }, async (t) => {
    const folder = createFolder(t);
    const nodes = await startCluster(t);
    const as = basic(ADA.username, ADA.password);
    const [first, cluster, third] = [
      `sqlite:${folder}/first.sqlite`, nodes.url, `sqlite:${folder}/third.sqlite`,
    ];
    const admin = async (url: string, ...programArguments: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run('admin.js', programArguments, {
        environment: { DATABASE_URL: url }, cwd: folder,
      });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    // skips the first line, which has the time of the export
    const readLines = (file: string) => readFileSync(join(folder, file), 'utf8').split('\n').slice(1);

    const before = await startServer(t, { DATABASE_URL: first });
    assert.equal((await call(before.port, 'POST /api/v1/users', { json: ADA })).status, 201);
    assert.equal(
      (await call(before.port, 'POST /api/v1/projects', { as, json: { name: 'engine' } })).status, 201,
    );
    const { token } = (await call(before.port, 'POST /api/v1/token', { as })).json;
    await before.stop('SIGTERM');

    await admin(first, 'export', 'first.jsonl');
    assert.match(await admin(cluster, 'import', 'first.jsonl'), /^Imported \d+ records/);
    await admin(cluster, 'export', 'cluster.jsonl');
    assert.deepEqual(readLines('cluster.jsonl'), readLines('first.jsonl'));
    assert.equal(await admin(cluster, 'check'), 'No problems found\n');
    const within = await startServer(t, { DATABASE_URL: cluster });
    assert.equal((await call(
      within.port, 'GET /api/v1/users?contains=ad', { as: `Bearer ${token}` },
    )).json['users'][0].projects.length, 1);
    assert.equal(
      (await call(within.port, 'POST /api/v1/projects', { as, json: { name: 'loom' } })).json['id'], 2,
    );
    await within.stop('SIGTERM');

    await admin(cluster, 'export', 'back.jsonl');
    await admin(third, 'import', 'back.jsonl');
    const after = await startServer(t, { DATABASE_URL: third });
    assert.equal(
      (await call(after.port, 'GET /api/v1/projects/loom', { as: `Bearer ${token}` })).status, 200,
    );
  });
