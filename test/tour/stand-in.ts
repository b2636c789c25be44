/** Takes the place of `node:test` while titles.ts loads a file: tests are noted, and none is run. */

interface NotedTest {
  readonly title: string;
  /** Of the call of `test` in its file, from 1. */
  readonly line: number;
}

const noted: NotedTest[] = [];

export function test(title: string): void {
  noted.push({ title, line: toCallerLine(new Error().stack ?? '') });
}

export function takeNotedTests(): readonly NotedTest[] {
  return noted.splice(0);
}

/** The stack has a line for the error, one for `test`, and then one for who called it: `at file:///…/x.test.ts:12:3`. */
function toCallerLine(stack: string): number {
  return Number(/:(\d+):\d+\)?$/.exec(stack.split('\n')[2] ?? '')?.[1]);
}
