import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFairQueue, type FairQueue, type QueueClient } from '../../src/scheduling/fair-queue.ts';

test('Two jobs run at once, and a third starts when one of them ends', async (t) => {
  const { queue } = createWorld(t, { runningMax: 2 });
  const jobs = startJobs(queue, 4);
  assert.deepEqual(await statesOf(jobs), ['running', 'running', 'waiting', 'waiting']);
  jobs[1]?.finish();
  assert.deepEqual(await statesOf(jobs), ['running', 'done', 'running', 'waiting']);
  jobs[0]?.finish();
  assert.deepEqual(await statesOf(jobs), ['done', 'done', 'running', 'running']);
});

for (const [title, sources, expected] of [
  ['of one client start in the order of arrival', 'a1 a2 a3 a4', 'a1 a2 a3 a4'],
  ['of several clients start in turns', 'a1 a2 a3 b1 c1 b2 c2', 'a1 c1 b1 a2 c2 b2 a3'],
  [
    'of clients that had no turn come first, twice from the newest and twice from the oldest',
    'a1 a2 b1 c1 d1 e1 f1', 'a1 f1 b1 c1 e1 d1 a2',
  ],
  [
    'of two groups alternate, however many clients one has',
    'p/a1 p/b1 p/c1 q/a1 q/a2', 'p/a1 q/a1 p/b1 q/a2 p/c1',
  ],
  ['of one group take turns in it', 'p/a1 p/a2 p/a3 p/b1 p/b2', 'p/a1 p/b1 p/a2 p/b2 p/a3'],
] as const) {
  test(`Waiting jobs ${title}`, async (t) => {
    const { queue } = createWorld(t, { runningMax: 1 });
    assert.equal((await orderOf(queue, sources.split(' '))).join(' '), expected);
  });
}

/** Each flood has begun before the honest job comes. That starts after at most four of the others. */
for (const [title, flood] of [
  ['200 registrations and 200 wrong passwords for one name', () => 'sign-in/A/eve'],
  ['200 registrations and 200 wrong passwords for ten names', (n: number) => `sign-in/A/${n % 10}`],
  ['200 registrations and 200 wrong passwords for 200 names', (n: number) => `sign-in/A/${n}`],
  ['200 registrations, and wrong passwords from 200 addresses', (n: number) => `sign-in/${n}/eve`],
] as const) {
  for (const honest of ['sign-in/A/ada', 'sign-in/B/ada', 'remembered/A ada']) {
    test(`After ${title}, ${honest} is soon next`, async (t) => {
      const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 30_000 });
      const numbers = Array.from({ length: 200 }, (_, index) => index);
      const others = numbers.flatMap((number) => ['new password/A', flood(number)]);
      const order = await orderOf(queue, others.map((source) => `${source}1`).concat(`${honest}1`), 9);
      const place = order.slice(9).indexOf(`${honest}1`);
      assert.ok(place >= 0 && place < 5, order.slice(0, 20).join(' '));
    });
  }
}

for (const [waitMsMax, places, seconds] of [[0, 0, 1], [149, 0, 1], [150, 1, 1], [5_000, 33, 6]] as const) {
  test(`With a limit of ${waitMsMax} ms, ${places} jobs of 150 ms wait, and the next is busy`, async (t) => {
    const { queue } = createWorld(t, { runningMax: 1, waitMsMax });
    for (const burst of ['first', 'second']) {
      const jobs = startJobs(queue, places + 1, from(burst));
      const refused = await queue.run(async () => {}, from(burst));
      // The client retries when the jobs before it will be done.
      assert.deepEqual(refused, { kind: 'busy', retryAfterSeconds: seconds });
      assert.deepEqual(await statesOf(jobs), ['running', ...Array(places).fill('waiting')]);
      jobs.forEach(({ finish }) => finish());
      assert.deepEqual(await statesOf(jobs), Array(places + 1).fill('done'));
    }
  });
}

/** Runs jobs of one second each, one at a time, while the next one waits. @returns The last one. */
async function runSlowly(queue: FairQueue, clock: { nowMs: number }, count: number): Promise<Job> {
  let [current] = startJobs(queue, 1);
  for (let index = 1; index < count; index += 1) {
    const [next] = startJobs(queue, 1);
    clock.nowMs += 1_000;
    current.finish();
    await current.outcome;
    current = next;
  }
  return current;
}

test('The expected wait follows the durations of jobs, but a pause makes an end of it', async (t) => {
  const { queue, clock } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const last = await runSlowly(queue, clock, 60);
  const jobs = startJobs(queue, 6);
  assert.deepEqual(await statesOf(jobs), [...Array(5).fill('waiting'), 'busy']);
  [last, ...jobs].forEach(({ finish }) => finish());
  await setImmediate();
  const states = await statesOf(startJobs(queue, 35));
  assert.deepEqual(states, ['running', ...Array(33).fill('waiting'), 'busy']);
});

test('A client that fills the queue takes no place of another client, which may have as many', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  startJobs(queue, 40);
  const states = await statesOf(startJobs(queue, 40, from('b')));
  assert.equal(states.indexOf('busy'), 16); // the last waits for 15 jobs of its own and 16 of the other
});

test('Of thousands of clients, none is refused at once, but each that waits twice as long is', async (t) => {
  const { queue, clock } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const crowd = Array.from({ length: 3_000 }, (_, index) => startJobs(queue, 1, from(`s${index}`))[0]);
  clock.nowMs += 10_001;
  const [late] = startJobs(queue, 1, from('late'));
  crowd[0]?.finish();
  const states = await statesOf([crowd[0], crowd[1], crowd.at(-1), late]);
  assert.deepEqual(states, ['done', 'busy', 'busy', 'running']);
  assert.deepEqual({ ...queue.measures }, { waiting: 0, done: 1, busy: 2_999, dropped: 0 });
});

test('A job that was accepted may wait longer than the bound, because later clients came', async (t) => {
  const { queue, clock } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const [running, accepted] = startJobs(queue, 2);
  clock.nowMs += 9_999;
  running.finish();
  assert.deepEqual(await statesOf([accepted]), ['running']);
});

function createLeaver() {
  const client = { ...from('a'), isGone: false, isWanted: () => !client.isGone };
  return client;
}

test('A cancelled job is dropped at the next turn, unless it already runs', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1 });
  const client = createLeaver();
  const [running, left] = startJobs(queue, 2, client);
  const [next] = startJobs(queue, 1);
  client.isGone = true;
  assert.deepEqual(await statesOf([running, left, next]), ['running', 'waiting', 'waiting']);
  running.finish();
  assert.deepEqual(await statesOf([running, left, next]), ['done', 'busy', 'running']);
  assert.deepEqual({ ...queue.measures }, { waiting: 0, done: 1, busy: 0, dropped: 1 });
});

test('Cancelled jobs make room for new jobs', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const gone = createLeaver();
  const [, ...abandoned] = startJobs(queue, 34, gone);
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['waiting']));
  assert.deepEqual(await statesOf(startJobs(queue, 1, gone)), ['busy']);
  gone.isGone = true;
  assert.deepEqual(await statesOf(startJobs(queue, 33)), Array(33).fill('waiting'));
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['busy']));
});

test('Each of several jobs gets its own result', async (t) => {
  const { queue } = createWorld(t, { runningMax: 3 });
  for (const outcome of [1, 2, 3].map((n) => [n, queue.run(async () => n, from('a'))] as const)) {
    assert.deepEqual(await outcome[1], { kind: 'done', result: outcome[0] });
  }
});

for (const [title, fail] of [
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['throws before it returns a promise', () => { throw new Error('broken'); }],
] as const) {
  test(`A job that ${title} rejects only its own promise, and frees its place`, async (t) => {
    const { queue } = createWorld(t, { runningMax: 1 });
    const failing = assert.rejects(queue.run(fail, from('a')), { message: 'broken' });
    const [next] = startJobs(queue, 1);
    next.finish();
    await failing;
    assert.deepEqual(await statesOf([next]), ['done']);
    assert.deepEqual(await statesOf(startJobs(queue, 1)), ['running']);
  });
}

test('A new job does not overtake the waiting job that gets a free place', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1 });
  const [first, second] = startJobs(queue, 2);
  first.finish();
  await first.outcome;
  const [third] = startJobs(queue, 1, from('b'));
  assert.deepEqual(await statesOf([second, third]), ['running', 'waiting']);
});

/** A job takes 150 ms until one has been measured. */
function createWorld(t: TestContext, limits: { readonly runningMax: number; readonly waitMsMax?: number }) {
  const clock = { nowMs: 0 };
  t.mock.method(performance, 'now', () => clock.nowMs);
  return { clock, queue: createFairQueue({ waitMsMax: 60_000, durationMsGuessed: 150, ...limits }) };
}

/** @param path - The names of the groups, such as `sign-in/network/name`. */
function from(path: string): QueueClient {
  const names = path.split('/');
  return { groups: names.map((_, index) => names.slice(0, index + 1).join('/')), isWanted: () => true };
}

/**
 * The order in which jobs start, for a queue that runs one at a time.
 *
 * @param sources - A path of groups and a digit for each job.
 * @param countBefore - So many jobs end before the last source comes.
 */
async function orderOf(queue: FairQueue, sources: readonly string[], countBefore = 0): Promise<string[]> {
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const add = (source: string) => void queue.run(async () => {
    await (order.push(source) > countBefore ? end.promise : late.promise);
  }, from(source.slice(0, -1)));
  sources.slice(0, -1).forEach(add);
  late.resolve();
  await setImmediate();
  add(sources.at(-1) ?? '');
  end.resolve();
  await setImmediate();
  return order;
}

type Job = ReturnType<typeof startJob>;

function startJobs(queue: FairQueue, count: number, client = from('a')): readonly [Job, ...Job[]] {
  return [startJob(queue, client), ...Array.from({ length: count - 1 }, () => startJob(queue, client))];
}

/** Starts a job that ends when the test says so. */
function startJob(queue: FairQueue, client: QueueClient) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let state: 'waiting' | 'running' | 'done' | 'busy' = 'waiting';
  const outcome = queue.run(() => {
    state = 'running';
    return promise;
  }, client).then(({ kind }) => {
    state = kind;
  });
  return { outcome, finish: () => resolve(), state: () => state };
}

/** The states of the jobs, once all pending callbacks have run. */
async function statesOf(jobs: readonly (Job | undefined)[]): Promise<readonly unknown[]> {
  await setImmediate();
  return jobs.map((job) => job?.state());
}
