/**
 * Tests a file that becomes unwritable while the service runs. The causes are a size limit that is removed
 * later, and a faulty disk that the system makes read-only until it is repaired.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { ADMINISTRATOR, ROOT, issueRootToken } from '../support/administrator.ts';
import { createDisk, skipWithoutDisks, type Disk } from '../support/disks.ts';
import { call } from '../support/http-client.ts';
import { createFolder, startServer, type RunningServer } from '../support/programs.ts';

const CLIENTS = 8;
const WRITES = 40;

function toEnvironment(file: string) {
  return { DATABASE_URL: `sqlite:${file}`, ...ADMINISTRATOR };
}

/**
 * Creates projects with several concurrent clients.
 *
 * @returns The names of the projects by the status of the response.
 */
async function createProjects({ port }: RunningServer, as: string, prefix: string) {
  const names = new Map<number, string[]>();
  const description = 'x'.repeat(1_000);
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let index = 1; index <= WRITES / CLIENTS; index += 1) {
      const name = `${prefix}-${client}-${index}`;
      const { status } = await call(port, 'POST /api/v1/projects', { as, json: { name, description } });
      names.set(status, [...(names.get(status) ?? []), name]);
    }
  }));
  return names;
}

async function issueToken({ port }: RunningServer): Promise<string> {
  const as = await issueRootToken(port);
  assert.equal((await call(port, 'GET /api/v1/user', { as })).status, 200); // records the use of the token
  return as;
}

/** Asserts that writes are 503 without effect, and that reads and sign-ins work. */
async function checkOutage(server: RunningServer, as: string, acknowledged: number): Promise<void> {
  assert.deepEqual([...(await createProjects(server, as, 'refused')).keys()], [503]);
  for (const credentials of [as, ROOT]) {
    const { status, headers } = await call(server.port, 'GET /api/v1/projects', { as: credentials });
    assert.deepEqual([status, headers['count']], [200, String(acknowledged)]);
  }
  assert.equal((await call(server.port, 'GET /readyz')).status, 200);
}

test('while a file cannot grow, writes are 503, reads work, and nothing is lost', async (t) => {
  const file = join(createFolder(t), 'service.sqlite');
  const server = await startServer(t, toEnvironment(file));
  const pid = `--pid=${server.process.pid}`;
  const limitFile = (limit: string) => spawnSync('prlimit', [pid, `--fsize=${limit}:`]);
  const as = await issueToken(server);
  assert.equal((await createProjects(server, as, 'before')).get(201)?.length, WRITES);

  assert.equal(limitFile('4096').status, 0);
  await checkOutage(server, as, WRITES);
  limitFile('unlimited');

  assert.equal((await createProjects(server, as, 'after')).get(201)?.length, WRITES);
  await server.stop('SIGKILL');
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  assert.equal(ask('PRAGMA integrity_check'), 'ok');
  assert.equal(ask("SELECT count(*) FROM projects WHERE name NOT LIKE 'refused-%'"), 2 * WRITES);
  assert.equal(ask('SELECT count(*) FROM projects'), 2 * WRITES);
});

/**
 * Creates a file system that becomes read-only after an error. Only root can create the necessary loop
 * device.
 */
function mountFileSystem(t: TestContext, { folder, launcher }: Disk) {
  const run = (script: string) => {
    const [program = '', ...programArguments] = [...launcher, 'sh', '-c', script];
    return spawnSync(program, programArguments, { encoding: 'utf8' });
  };
  const mount = `mount -o loop,errors=remount-ro ${folder}/image ${folder}/files`;
  const device = `$(findmnt -no SOURCE ${folder}/files)`;
  const makeImage = `truncate -s 16M ${folder}/image && mkfs.ext4 -q ${folder}/image`;
  const { status } = run(`mkdir ${folder}/files && ${makeImage} && ${mount}`);
  t.after(() => run(`umount ${folder}/files`));
  return {
    isThere: status === 0,
    fail: () => run(`echo simulated > /sys/fs/ext4/$(basename ${device})/trigger_fs_error`),
    repair: () => run(`umount ${folder}/files && fsck.ext4 -fy ${folder}/image; ${mount}`).status === 0,
  };
}

test('on a disk that becomes read-only, writes are 503, reads work, and no data is lost after repair', {
  skip: skipWithoutDisks,
}, async (t) => {
  const disk = await createDisk(t, 33_554_432);
  const fileSystem = mountFileSystem(t, disk);
  if (!fileSystem.isThere) {
    return t.skip('no loop device can be mounted here: run it as root');
  }
  const environment = toEnvironment(`${disk.folder}/files/service.sqlite`);
  const server = await startServer(t, environment, disk);
  const as = await issueToken(server);
  assert.equal((await createProjects(server, as, 'before')).get(201)?.length, WRITES);

  fileSystem.fail();
  await checkOutage(server, as, WRITES);
  assert.equal(await server.stop('SIGTERM'), 0);
  await assert.rejects(startServer(t, environment, disk), /ended with 1: Cannot open the database file/);

  assert.ok(fileSystem.repair());
  const next = await startServer(t, environment, disk);
  assert.equal((await call(next.port, 'GET /api/v1/projects', { as })).headers['count'], String(WRITES));
  assert.equal((await createProjects(next, as, 'after')).get(201)?.length, WRITES);
  assert.equal(await next.stop('SIGTERM'), 0);
});
