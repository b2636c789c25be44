import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createWorkQueue, type WorkQueue } from '../../src/auth/work-queue.ts';

test('Two jobs run at once, and a third starts only when one of them ends', async () => {
  const queue = createWorkQueue({ runningMax: 2, waitingMax: 10 });
  const jobs = startJobs(queue, 4);
  assert.deepEqual(await statesOf(jobs), ['running', 'running', 'waiting', 'waiting']);
  jobs[1]?.finish();
  assert.deepEqual(await statesOf(jobs), ['running', 'done', 'running', 'waiting']);
  jobs[0]?.finish();
  assert.deepEqual(await statesOf(jobs), ['done', 'done', 'running', 'running']);
});

test('Waiting jobs start in the order in which they came', async () => {
  const queue = createWorkQueue({ runningMax: 1, waitingMax: 10 });
  const order: number[] = [];
  [1, 2, 3, 4, 5].forEach((number) => void queue.run(async () => order.push(number)));
  await setImmediate();
  assert.deepEqual(order, [1, 2, 3, 4, 5]);
});

for (const waitingMax of [0, 1, 40]) {
  test(`Beyond ${waitingMax} places to wait, a job is busy at once and never runs`, async () => {
    const queue = createWorkQueue({ runningMax: 1, waitingMax });
    const jobs = startJobs(queue, waitingMax + 2);
    assert.deepEqual(await statesOf(jobs), ['running', ...Array(waitingMax).fill('waiting'), 'busy']);
    jobs.forEach(({ finish }) => finish());
    assert.deepEqual(await statesOf(jobs), ['done', ...Array(waitingMax).fill('done'), 'busy']);
  });
}

test('Work that leaves places to others is busy when only these are left, and they are not', async () => {
  const queue = createWorkQueue({ runningMax: 1, waitingMax: 3 });
  const outcomes: string[] = [];
  let finish = () => {};
  void queue.run(() => new Promise<void>((resolve) => { finish = resolve; }));
  for (const [name, placesLeft] of [['modest 1', 2], ['modest 2', 2], ['other 1', 0], ['other 2', undefined], ['other 3', 0]] as const) {
    void queue.run(async () => {}, placesLeft).then(({ kind }) => outcomes.push(`${name} ${kind}`));
  }
  await setImmediate();
  assert.deepEqual(outcomes, ['modest 2 busy', 'other 3 busy']);
  finish();
  await setImmediate();
  assert.deepEqual(outcomes.slice(2), ['modest 1 done', 'other 1 done', 'other 2 done']);
});

test('The result of a job is its own', async () => {
  const queue = createWorkQueue({ runningMax: 3, waitingMax: 0 });
  const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => queue.run(async () => text)));
  assert.deepEqual(outcomes, ['a', 'b', 'c'].map((result) => ({ kind: 'done', result })));
});

for (const [title, fail] of [
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['throws before it returns a promise', () => { throw new Error('broken'); }],
] as const) {
  test(`A job that ${title} is a rejection of its own, and gives its place back`, async () => {
    const queue = createWorkQueue({ runningMax: 1, waitingMax: 1 });
    const failing = assert.rejects(queue.run(fail), { message: 'broken' });
    const [next] = startJobs(queue, 1);
    next.finish();
    await failing;
    assert.deepEqual(await statesOf([next]), ['done']);
    assert.deepEqual(await statesOf(startJobs(queue, 1)), ['running']);
  });
}

test('Who comes while a place is handed over does not overtake', async () => {
  const queue = createWorkQueue({ runningMax: 1, waitingMax: 10 });
  const [first, second] = startJobs(queue, 2);
  first.finish();
  await first.outcome;
  const [third] = startJobs(queue, 1);
  assert.deepEqual(await statesOf([second, third]), ['running', 'waiting']);
});

test('After a burst there are as many places as before', async () => {
  const queue = createWorkQueue({ runningMax: 2, waitingMax: 3 });
  startJobs(queue, 20).forEach(({ finish }) => finish());
  await setImmediate();
  const states = await statesOf(startJobs(queue, 6));
  assert.deepEqual(states, ['running', 'running', 'waiting', 'waiting', 'waiting', 'busy']);
});

type Job = ReturnType<typeof startJob>;

function startJobs(queue: WorkQueue, count: number): readonly [Job, ...Job[]] {
  return [startJob(queue), ...Array.from({ length: count - 1 }, () => startJob(queue))];
}

/** A job that ends when it is told to. */
function startJob(queue: WorkQueue) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let state: 'waiting' | 'running' | 'done' | 'busy' = 'waiting';
  const outcome = queue.run(() => {
    state = 'running';
    return promise;
  }).then(({ kind }) => {
    state = kind;
  });
  return { outcome, finish: () => resolve(), state: () => state };
}

/** How the jobs are, once everything that can happen has happened. */
async function statesOf(jobs: readonly (Job | undefined)[]): Promise<readonly unknown[]> {
  await setImmediate();
  return jobs.map((job) => job?.state());
}
