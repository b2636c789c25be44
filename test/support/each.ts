import { test, type TestContext } from 'node:test';
import type { Config } from '../../src/config.ts';
import type { Limits } from '../../src/core.ts';

export type Overrides = Partial<Config & Limits>;

/** In the title, `{0}` stands for the first value of the row. A row that is not an array is one value. */
export function each<const Row>(
  title: string, rows: readonly Row[], run: (row: Row, context: TestContext) => unknown,
): void {
  for (const row of rows) {
    test(fillTitle(title, row), async (context) => void await run(row, context));
  }
}

/** Adds the method `each`, which defines one test for each row. */
export function withEach<Started, Settings = Overrides>(define: (
  title: string, run: (started: Started, context: TestContext) => Promise<void>, settings?: Settings,
) => void) {
  return Object.assign(define, {
    each<const Row>(
      title: string, rows: readonly Row[],
      run: (started: Started, row: Row, context: TestContext) => Promise<void>,
      settings?: Settings | ((row: Row) => Settings),
    ): void {
      for (const row of rows) {
        const own = settings instanceof Function ? settings(row) : settings;
        define(fillTitle(title, row), (started, context) => run(started, row, context), own);
      }
    },
  });
}

/** Returns a function that defines tests. `start` creates the first argument of each test. */
export function starting<Started, Settings>(
  start: (context: TestContext, settings?: Settings) => Promise<Started>, skip: string | false = false,
) {
  return withEach<Started, Settings>((title, run, settings) =>
    void test(title, { skip }, async (context) => run(await start(context, settings), context)));
}

export const testUnless = (skip: string | false) => starting(async (context) => context, skip);

function fillTitle(title: string, row: unknown): string {
  const values = [row].flat();
  return title.replace(/\{(\d)\}/g, (_, index) => toText(values[index]));
}

function toText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return (typeof value === 'string' ? text.slice(1, -1).replaceAll('\\"', '"') : text).slice(0, 80);
}
