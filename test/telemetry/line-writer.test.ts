import assert from 'node:assert/strict';
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

test('A batch that is large enough does not wait for the timer', (context) => {
  const { writer, written } = createWorld(context);
  Array.from({ length: 32 }, () => writer.write(LINE));
  assert.deepEqual(written, [LINE.repeat(32)]);
});

test('While a batch is on its way the next one waits, and keeps the order', (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 80 }, () => writer.write(LINE));
  assert.equal(written.length, 1);
  finish();
  assert.deepEqual(written, [LINE.repeat(32), LINE.repeat(48)]);
});

test('A reader that never comes costs 4 MiB at most, and the lines that were dropped are counted', (context) => {
  const { writer, written, finish } = createWorld(context);
  Array.from({ length: 5000 }, () => writer.write(LINE));
  finish();
  const [first = '', second = ''] = written;
  assert.ok(second.length <= 4_194_304 + 2 * LINE.length);
  const dropped = 5000 * LINE.length - first.length - second.lastIndexOf(LINE) - LINE.length;
  assert.ok(second.endsWith(`${LINE}dropped ${dropped / LINE.length}\n`));
});

test('At the end everything that waits is written at once', (context) => {
  const { writer, writtenNow } = createWorld(context);
  writer.write('last words\n');
  writer.flushNow();
  assert.deepEqual(writtenNow, ['last words\n']);
});

/** A sink whose writes end when the test says so. */
function createWorld(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[] = [];
  const writtenNow: string[] = [];
  const unfinished: (() => void)[] = [];
  const writer = createLineWriter(
    {
      write: (bytes, done) => {
        written.push(bytes.toString());
        unfinished.push(done);
      },
      writeNow: (bytes) => writtenNow.push(bytes.toString()),
    },
    (count) => `dropped ${count}\n`,
  );
  return { writer, written, writtenNow, finish: () => unfinished.shift()?.() };
}
