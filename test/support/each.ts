/** Defines one test for each row of a table. */
import { test, type TestContext } from 'node:test';

/**
 * @param title - In the title, `{0}` stands for the first value of the row, or for the whole row if the row
 * is not an array.
 */
export function each<const Row>(
  title: string, rows: readonly Row[], run: (row: Row, context: TestContext) => unknown,
): void {
  for (const row of rows) {
    test(fillTitle(title, row), async (context) => void await run(row, context));
  }
}

export function fillTitle(title: string, row: unknown): string {
  const values = [row].flat();
  return title.replace(/\{(\d)\}/g, (_, index) => toText(values[index]));
}

/** Escapes control characters. Shortens long values. */
function toText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return (typeof value === 'string' ? text.slice(1, -1).replaceAll('\\"', '"') : text).slice(0, 80);
}
