/**
 * A reporter of `node --test` for runs of many files. It prints only failed and skipped tests, and the
 * progress. At the end, the reporter writes counts and times as JSON into the file `output`.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Transform } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';

const PROGRESS_EVERY_MS = 5_000;

/** `files` is the number of test files. */
const { title, files, output } = JSON.parse(process.env['TEST_REPORT'] ?? '{}');

interface Event {
  readonly type: string;
  readonly data: any;
}

export default async function* report(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const spec = new Spec();
  const times: [string, number][] = [];
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
      spec.write(event);
      yield* drain(spec);
    }
  }
  spec.end();
  // At the end of the run, the reporter repeats the failures with their details.
  yield* drain(spec);
}

function isWorthReading({ type, data }: Event): boolean {
  switch (type) {
    case 'test:pass':
      return data.skip !== undefined || data.todo !== undefined;
    case 'test:fail': case 'test:stdout': case 'test:stderr': case 'test:summary':
      return true;
    default:
      return false;
  }
}

function* drain(spec: Transform): Generator<string> {
  for (let text = spec.read(); text !== null; text = spec.read()) {
    yield String(text);
  }
}
