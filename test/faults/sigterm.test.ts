import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startClients } from '../support/clients.ts';
import { inFull } from '../support/faults.ts';
import { startWithRoot } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { columnIn, startServer, type RunningServer } from '../support/programs.ts';
import { until } from '../support/until.ts';

const ENDS = inFull(30, { short: 3 });
const CLIENTS = 8;
const REGISTRATIONS = inFull(4, { short: 1 });
const ANSWERS = 100;

test(`${ENDS} times SIGTERM under load: accepted requests are answered, others have no effect`, async (t) => {
  const created = new Set<string>();
  let answers = 0;
  const { path, environment, as, server: first } = await startWithRoot(t, { TRUST_PROXY: '127.0.0.1' });
  let server: RunningServer = first;
  for (let end = 1; end <= ENDS; end += 1) {
    const options = { port: server.port, as, count: CLIENTS };
    const clients = [true, false]
      .map((keepAlive) => startClients(t, { ...options, keepAlive, prefix: `end-${end}-${keepAlive}` }));
    await until(() => clients.every(({ tally }) => tally.answered.size >= ANSWERS), 10);
    const registrations = Array.from({ length: REGISTRATIONS }, (_, index) => {
      const json = { username: `user-${end}-${index}`, password: 'a long phrase', email: 'a@example.org' };
      return call(server.port, 'POST /api/v1/users', { json });
    });
    // `GET /` is faster than a password hash, so the registrations are still in flight.
    await call(server.port, 'GET /');
    assert.equal(await server.stop('SIGTERM'), 0);
    const statuses = (await Promise.all(registrations)).map(({ status }) => status);
    assert.deepEqual(statuses, Array(REGISTRATIONS).fill(201));
    const tallies = await Promise.all(clients.map((client) => client.stop()));
    const answered = new Set(tallies.flatMap((tally) => [...tally.answered]));
    answers += answered.size;
    const taken = await readTaken(server);
    assert.deepEqual(
      taken.filter((id) => id.startsWith('end-') && !answered.has(id)), [], 'taken, and not answered',
    );
    tallies.forEach((tally) => tally.created.forEach((_, name) => created.add(name)));
    server = await startServer(t, environment);
  }
  await server.stop('SIGTERM');
  assert.deepEqual(columnIn(path, 'SELECT name FROM projects').toSorted(), [...created].sort());
  assert.ok(answers > ENDS * CLIENTS);
});

async function readTaken({ process, logLines }: RunningServer): Promise<string[]> {
  await until(() => process.stdout.readableEnded, 10); // now the last line of the log has arrived
  return logLines.map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'request')
    .map(({ request_id: id }) => id);
}
