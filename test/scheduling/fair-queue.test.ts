import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  createFairQueue, createLoopShare, type FairQueue, type QueueClient,
} from '../../src/scheduling/fair-queue.ts';
import { starting } from '../support/each.ts';
import { listen } from '../support/listen.ts';
import { openSocket } from '../support/raw-http.ts';

const queues = starting(async (t, limits?: Partial<Parameters<typeof createFairQueue>[0]>) => {
  const clock = { nowMs: 0 };
  t.mock.method(performance, 'now', () => clock.nowMs);
  const queue = createFairQueue({ runningMax: 1, waitMsMax: 60_000, durationMsGuessed: 150, ...limits });
  return { clock, queue };
});

queues('Two jobs run at once, and a third starts when one of them ends', async ({ queue }) => {
  const jobs = startJobs(queue, 4);
  await expectStates(jobs, 'running running waiting waiting');
  jobs[1]?.finish();
  await expectStates(jobs, 'running done running waiting');
  jobs[0].finish();
  await expectStates(jobs, 'done done running running');
}, { runningMax: 2 });

// In the name of a job such as `p/a1`, `p/a` is the path of the groups, and `1` is the number of the job.
queues.each('Waiting jobs {0}', [
  ['of one client start in the order of arrival', 'a1 a2 a3 a4', 'a1 a2 a3 a4'],
  ['of several clients start in turns', 'a1 a2 a3 b1 c1 b2 c2', 'a1 c1 b1 a2 c2 b2 a3'],
  ['of clients that had no turn come first, twice from the newest and twice from the oldest',
    'a1 a2 b1 c1 d1 e1 f1', 'a1 f1 b1 c1 e1 d1 a2'],
  ['of two groups alternate, however many clients one has',
    'p/a1 p/b1 p/c1 q/a1 q/a2', 'p/a1 q/a1 p/b1 q/a2 p/c1'],
  ['of one group take turns in it', 'p/a1 p/a2 p/a3 p/b1 p/b2', 'p/a1 p/b1 p/a2 p/b2 p/a3'],
], async ({ queue }, [, sources, expected]) => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const source of sources.split(' ')) {
    void queue.run(async () => {
      order.push(source);
      await promise;
    }, from(source.slice(0, -1)));
  }
  resolve();
  await setImmediate();
  assert.equal(order.join(' '), expected);
});

queues.each('With a limit of {0} ms, {1} jobs of 150 ms wait, and the next is busy', [
  [0, 0, 1], [149, 0, 1], [150, 1, 1], [5_000, 33, 6],
], async ({ queue }, [, places, seconds]) => {
  for (const burst of ['first', 'second']) {
    const jobs = startJobs(queue, places + 1, from(burst));
    const refused = await queue.run(async () => {}, from(burst));
    // After `seconds`, the earlier jobs are probably done, so the client should retry then.
    assert.deepEqual(refused, { kind: 'busy', retryAfterSeconds: seconds });
    await expectStates(jobs, `running${' waiting'.repeat(places)}`);
    jobs.forEach(({ finish }) => finish());
    await expectStates(jobs, `done${' done'.repeat(places)}`);
  }
}, ([waitMsMax]) => ({ waitMsMax }));

queues('The expected wait is measured from jobs, and guessed again after a pause', async (world) => {
  const { queue, clock } = world;
  let [current] = startJobs(queue, 1);
  for (let count = 1; count < 60; count += 1) { // each job takes one second while the next job waits
    const [next] = startJobs(queue, 1);
    clock.nowMs += 1_000;
    current.finish();
    await current.outcome;
    current = next;
  }
  const jobs = startJobs(queue, 6);
  await expectStates(jobs, `${'waiting '.repeat(5)}busy`);
  [current, ...jobs].forEach(({ finish }) => finish());
  await setImmediate();
  await expectStates(startJobs(queue, 35), `running ${'waiting '.repeat(33)}busy`);
}, { waitMsMax: 5_000 });

queues.each('A client {0}', [
  // Before the 16th job of a client, 15 jobs of this client and 16 jobs of the other client run.
  ['may have as many jobs as another client, which fills the queue', '', 16],
  // Before the 11th job of a client, 31 jobs run: 10 jobs of this client, 11 jobs of the client that fills
  // the queue, and 10 jobs of other clients.
  ['may have several jobs, even if many other clients have one job each', 'bcdefghijk', 11],
], async ({ queue }, [, others, places]) => {
  startJobs(queue, 40);
  [...others].forEach((client) => startJobs(queue, 1, from(client)));
  await expectStates(startJobs(queue, places + 1, from('l')), `${'waiting '.repeat(places)}busy`);
}, { waitMsMax: 5_000 });

queues('Of thousands of clients, none is refused at once, but all after twice the limit', async (world) => {
  const { queue, clock } = world;
  const crowd = Array.from({ length: 3_000 }, (_, index) => startJobs(queue, 1, from(`s${index}`))[0]);
  clock.nowMs += 10_000; // because of later clients, an accepted job can wait for twice `waitMsMax`
  await expectStates(startJobs(queue, 1, from('early')), 'waiting');
  assert.equal(queue.measures.busy, 0);
  clock.nowMs += 1;
  const [late] = startJobs(queue, 1, from('late'));
  crowd[0]?.finish();
  await expectStates([crowd[0], crowd[1], crowd.at(-1), late], 'done busy busy running');
  assert.deepEqual({ ...queue.measures }, { waiting: 1, done: 1, busy: 2_999, dropped: 0 });
}, { waitMsMax: 5_000 });

queues('A cancelled job is dropped at the next turn, unless it already runs', async ({ queue }) => {
  const client = createLeaver();
  const jobs = [...startJobs(queue, 2, client), ...startJobs(queue, 1)];
  client.isGone = true;
  await expectStates(jobs, 'running waiting waiting');
  jobs[0]?.finish();
  await expectStates(jobs, 'done busy running');
  assert.deepEqual({ ...queue.measures }, { waiting: 0, done: 1, busy: 0, dropped: 1 });
});

queues('Cancelled jobs make room for new jobs', async ({ queue }) => {
  const client = createLeaver();
  const [, ...abandoned] = startJobs(queue, 34, client);
  await expectStates([...abandoned, ...startJobs(queue, 1, client)], `${'waiting '.repeat(33)}busy`);
  client.isGone = true;
  await expectStates(startJobs(queue, 33), `${'waiting '.repeat(32)}waiting`);
  await expectStates(abandoned, `${'busy '.repeat(32)}busy`);
}, { waitMsMax: 5_000 });

queues.each('A job that {0} rejects only its own promise, and frees its place', [
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['throws before it returns a promise', () => { throw new Error('broken'); }],
], async ({ queue }, [, fail]) => {
  const failing = assert.rejects(queue.run(fail, from('a')), { message: 'broken' });
  const jobs = startJobs(queue, 2);
  jobs[0].finish();
  await failing;
  await expectStates(jobs, 'done running');
});

queues('A new job does not overtake the waiting job that gets a free place', async ({ queue }) => {
  const [first, second] = startJobs(queue, 2);
  first.finish();
  await first.outcome;
  await expectStates([second, ...startJobs(queue, 1, from('b'))], 'running waiting');
});

test('Work of less than a millisecond altogether is followed by no pause', async () => {
  const share = createLoopShare();
  for (const [workedMs, isPaused] of [[0.4, false], [0.5, false], [0.1, true], [0.9, false]] as const) {
    let hasTurned = false;
    void setImmediate().then(() => { hasTurned = true; });
    await share(workedMs);
    // after a pause, the working time is counted from zero again
    assert.equal(hasTurned, isPaused, `${workedMs} ms`);
  }
});

test('If nothing else is to be done, the pause is over at once', async () => {
  await createLoopShare()(3_600_000);
});

test('While others have work to do, the pause is as long as the work was', async (t) => {
  // Both ends of the connection echo all data, so the event loop always has work until the test is over.
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const socket = await openSocket(t, await listen(t, server), 'x');
  socket.pipe(socket);
  await once(socket, 'data');
  const startedAtMs = performance.now();
  await createLoopShare()(100);
  assert.ok(performance.now() - startedAtMs >= 100);
});

/** @param path - The nested groups from the widest to the narrowest, such as `sign-in/network/name`. */
function from(path: string): QueueClient {
  const names = path.split('/');
  return { groups: names.map((_, index) => names.slice(0, index + 1).join('/')), isWanted: () => true };
}

function createLeaver() {
  const client = { ...from('a'), isGone: false, isWanted: () => !client.isGone };
  return client;
}

/** Each job ends when the test calls `job.finish()`. */
function startJobs(queue: FairQueue, count: number, client = from('a')) {
  const jobs = Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const job = { state: 'waiting', finish: resolve, outcome: Promise.resolve() };
    job.outcome = queue.run(() => {
      job.state = 'running';
      return promise;
    }, client).then(({ kind }) => { job.state = kind; });
    return job;
  });
  type Job = (typeof jobs)[number];
  return jobs as [Job, ...Job[]]; // every test starts at least one job
}

async function expectStates(jobs: readonly ({ state: string } | undefined)[], expected: string) {
  await setImmediate();
  assert.equal(jobs.map((job) => job?.state).join(' '), expected);
}
