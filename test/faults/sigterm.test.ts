/** What becomes of the requests that are under way when a server is asked to end. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { createFolder, startServer, type RunningServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';
import { startClients } from '../support/steady-clients.ts';

const ENDS = inFull(30, { short: 4 });
const CLIENTS = 8;
/** Under load before each end. */
const CALM_MS = 400;

test(`${ENDS} times SIGTERM under load: every request that a server took was answered, and nothing else was done`, { timeout: ENDS * 20_000 }, async (t) => {
  const file = join(createFolder(t), 'service.sqlite');
  const environment = { DATABASE_URL: `sqlite:${file}`, ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'root-password' };
  const created = new Set<string>();
  let answers = 0;
  let server = await startServer(t, environment);
  const { json } = await call(server.port, 'POST /api/v1/token?expiration=86400', { as: basic('root', 'root-password') });
  const as = `Bearer ${json['token']}`;
  for (let end = 1; end <= ENDS; end += 1) {
    const options = { port: server.port, as, count: CLIENTS };
    const clients = [true, false].map((keepAlive) => startClients({ ...options, keepAlive, prefix: `end-${end}-${keepAlive}` }));
    await pause(CALM_MS);
    assert.equal(await server.stop('SIGTERM'), 0);
    const tallies = await Promise.all(clients.map((client) => client.stop()));
    const answered = new Set(tallies.flatMap((tally) => [...tally.answered.keys()]));
    answers += answered.size;
    const taken = await readTaken(server);
    assert.deepEqual(taken.filter((id) => id.startsWith('end-') && !answered.has(id)), [], 'taken, and not answered');
    tallies.forEach((tally) => tally.created.forEach((name) => created.add(name)));
    server = await startServer(t, environment);
  }
  await server.stop('SIGTERM');
  const database = new DatabaseSync(file);
  const names = database.prepare('SELECT name FROM projects').all().map(({ name }) => String(name));
  database.close();
  assert.deepEqual(names.sort(), [...created].sort());
  t.diagnostic(`${answers} requests answered, ${created.size} of them writes`);
  assert.ok(answers > ENDS * CLIENTS);
});

/** The ids of all requests in the log of a server that has ended. */
async function readTaken({ logLines }: RunningServer): Promise<string[]> {
  while (!logLines.some((line) => line.includes('"message":"ended"'))) {
    await pause(10); // until the last line has arrived
  }
  return logLines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request').map(({ request_id: id }) => id);
}
