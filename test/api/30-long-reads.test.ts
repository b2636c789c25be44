import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { exchangeRaw, statusOf } from '../support/raw-http.ts';
import { people, type TestService, type World } from '../support/service.ts';
import { until } from '../support/until.ts';

people.each('GET {0} is 503 with Retry-After while too many long reads of the caller wait', [
  '/api/v1/users', '/api/v1/projects', '/api/v1/tokens', '/api/v1/audit_events', '/api/v1/users/root',
  '/api/v1/user',
], async (world, path, t) => {
  const { expect, root: as } = world;
  await makeLong(world, as);
  fillQueue(t, world);
  const { headers } = await expect('503 busy', `GET ${path}`, { as });
  assert.ok(Number(headers['retry-after']) > 0);
});

people.each('While lists of a user fill the queue, the list of {0} is the next', [
  ['another user', async ({ ada: as, expect }: World) => expect(200, 'GET /api/v1/projects', { as })],
  ['another client, which has closed its sending side,', async ({ ada, port }: World) => {
    const bytes = `GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada}\r\n\r\n`;
    assert.equal(statusOf(await exchangeRaw(port, bytes, { keepsSending: false })), 200);
  }],
], async (world, [, send], t) => {
  const { release, untilNextWaits } = fillQueue(t, world);
  const answer = send(world);
  await untilNextWaits();
  release();
  await answer;
});

people('Short records, single projects and probes do not wait for long reads', async (world, t) => {
  const { expect, root: as } = world;
  await world.createProject(as, 'engine');
  fillQueue(t, world);
  for (const path of ['/api/v1/users/root', '/api/v1/user', '/api/v1/projects/engine', '/livez', '/readyz']) {
    await expect(200, `GET ${path}`, { as });
  }
});

people('a waiting read of a long record is 404 if another user has taken the name', async (world, t) => {
  await makeLong(world, world.ada);
  const { release, untilNextWaits } = fillQueue(t, world);
  const answer = world.expect(404, 'GET /api/v1/users/ada', { as: world.ada });
  await untilNextWaits();
  await world.expect(200, 'PATCH /api/v1/users/ada', { as: world.ada, json: { username: 'augusta' } });
  const json = { username: 'ada', password: 'a long phrase of hers', email: 'other@example.org' };
  await world.expect(201, 'POST /api/v1/users', { json });
  release();
  await answer;
}, { directory: 'closed' });

people('GET /metrics counts lists and hashes that were done, refused and dropped', async (world, t) => {
  await world.expect(200, 'GET /api/v1/projects', { as: world.root });
  fillQueue(t, world);
  await world.expect(503, 'GET /api/v1/projects', { as: world.root });
  const { text } = await world.expect(200, 'GET /metrics');
  assert.match(text, /^rollcall_queue_jobs_total\{queue="passwords",outcome="done"\} [1-9]\d*$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="done"\} 1$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="busy"\} [1-9]\d*$/m);
  assert.match(text, /^rollcall_queue_jobs_total\{queue="reads",outcome="dropped"\} 0$/m);
  assert.match(text, /^rollcall_queue_waiting_jobs\{queue="reads"\} [1-9]\d*$/m);
}, { metrics: 'on' });

/** If the record of a user exceeds 4 KiB, reading the record is a long read. */
async function makeLong({ createProject }: TestService, as: string): Promise<void> {
  for (const name of ['a', 'b', 'c']) {
    await createProject(as, name, 'x'.repeat(2_000));
  }
}

/** Adds jobs of the user `root` until the queue refuses a job. `release` ends all running jobs. */
function fillQueue(t: TestContext, { queues: { reads } }: TestService) {
  const first = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  t.after(() => end.resolve());
  const client = { groups: ['user 3'], isWanted: () => true };
  for (let count = 0; count < 20; count += 1) {
    void reads.run(() => first.promise, client);
  }
  while (reads.measures.busy === 0) {
    void reads.run(() => end.promise, client);
  }
  const { waiting } = reads.measures;
  return { release: first.resolve, untilNextWaits: () => until(() => reads.measures.waiting > waiting) };
}
