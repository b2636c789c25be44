/** Follows the page about clusters: moves the data from a file into a cluster, and back into a file. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Node } from '../../scripts/nodes.ts';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { clusterTest, startCluster } from '../support/cluster.ts';
import { createFilledFile } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { createFolder, run, startServer } from '../support/programs.ts';

const OWNERS = 1_000;

async function admin(url: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('admin.js', words, { environment: { DATABASE_URL: url } });
  assert.equal(code, 0, stderr);
  return stdout;
}

async function withService<Result>(
  t: TestContext, url: string, use: (port: number) => Promise<Result>,
): Promise<Result> {
  const server = await startServer(t, { DATABASE_URL: url, ...ADMINISTRATOR });
  const result = await use(server.port);
  assert.equal(await server.stop('SIGTERM'), 0);
  return result;
}

async function load({ port }: Node, file: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/db/load`, {
    method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: readFileSync(file),
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function backUp({ port }: Node, file: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/db/backup`);
  assert.equal(answer.status, 200);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
}

/**
 * Creates a project.
 * @returns The number of users, the number of earlier projects, and the id of the new project.
 */
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
    const file = `sqlite:${await createFilledFile(t, owners)}`;
    const as = await withService(t, file, issueRootToken);
    const folder = createFolder(t);
    const [there, back] = [join(folder, 'there.sqlite'), join(folder, 'back.sqlite')];
    await admin(file, 'backup', there);

    const nodes = await startCluster(t);
    const [node] = nodes.all;
    await load(node, there);
    const within = await withService(t, nodes.url, (port) => visit(port, as, 'in the cluster'));
    assert.deepEqual(within, [OWNERS + 1, OWNERS, OWNERS + 1]);
    assert.equal(await admin(nodes.url, 'check'), 'No problems found\n');

    await backUp(nodes.all[0], back);
    assert.match(await admin(file, 'restore', back), /^Restored/);
    const after = await withService(t, file, (port) => visit(port, as, 'in the file'));
    assert.deepEqual(after, [OWNERS + 1, OWNERS + 1, OWNERS + 2]);
    assert.equal(await admin(file, 'check'), 'No problems found\n');
  });

clusterTest('After a file was loaded into a cluster, audit events cannot be replaced', async (t) => {
  const file = await createFilledFile(t, []);
  await withService(t, `sqlite:${file}`, async () => {});
  const nodes = await startCluster(t);
  const [node] = nodes.all;
  await load(node, file);
  await withService(t, nodes.url, async () => {});
  const answer = await fetch(`http://127.0.0.1:${node.port}/db/execute?transaction`, {
    method: 'POST',
    body: JSON.stringify(['INSERT OR REPLACE INTO audit_events SELECT * FROM audit_events']),
  });
  assert.match(await answer.text(), /"error":"Audit events cannot be replaced"/);
});

clusterTest('The service starts on a backup that rqlite makes, of a cluster that was never a file',
  async (t) => {
    const nodes = await startCluster(t);
    const as = await withService(t, nodes.url, issueRootToken);
    const file = join(createFolder(t), 'service.sqlite');
    await backUp(nodes.all[0], file);
    const within = await withService(t, `sqlite:${file}`, (port) => visit(port, as, 'first'));
    assert.deepEqual(within, [1, 0, 1]);
    assert.equal(await admin(`sqlite:${file}`, 'check'), 'No problems found\n');
  });
