import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Node } from '../../scripts/nodes.ts';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { clusterTest, startCluster } from '../support/cluster.ts';
import { createFilled } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { createInstallation } from '../support/programs.ts';

const OWNERS = 1_000;

type Installation = ReturnType<typeof createInstallation>;

async function withService<Result>({ start }: Installation, use: (port: number) => Promise<Result>) {
  const server = await start();
  const result = await use(server.port);
  assert.equal(await server.stop('SIGTERM'), 0);
  return result;
}

async function startEmpty(t: TestContext) {
  const { url, all: [node] } = await startCluster(t);
  return { node, cluster: createInstallation(t, { ...ADMINISTRATOR, DATABASE_URL: url }) };
}

/** Asks again during an election of a leader. An election on a busy machine can take seconds. */
async function ask({ port }: Node, path: string, init?: RequestInit): Promise<Buffer> {
  for (;; await pause(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const content = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 503 || !/leader not found/.test(String(content))) {
      assert.equal(answer.status, 200, String(content));
      return content;
    }
  }
}

const load = (node: Node, file: string) => ask(node, '/db/load', {
  method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: readFileSync(file),
});
const backUp = async (node: Node, file: string) => writeFileSync(file, await ask(node, '/db/backup'));

/** @returns The numbers of users and of earlier projects, and the id of the created project. */
async function visit(port: number, as: string, project: string) {
  const users = await call(port, 'GET /api/v1/users', { as });
  const projects = await call(port, 'GET /api/v1/projects', { as });
  const created = await call(port, 'POST /api/v1/projects', { as, json: { name: project } });
  return [Number(users.headers['total']), Number(projects.headers['total']), created.json['id']];
}

clusterTest(`${OWNERS} users, their projects and a token move from a file into a cluster, and back`,
  async (t) => {
    const owners = Array.from({ length: OWNERS }, (_, index) => (
      { username: `owner ${index}`, projects: 1, description: 'Zoë' }
    ));
    const file = await createFilled(t, ADMINISTRATOR, owners);
    const as = await withService(file, issueRootToken);
    await file.mustAdmin('backup there.sqlite');

    const { node, cluster } = await startEmpty(t);
    await load(node, join(file.folder, 'there.sqlite'));
    const within = await withService(cluster, (port) => visit(port, as, 'in the cluster'));
    assert.deepEqual(within, [OWNERS + 1, OWNERS, OWNERS + 1]);
    assert.equal(await cluster.mustAdmin('check'), 'No problems found\n');

    await backUp(node, join(file.folder, 'back.sqlite'));
    assert.match(await file.mustAdmin('restore back.sqlite'), /^Restored/);
    const after = await withService(file, (port) => visit(port, as, 'in the file'));
    assert.deepEqual(after, [OWNERS + 1, OWNERS + 1, OWNERS + 2]);
    assert.equal(await file.mustAdmin('check'), 'No problems found\n');
  });

clusterTest('After a file was loaded into a cluster, audit events cannot be replaced', async (t) => {
  const file = createInstallation(t, ADMINISTRATOR);
  await withService(file, async () => {});
  const { node, cluster } = await startEmpty(t);
  await load(node, file.path);
  await withService(cluster, async () => {});
  const answer = await ask(node, '/db/execute?transaction', {
    method: 'POST',
    body: JSON.stringify(['INSERT OR REPLACE INTO audit_events SELECT * FROM audit_events']),
  });
  assert.match(String(answer), /"error":"Audit events cannot be replaced"/);
});

clusterTest('The service starts on a backup that rqlite makes, of a cluster that was never a file',
  async (t) => {
    const { node, cluster } = await startEmpty(t);
    const as = await withService(cluster, issueRootToken);
    const file = createInstallation(t, ADMINISTRATOR);
    await backUp(node, file.path);
    const within = await withService(file, (port) => visit(port, as, 'first'));
    assert.deepEqual(within, [1, 0, 1]);
    assert.equal(await file.mustAdmin('check'), 'No problems found\n');
  });
