import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { createLineWriter } from '../../src/telemetry/line-writer.ts';

const LINE = `${'x'.repeat(1023)}\n`;

test('Lines are collected and written in one batch when the timer ends', (context) => {
  const { writer, written } = createWorld(context);
  writer.write('a\n');
  writer.write('b\n');
  assert.deepEqual(written, []);
  context.mock.timers.tick(100);
  assert.deepEqual(written, ['a\nb\n']);
});

test('A large batch does not wait for the timer', (context) => {
  const { writer, written } = createWorld(context);
  Array.from({ length: 32 }, () => writer.write(LINE));
  assert.deepEqual(written, [LINE.repeat(32)]);
});

test('While a batch is written the next batch waits, so lines stay in order', async (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 80 }, () => writer.write(LINE));
  assert.equal(written.length, 1);
  await finish();
  assert.deepEqual(written, [LINE.repeat(32), LINE.repeat(48)]);
});

test('After a batch, a few lines wait for the timer again', async (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 33 }, () => writer.write(LINE));
  await finish();
  assert.equal(written.length, 1);
  context.mock.timers.tick(100);
  assert.deepEqual(written, [LINE.repeat(32), LINE]);
});

test('Without a reader at most 4 MiB are buffered, and dropped lines are counted', async (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 5000 }, () => writer.write(LINE));
  await finish();
  const [first = '', second = ''] = written;
  assert.ok(second.length <= 4_194_304 + 2 * LINE.length);
  const dropped = 5000 * LINE.length - first.length - second.lastIndexOf(LINE) - LINE.length;
  assert.ok(second.endsWith(`${LINE}dropped ${dropped / LINE.length}\n`));
});

test('`end` writes all waiting lines, and resolves when they are written', async (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 33 }, () => writer.write(LINE));
  const order: string[] = [];
  const ended = writer.end().then(() => order.push('ended'));
  await finish();
  order.push('second batch');
  assert.deepEqual(written, [LINE.repeat(32), LINE]);
  await finish();
  await ended;
  assert.deepEqual(order, ['second batch', 'ended']);
});

test('`end` waits at most half a second for a reader', async (context) => {
  const { writer } = createWorld(context);
  writer.write('last words\n');
  const ended = writer.end();
  context.mock.timers.tick(500);
  await ended;
});

test('A failing output loses lines, without any other effect', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const writer = createLineWriter(output, String);
  Array.from({ length: 100 }, () => writer.write(LINE));
  await writer.end();
});

/** An output whose writes complete when the test decides. */
function createWorld(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[] = [];
  const unfinished: (() => void)[] = [];
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      unfinished.push(done);
    },
  });
  const writer = createLineWriter(output, (count) => `dropped ${count}\n`);
  const finish = async () => {
    unfinished.shift()?.();
    await new Promise(setImmediate); // a stream calls back in a later turn of the event loop
  };
  return { writer, written, finish };
}
