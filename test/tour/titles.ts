/**
 * The tests of a file as the test runner would report them, without running any: the file is loaded with a stand-in for
 * `node:test`, so that titles which are put together from tables are known in their final form.
 */
import { registerHooks } from 'node:module';
import { takeNotedTests } from './stand-in.ts';

const STAND_IN = new URL('stand-in.ts', import.meta.url).href;

/**
 * A file is loaded once in a process, so ask once for each.
 *
 * @param file - Relative to `test/`.
 * @returns The line of each title; `undefined` for a title that is there more than once.
 */
export async function readTitles(file: string): Promise<ReadonlyMap<string, number | undefined>> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' ? { url: STAND_IN, shortCircuit: true } : next(specifier, context),
  });
  try {
    await import(new URL(`../${file}`, import.meta.url).href);
  } finally {
    hooks.deregister();
  }
  const lines = new Map<string, number | undefined>();
  for (const { title, line } of takeNotedTests()) {
    lines.set(title, lines.has(title) ? undefined : line);
  }
  return lines;
}
