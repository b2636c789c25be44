import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ADMINISTRATOR, ROOT, issueRootToken } from '../support/administrator.ts';
import { startClients } from '../support/clients.ts';
import { createDisk, skipWithoutDisks, type Disk } from '../support/disks.ts';
import { call } from '../support/http-client.ts';
import { columnIn, createFolder, createInstallation, type RunningServer } from '../support/programs.ts';
import { until } from '../support/until.ts';

const WRITES = 40;
const MIB = 1_048_576;

async function start(t: TestContext, folder: string, disk?: Disk) {
  const { start: startIn } = createInstallation(t, ADMINISTRATOR, `${folder}/service.sqlite`);
  const launch = () => startIn(disk);
  const created: string[] = [];
  let server: RunningServer = await launch();
  const as = await issueRootToken(server.port);
  await expect(200, 'GET /api/v1/user'); // for this request, the server stores when the token was used

  async function expect(status: number, line: string, credentials = as) {
    const answer = await call(server.port, line, { as: credentials });
    assert.equal(answer.status, status, `${line}: ${answer.text}`);
    return answer;
  }

  /** Creates at least `enough` projects, but stops when the server refuses a change. */
  async function create(prefix: string, enough: number) {
    const { tally, stop } = startClients(t, { port: server.port, as, count: 8, prefix });
    const listRefusals = () => [...tally.unknown, ...tally.wrong];
    await until(() => tally.created.size >= enough || listRefusals().length > 0, 1);
    await stop();
    created.push(...tally.created.keys());
    return { accepted: tally.created.size, refusals: listRefusals() };
  }

  return {
    launch,
    server: () => server,
    createAll: async (prefix: string) => assert.deepEqual((await create(prefix, WRITES)).refusals, []),
    async checkOutage(prefix: string, status: number, problem: string) {
      const { accepted, refusals } = await create(prefix, Infinity);
      // On a full disk, some changes still fit into the existing pages of SQLite's write-ahead log.
      assert.ok(status === 507 || accepted === 0, 'one is accepted');
      for (const refusal of refusals) {
        assert.ok(refusal.includes(`problems.html#${problem}"`) && refusal.includes(`:${status},`), refusal);
      }
      await expect(status, 'POST /api/v1/token');
      for (const credentials of [as, ROOT]) {
        await expect(200, 'GET /readyz', credentials);
        await expect(200, `GET /api/v1/projects/${created.at(-1)}`, credentials);
        const { headers } = await expect(200, 'GET /api/v1/projects?items_per_page=1', credentials);
        assert.equal(headers['total'], String(created.length));
      }
    },
    async restart(signal: 'SIGTERM' | 'SIGKILL') {
      await server.stop(signal);
      server = await launch();
    },
    async checkFile(outside = folder) {
      assert.equal(await server.stop('SIGTERM'), 0);
      const copy = join(createFolder(t), 'service.sqlite');
      copyFileSync(`${outside}/service.sqlite`, copy); // SQLite cannot follow the link in the path `outside`
      assert.deepEqual(columnIn(copy, 'PRAGMA integrity_check'), ['ok']);
      assert.deepEqual(columnIn(copy, 'SELECT name FROM projects').toSorted(), created.sort());
    },
  };
}

const options = { skip: skipWithoutDisks };

test('on a full disk changes are 507 and reads work, also after kill -9; it recovers', options, async (t) => {
  // The disk has room for the database and its write-ahead log, so the last checkpoint can remove the log.
  const disk = await createDisk(t, 16 * MIB);
  const service = await start(t, disk.folder, disk);
  await service.createAll('before');
  assert.equal(spawnSync('sh', ['-c', `cat /dev/zero > ${disk.outside}/filler`]).status, 1);
  await service.checkOutage('full', 507, 'storage-full');
  await service.restart('SIGKILL');
  await service.checkOutage('after-restart', 507, 'storage-full');
  rmSync(`${disk.outside}/filler`);
  await service.createAll('with-space');
  await service.checkFile(disk.outside);
});

test('while a file cannot grow, changes are 503, reads work, and no data is lost', async (t) => {
  const service = await start(t, createFolder(t));
  await service.createAll('before');
  const limitFile = (limit: string) => {
    const { status } = spawnSync('prlimit', [`--pid=${service.server().process.pid}`, `--fsize=${limit}:`]);
    assert.equal(status, 0);
  };
  limitFile('4096');
  await service.checkOutage('refused', 503, 'database-unavailable');
  limitFile('unlimited');
  await service.createAll('after');
  await service.restart('SIGKILL');
  await service.checkFile();
});

/** Mounts a file system that becomes read-only after an error. Only root can create the loop device. */
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

test('on a disk that becomes read-only, changes are 503, reads work, no data is lost', options, async (t) => {
  const disk = await createDisk(t, 32 * MIB);
  const fileSystem = mountFileSystem(t, disk);
  if (!fileSystem.isThere) {
    return t.skip('no loop device can be mounted here: run it as root');
  }
  const service = await start(t, `${disk.folder}/files`, disk);
  await service.createAll('before');
  fileSystem.fail();
  await service.checkOutage('refused', 503, 'database-unavailable');
  assert.equal(await service.server().stop('SIGTERM'), 0);
  await assert.rejects(service.launch(), /ended with 1: Cannot open the database file/);
  assert.ok(fileSystem.repair());
  await service.restart('SIGTERM');
  await service.createAll('after');
  await service.checkFile(`${disk.outside}/files`);
});
