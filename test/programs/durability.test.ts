/** What was acknowledged is there after `kill -9`, and nothing is there by half. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { call } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';

const CYCLES = 20;
const WRITERS = 4;
/** Acknowledgements after which the process is killed, while other writes are under way. */
const KILLED_AFTER = 25;

test(`${CYCLES} times kill -9 under concurrent writes lose no acknowledged write`, { timeout: 120_000 }, async (t) => {
  const file = join(createFolder(t), 'service.sqlite');
  const environment = { DATABASE_URL: `sqlite:${file}`, ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'root-password' };
  const as = basic('root', 'root-password');
  const acknowledged = new Set<string>();

  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const server = await startServer(t, environment);
    const before = acknowledged.size;
    await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 1; server.process.signalCode === null; index += 1) {
        const name = `project-${cycle}-${writer}-${index}`;
        const status = await call(server.port, 'POST /api/v1/projects', { as, json: { name, description: name } })
          .then((answer) => answer.status, () => undefined); // the connection broke: the outcome is unknown
        if (status === 201) {
          acknowledged.add(name);
        }
        if (acknowledged.size - before >= KILLED_AFTER) {
          await server.stop('SIGKILL');
        }
      }
    }));
    assert.deepEqual(findLost(file, acknowledged), [], `lost after cycle ${cycle}`);
  }
  assert.ok(acknowledged.size >= CYCLES * KILLED_AFTER);
});

/** Checks the file as the killed process left it. @returns The acknowledged projects that are missing or not whole. */
function findLost(file: string, acknowledged: ReadonlySet<string>): string[] {
  const database = new DatabaseSync(file);
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
  assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), []);
  const rows = database.prepare('SELECT name, description FROM projects').all();
  database.close();
  assert.ok(rows.every(({ name, description }) => name === description));
  const present = new Set(rows.map(({ name }) => name));
  return [...acknowledged].filter((name) => !present.has(name));
}
