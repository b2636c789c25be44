import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFairQueue, type FairQueue, type QueueClient } from '../../src/scheduling/fair-queue.ts';

/** The assumed duration of a job until one has been measured. */
const DURATION_MS_GUESSED = 150;

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
  ['of one client start in the order of arrival', ['a1', 'a2', 'a3', 'a4'], 'a1 a2 a3 a4'],
  ['of several clients start in turns', ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'], 'a1 a2 b1 c1 a3 b2 a4'],
  [
    'of known clients alternate with the jobs of all other clients',
    ['a1', 'b1', 'c1', 'd1', 'A1', 'A2', 'A3'], 'a1 A1 b1 A2 c1 A3 d1',
  ],
  [
    'of known clients take turns among themselves',
    ['a1', 'A1', 'A2', 'A3', 'B1', 'b1', 'c1'], 'a1 A1 b1 B1 c1 A2 A3',
  ],
] as const) {
  test(`Waiting jobs ${title}`, async (t) => {
    const { queue } = createWorld(t, { runningMax: 1 });
    const order: string[] = [];
    sources.forEach((name) => void queue.run(async () => order.push(name), from(name.charAt(0))));
    await setImmediate();
    assert.equal(order.join(' '), expected);
  });
}

for (const [waitMsMax, places] of [[0, 0], [149, 0], [150, 1], [5_000, 33]] as const) {
  test(`With a limit of ${waitMsMax} ms, ${places} jobs of 150 ms wait, and the next is busy`, async (t) => {
    const { queue } = createWorld(t, { runningMax: 1, waitMsMax });
    const jobs = startJobs(queue, places + 2);
    assert.deepEqual(await statesOf(jobs), ['running', ...Array(places).fill('waiting'), 'busy']);
    jobs.forEach(({ finish }) => finish());
    assert.deepEqual(await statesOf(jobs), ['done', ...Array(places).fill('done'), 'busy']);
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

test('While jobs follow each other, the expected wait follows their durations', async (t) => {
  const { queue, clock } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  await runSlowly(queue, clock, 60);
  const states = await statesOf(startJobs(queue, 6));
  assert.deepEqual(states, [...Array(5).fill('waiting'), 'busy']);
});

test('After a pause, a slow burst does not shorten the next', async (t) => {
  const { queue, clock } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const last = await runSlowly(queue, clock, 60);
  last.finish();
  await last.outcome;
  const states = await statesOf(startJobs(queue, 35));
  assert.deepEqual(states, ['running', ...Array(33).fill('waiting'), 'busy']);
});

test('A refused job is told when the jobs before it will be done', async (t) => {
  const { queue } = createWorld(t, { runningMax: 2, waitMsMax: 5_000 });
  startJobs(queue, 2 + 66);
  assert.deepEqual(await queue.run(async () => {}, from('a')), { kind: 'busy', retryAfterSeconds: 6 });
});

test('If one client fills the queue, another client still gets a place, and the next turn', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const [first, ...others] = startJobs(queue, 40);
  const [late] = startJobs(queue, 1, from('b'));
  assert.equal((await statesOf(others)).filter((state) => state === 'busy').length, 6);
  first.finish();
  others[0]?.finish();
  const states = await statesOf([first, others[0], late, others[1]]);
  assert.deepEqual(states, ['done', 'done', 'running', 'waiting']);
});

test('If thousands of clients fill the queue, a known client gets a place, and the next turn', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const crowd = Array.from({ length: 5_000 }, (_, index) => startJobs(queue, 1, from(`s${index}`))[0]);
  const [unknown] = startJobs(queue, 1, from('unknown'));
  const [known] = startJobs(queue, 1, from('KNOWN'));
  crowd[0]?.finish();
  const states = await statesOf([crowd[0], crowd[1], unknown, known]);
  assert.deepEqual(states, ['done', 'waiting', 'busy', 'running']);
});

test('A cancelled job is dropped at its turn, unless it already runs', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1 });
  const client = { ...from('a'), isGone: false, isWanted: () => !client.isGone };
  const [running, left] = startJobs(queue, 2, client);
  const [next] = startJobs(queue, 1);
  client.isGone = true;
  assert.deepEqual(await statesOf([running, left, next]), ['running', 'waiting', 'waiting']);
  running.finish();
  assert.deepEqual(await statesOf([running, left, next]), ['done', 'busy', 'running']);
});

test('Cancelled jobs make room for new jobs', async (t) => {
  const { queue } = createWorld(t, { runningMax: 1, waitMsMax: 5_000 });
  const gone = { ...from('a'), isGone: false, isWanted: () => !gone.isGone };
  const [, ...abandoned] = startJobs(queue, 34, gone);
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['waiting']));
  assert.deepEqual(await statesOf(startJobs(queue, 1, gone)), ['busy']);
  gone.isGone = true;
  assert.deepEqual(await statesOf(startJobs(queue, 33)), Array(33).fill('waiting'));
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['busy']));
});

test('Each of several jobs gets its own result', async (t) => {
  const { queue } = createWorld(t, { runningMax: 3 });
  const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => queue.run(async () => text, from('a'))));
  assert.deepEqual(outcomes, ['a', 'b', 'c'].map((result) => ({ kind: 'done', result })));
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
  const [third] = startJobs(queue, 1);
  assert.deepEqual(await statesOf([second, third]), ['running', 'waiting']);
});

test('After a burst the queue has as many places as before', async (t) => {
  const { queue } = createWorld(t, { runningMax: 2, waitMsMax: 3 * DURATION_MS_GUESSED / 2 });
  startJobs(queue, 20).forEach(({ finish }) => finish());
  await setImmediate();
  const states = (await statesOf(startJobs(queue, 200))).slice(0, 3);
  assert.deepEqual(states, ['running', 'running', 'waiting']);
});

interface Limits {
  readonly runningMax: number;
  readonly waitMsMax?: number;
}

function createWorld(t: TestContext, { runningMax, waitMsMax = 60_000 }: Limits) {
  const clock = { nowMs: 0 };
  const limits = { runningMax, waitMsMax, durationMsGuessed: DURATION_MS_GUESSED };
  t.mock.method(performance, 'now', () => clock.nowMs);
  return { clock, queue: createFairQueue(limits) };
}

/** @param name - A capital letter stands for a known client. */
function from(name: string): QueueClient {
  return { name, isKnown: name === name.toUpperCase(), isWanted: () => true };
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
