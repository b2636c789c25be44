/** Reads that may take long wait in a queue by user, and are refused if it is too long. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { until } from '../support/open-socket.ts';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';

const LONG = [
  '/api/v1/users', '/api/v1/projects', '/api/v1/tokens', '/api/v1/audit_events', '/api/v1/users/root',
  '/api/v1/user',
];

for (const path of LONG) {
  test(`GET ${path} is 503 with Retry-After while too many long reads of the caller wait`, async (t) => {
    const { service, root } = await createWorld(t);
    for (const name of ['a', 'b', 'c']) { // more than the 4 KiB of a short record
      const json = { name, description: 'x'.repeat(2_000) };
      await service.expect(201, 'POST /api/v1/projects', { as: root, json });
    }
    fillQueue(t, service, 'user 1');
    const { status, headers, json } = await service.call(`GET ${path}`, { as: root });
    assert.deepEqual([status, json['type']], [503, '/static/problems.html#busy']);
    assert.ok(Number(headers['retry-after']) > 0);
  });
}

test('While lists of a user fill the queue, the list of another user is the next', async (t) => {
  const { service, ada } = await createWorld(t);
  const { release } = fillQueue(t, service, 'user 1');
  const { measures } = service.queues.reads;
  const waitingBefore = measures.waiting;
  const answer = service.call('GET /api/v1/projects', { as: ada });
  await until(() => measures.waiting > waitingBefore);
  release();
  assert.equal((await answer).status, 200);
});

test('A client that closes its sending side while it waits for a list gets the list', async (t) => {
  const { service, ada } = await createWorld(t);
  const { release } = fillQueue(t, service, 'user 1');
  const { measures } = service.queues.reads;
  const waitingBefore = measures.waiting;
  const bytes = `GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada}\r\n\r\n`;
  const answer = exchangeRaw(service.port, bytes, { keepsSending: false });
  await until(() => measures.waiting > waitingBefore);
  release();
  assert.equal(statusOf(await answer), 200);
});

test('Short records, single projects and probes do not wait for long reads', async (t) => {
  const { service, root } = await createWorld(t);
  await service.createProject(root, 'engine');
  fillQueue(t, service, 'user 1');
  const short = ['/api/v1/users/root', '/api/v1/user', '/api/v1/projects/engine', '/livez', '/readyz'];
  for (const path of short) {
    assert.equal((await service.call(`GET ${path}`, { as: root })).status, 200, path);
  }
});

test('GET /metrics counts lists and password hashes that were done, refused and dropped', async (t) => {
  const { service, root } = await createWorld(t);
  await service.call('GET /api/v1/projects', { as: root });
  fillQueue(t, service, 'user 1');
  await service.call('GET /api/v1/projects', { as: root });
  const { text } = await service.call('GET /metrics');
  assert.match(text, /^rollcall_queue_jobs_total\{queue="passwords",outcome="done"\} [1-9]\d*$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="done"\} 1$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="busy"\} [1-9]\d*$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="dropped"\} 0$/m);
  assert.match(text, /^rollcall_queue_waiting_jobs\{queue="reads"\} [1-9]\d*$/m);
});

/** More than run at once, so that the queue goes on to other sources. */
const FIRST_READS = 20;

async function createWorld(t: TestContext) {
  const service = await startService(t, { metrics: 'on' });
  const root = await service.registerAdministrator('root'); // user 1
  const ada = await service.registerWithToken('ada');
  return { service, root, ada };
}

/** Lets reads of one source wait until its next read is refused. `release` ends those that come first. */
function fillQueue(t: TestContext, { queues: { reads } }: TestService, source: string) {
  const first = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  t.after(() => end.resolve());
  const client = { groups: [source], isWanted: () => true };
  for (let count = 0; count < FIRST_READS; count += 1) {
    void reads.run(() => first.promise, client);
  }
  while (reads.measures.busy === 0) {
    void reads.run(() => end.promise, client);
  }
  return { release: first.resolve };
}
