/** Tests a running service while its disk fills up, and after space is freed. */
import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ADMINISTRATOR, ROOT, issueRootToken } from '../support/administrator.ts';
import { createDisk, skipWithoutDisks } from '../support/disks.ts';
import { call, type Answer } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';

const DISK_BYTES = 4_194_304;
/**
 * The maximum number of writes until the disk is full. The existing pages of SQLite's log hold fewer writes.
 */
const WRITES_MAX = 1_000;
const DESCRIPTION = 'x'.repeat(2_000);
const TEST_OPTIONS = { skip: skipWithoutDisks };

test('on a full disk changes are 507 and reads work, also after kill -9; with space it recovers',
  TEST_OPTIONS, async (t) => {
    const disk = await createDisk(t, DISK_BYTES);
    const environment = {
      DATABASE_URL: `sqlite:${disk.folder}/service.sqlite`, ...ADMINISTRATOR,
    };
    const acknowledged: string[] = [];
    let server = await startServer(t, environment, disk);
    const token = await issueRootToken(server.port);

    async function create(name: string): Promise<Answer> {
      const answer = await call(server.port, 'POST /api/v1/projects', {
        as: token, json: { name, description: DESCRIPTION },
      });
      if (answer.status === 201) {
        acknowledged.push(name);
      }
      return answer;
    }

    async function createUntilFull(prefix: string): Promise<Answer> {
      for (let index = 0; index < WRITES_MAX; index += 1) {
        const answer = await create(`${prefix}-${index}`);
        if (answer.status !== 201) {
          return answer;
        }
      }
      throw new Error('The disk does not fill up');
    }

    async function checkReads(): Promise<void> {
      for (const line of [
        'GET /readyz', 'GET /api/v1/user', `GET /api/v1/projects/${acknowledged.at(-1)}`, 'GET /api/v1/users',
      ]) {
        for (const as of [token, ROOT]) {
          assert.equal((await call(server.port, line, { as })).status, 200, line);
        }
      }
    }

    await create('before');
    fill(`${disk.outside}/filler`);
    const refusal = await createUntilFull('filling');
    assert.deepEqual([refusal.status, refusal.json['type']], [507, '/static/problems.html#storage-full']);
    assert.equal((await call(server.port, 'POST /api/v1/token', { as: ROOT })).status, 507);
    await checkReads();

    await server.stop('SIGKILL');
    server = await startServer(t, environment, disk);
    await checkReads();
    assert.equal((await createUntilFull('after-restart')).status, 507);

    rmSync(`${disk.outside}/filler`);
    assert.equal((await create('with-space')).status, 201);
    assert.equal(
      (await call(server.port, 'GET /api/v1/projects?items_per_page=1000', { as: token })).headers['count'],
      String(acknowledged.length),
    );
    assert.equal(await server.stop('SIGTERM'), 0);
    const copy = join(createFolder(t), 'service.sqlite');
    // the database is copied, because SQLite would resolve the link to a path outside the namespace
    copyFileSync(`${disk.outside}/service.sqlite`, copy);
    const database = new DatabaseSync(copy);
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
    assert.equal(
      database.prepare('SELECT count(*) AS count FROM projects').get()?.['count'], acknowledged.length,
    );
    database.close();
  });

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) {
      writeSync(descriptor, Buffer.alloc(4096));
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(descriptor);
  }
}
