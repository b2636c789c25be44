import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createWorkQueue, type Applicant, type WorkQueue } from '../../src/auth/work-queue.ts';

/** The assumed duration of a job until one has been measured. */
const DURATION_MS_GUESSED = 150;

test('Two jobs run at once, and a third starts only when one of them ends', async () => {
  const { queue } = createWorld({ runningMax: 2 });
  const jobs = startJobs(queue, 4);
  assert.deepEqual(await statesOf(jobs), ['running', 'running', 'waiting', 'waiting']);
  jobs[1]?.finish();
  assert.deepEqual(await statesOf(jobs), ['running', 'done', 'running', 'waiting']);
  jobs[0]?.finish();
  assert.deepEqual(await statesOf(jobs), ['done', 'done', 'running', 'running']);
});

for (const [title, sources, expected] of [
  ['of one source start in the order in which they came', ['a1', 'a2', 'a3', 'a4'], 'a1 a2 a3 a4'],
  ['of several sources start in turns', ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'], 'a1 a2 b1 c1 a3 b2 a4'],
  [
    'of known sources take turns with all others together',
    ['a1', 'b1', 'c1', 'd1', 'A1', 'A2', 'A3'], 'a1 A1 b1 A2 c1 A3 d1',
  ],
  [
    'of known sources take turns among themselves',
    ['a1', 'A1', 'A2', 'A3', 'B1', 'b1', 'c1'], 'a1 A1 b1 B1 c1 A2 A3',
  ],
] as const) {
  test(`Waiting jobs ${title}`, async () => {
    const { queue } = createWorld({ runningMax: 1 });
    const order: string[] = [];
    sources.forEach((name) => void queue.run(async () => order.push(name), from(name.charAt(0))));
    await setImmediate();
    assert.equal(order.join(' '), expected);
  });
}

for (const [waitMsMax, places] of [[0, 0], [149, 0], [150, 1], [5_000, 33]] as const) {
  test(`With ${waitMsMax} ms at most, ${places} jobs of 150 ms wait, and the next is busy`, async () => {
    const { queue } = createWorld({ runningMax: 1, waitMsMax });
    const jobs = startJobs(queue, places + 2);
    assert.deepEqual(await statesOf(jobs), ['running', ...Array(places).fill('waiting'), 'busy']);
    jobs.forEach(({ finish }) => finish());
    assert.deepEqual(await statesOf(jobs), ['done', ...Array(places).fill('done'), 'busy']);
  });
}

test('The wait that is expected follows the durations that are measured', async () => {
  const { queue, clock } = createWorld({ runningMax: 1, waitMsMax: 5_000 });
  for (let round = 0; round < 60; round += 1) {
    const [job] = startJobs(queue, 1);
    clock.nowMs += 1_000;
    job.finish();
    await job.outcome;
  }
  const states = await statesOf(startJobs(queue, 7));
  assert.deepEqual(states, ['running', ...Array(5).fill('waiting'), 'busy']);
});

test('A refused job learns when the work before it will be done', async () => {
  const { queue } = createWorld({ runningMax: 2, waitMsMax: 5_000 });
  startJobs(queue, 2 + 66);
  assert.deepEqual(await queue.run(async () => {}, from('a')), { kind: 'busy', retryAfterSeconds: 6 });
});

test('When one source has filled the queue, another still gets a place, and the next turn', async () => {
  const { queue } = createWorld({ runningMax: 1, waitMsMax: 5_000 });
  const [first, ...others] = startJobs(queue, 40);
  const [late] = startJobs(queue, 1, from('b'));
  assert.equal((await statesOf(others)).filter((state) => state === 'busy').length, 6);
  first.finish();
  others[0]?.finish();
  const states = await statesOf([first, others[0], late, others[1]]);
  assert.deepEqual(states, ['done', 'done', 'running', 'waiting']);
});

test('When thousands of sources fill the queue, a known one gets a place, and the next turn', async () => {
  const { queue } = createWorld({ runningMax: 1, waitMsMax: 5_000 });
  const crowd = Array.from({ length: 5_000 }, (_, index) => startJobs(queue, 1, from(`s${index}`))[0]);
  const [unknown] = startJobs(queue, 1, from('unknown'));
  const [known] = startJobs(queue, 1, from('KNOWN'));
  crowd[0]?.finish();
  const states = await statesOf([crowd[0], crowd[1], unknown, known]);
  assert.deepEqual(states, ['done', 'waiting', 'busy', 'running']);
});

test('An unwanted job is dropped when its turn comes, unless it already runs', async () => {
  const { queue } = createWorld({ runningMax: 1 });
  const client = { ...from('a'), isGone: false, isWanted: () => !client.isGone };
  const [running, left] = startJobs(queue, 2, client);
  const [next] = startJobs(queue, 1);
  client.isGone = true;
  assert.deepEqual(await statesOf([running, left, next]), ['running', 'waiting', 'waiting']);
  running.finish();
  assert.deepEqual(await statesOf([running, left, next]), ['done', 'busy', 'running']);
});

test('Unwanted jobs make room for new ones', async () => {
  const { queue } = createWorld({ runningMax: 1, waitMsMax: 5_000 });
  const gone = { ...from('a'), isGone: false, isWanted: () => !gone.isGone };
  const [, ...abandoned] = startJobs(queue, 34, gone);
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['waiting']));
  assert.deepEqual(await statesOf(startJobs(queue, 1, gone)), ['busy']);
  gone.isGone = true;
  assert.deepEqual(await statesOf(startJobs(queue, 33)), Array(33).fill('waiting'));
  assert.deepEqual(new Set(await statesOf(abandoned)), new Set(['busy']));
});

for (const [waitedMs, expected] of [[20_000, 'running'], [20_001, 'busy']] as const) {
  test(`With 5000 ms at most, a job that waited for ${waitedMs} ms is ${expected} then`, async () => {
    const { queue, clock } = createWorld({ runningMax: 1, waitMsMax: 5_000 });
    const [first, second] = startJobs(queue, 2);
    clock.nowMs += waitedMs;
    first.finish();
    assert.deepEqual(await statesOf([second]), [expected]);
  });
}

test('The result of a job is its own', async () => {
  const { queue } = createWorld({ runningMax: 3 });
  const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => queue.run(async () => text, from('a'))));
  assert.deepEqual(outcomes, ['a', 'b', 'c'].map((result) => ({ kind: 'done', result })));
});

for (const [title, fail] of [
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['throws before it returns a promise', () => { throw new Error('broken'); }],
] as const) {
  test(`A job that ${title} is a rejection of its own, and gives its place back`, async () => {
    const { queue } = createWorld({ runningMax: 1 });
    const failing = assert.rejects(queue.run(fail, from('a')), { message: 'broken' });
    const [next] = startJobs(queue, 1);
    next.finish();
    await failing;
    assert.deepEqual(await statesOf([next]), ['done']);
    assert.deepEqual(await statesOf(startJobs(queue, 1)), ['running']);
  });
}

test('A job that arrives while a place is handed over does not overtake', async () => {
  const { queue } = createWorld({ runningMax: 1 });
  const [first, second] = startJobs(queue, 2);
  first.finish();
  await first.outcome;
  const [third] = startJobs(queue, 1);
  assert.deepEqual(await statesOf([second, third]), ['running', 'waiting']);
});

test('After a burst there are as many places as before', async () => {
  const { queue } = createWorld({ runningMax: 2, waitMsMax: 3 * DURATION_MS_GUESSED / 2 });
  startJobs(queue, 20).forEach(({ finish }) => finish());
  await setImmediate();
  const states = (await statesOf(startJobs(queue, 200))).slice(0, 3);
  assert.deepEqual(states, ['running', 'running', 'waiting']);
});

interface Limits {
  readonly runningMax: number;
  readonly waitMsMax?: number;
}

function createWorld({ runningMax, waitMsMax = 60_000 }: Limits) {
  const clock = { nowMs: 0 };
  return { clock, queue: createWorkQueue({ runningMax, waitMsMax }, () => clock.nowMs) };
}

/** @param source - In capitals, it is known. */
function from(source: string): Applicant {
  return { source, isKnown: source === source.toUpperCase(), isWanted: () => true };
}

type Job = ReturnType<typeof startJob>;

function startJobs(queue: WorkQueue, count: number, applicant = from('a')): readonly [Job, ...Job[]] {
  return [startJob(queue, applicant), ...Array.from({ length: count - 1 }, () => startJob(queue, applicant))];
}

/** A job that ends when it is told to. */
function startJob(queue: WorkQueue, applicant: Applicant) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let state: 'waiting' | 'running' | 'done' | 'busy' = 'waiting';
  const outcome = queue.run(() => {
    state = 'running';
    return promise;
  }, applicant).then(({ kind }) => {
    state = kind;
  });
  return { outcome, finish: () => resolve(), state: () => state };
}

/** How the jobs are, once everything that can happen has happened. */
async function statesOf(jobs: readonly (Job | undefined)[]): Promise<readonly unknown[]> {
  await setImmediate();
  return jobs.map((job) => job?.state());
}
