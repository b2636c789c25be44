/**
 * A reporter of `node --test` for runs of many files. It prints the failed and the skipped tests, and from
 * time to time the progress of the run. At the end, it writes counts and times as JSON into the file that
 * `TEST_REPORT` names.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { spec as Spec } from 'node:test/reporters';

const PROGRESS_EVERY_MS = 5_000;

/** The title of the run, the number of its files, and the file to which the counts are written. */
const { title, files, output } = JSON.parse(process.env['TEST_REPORT'] ?? '{}');

/**
 * @param {AsyncIterable<{ type: string, data: any }>} events
 * @returns {AsyncGenerator<string>}
 */
export default async function* report(events) {
  const spec = new Spec();
  const times = /** @type {[string, number][]} */ ([]);
  const done = { tests: 0, failed: 0 };
  let reportedAtMs = performance.now();
  for await (const event of events) {
    const { type, data } = event;
    if (type === 'test:summary' && data.file !== undefined) {
      times.push([relative(process.cwd(), data.file), data.duration_ms]);
      done.tests += data.counts.tests;
      done.failed += data.counts.failed;
      if (performance.now() - reportedAtMs > PROGRESS_EVERY_MS) {
        reportedAtMs = performance.now();
        yield `${title}: ${times.length} of ${files} files, ${done.tests} tests, ${done.failed} failed\n`;
      }
    } else if (type === 'test:summary') {
      const { tests, suites, passed: pass, failed: fail, cancelled, skipped, todo } = data.counts;
      const counts = { tests, suites, pass, fail, cancelled, skipped, todo };
      writeFileSync(output, JSON.stringify({ counts, times }));
    }
    if (isWorthReading(event)) {
      yield* write(spec, event);
    }
  }
  spec.end();
  // At the end, the reporter repeats the failures with their details.
  yield* drain(spec);
}

/** @param {{ type: string, data: any }} event */
function isWorthReading({ type, data }) {
  switch (type) {
    case 'test:pass':
      return data.skip !== undefined || data.todo !== undefined;
    case 'test:fail': case 'test:stdout': case 'test:stderr': case 'test:summary':
      return true;
    default:
      return false;
  }
}

/**
 * @param {import('node:stream').Transform} spec
 * @param {object} event
 */
function* write(spec, event) {
  spec.write(event);
  yield* drain(spec);
}

/** @param {import('node:stream').Transform} spec */
function* drain(spec) {
  for (let text = spec.read(); text !== null; text = spec.read()) {
    yield String(text);
  }
}
