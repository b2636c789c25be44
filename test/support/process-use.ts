import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { testUnless } from './each.ts';
import { call, KEEP_ALIVE as agent } from './http-client.ts';

export const measuredTest = testUnless(
  !existsSync('/proc/self/clear_refs') && 'there is no /proc to measure with',
);

/** @param field - The current (`VmRSS`) or the peak (`VmHWM`) resident memory. */
export function readMib(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1024;
}

/**
 * The processor time of all threads. On a busy machine, a task takes more elapsed time, but hardly more
 * processor time.
 */
export function readProcessorMs(pid: number | undefined): number {
  // in the file `stat`, the processor times follow the name of the program
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [userTicks, systemTicks] = fields.split(' ').slice(11);
  return (Number(userTicks) + Number(systemTicks)) * 10; // a tick is a hundredth of a second
}

/** A server with low priority does less work between its response and the measurement. */
export const LOW_PRIORITY = ['nice', '-n', '5'];

const WORK_TEXT = JSON.stringify(Array.from({ length: 1_000 }, () => '\u{1F600}'.repeat(2_000)));

/**
 * Measures the processor time of five rounds. Each round parses 8 MB of JSON. Tests use multiples of this
 * time as limits, so the limits suit the speed of the machine.
 */
export function measureWorkMs(): number {
  const beforeMs = readOwnProcessorMs();
  for (let round = 0; round < 5; round += 1) {
    JSON.parse(WORK_TEXT);
  }
  return readOwnProcessorMs() - beforeMs;
}

export function readOwnProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function watchAnswers(ask: () => Promise<unknown>, readMs: () => number) {
  let isOver = false;
  const polling = (async () => {
    let longestMs = 0;
    while (!isOver) {
      const beforeMs = readMs();
      await ask();
      longestMs = Math.max(longestMs, readMs() - beforeMs);
      await pause(10);
    }
    return longestMs;
  })();
  polling.catch(() => {}); // if the polling fails, `stop` throws the error
  return {
    stop() {
      isOver = true;
      return polling;
    },
  };
}

/** @returns The memory growth in MiB, and the longest wait for `/livez` in units of `measureWorkMs()`. */
export async function measureServer(
  { port, pid }: { readonly port: number; readonly pid: number }, act: () => Promise<unknown>,
) {
  const ask = async () => assert.equal((await call(port, 'GET /livez', { agent })).status, 200);
  await ask();
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets the peak memory, VmHWM
  const before = readMib(pid, 'VmRSS');
  const watch = watchAnswers(ask, () => readProcessorMs(pid));
  await act();
  const works = await watch.stop() / measureWorkMs();
  return { grownMib: readMib(pid, 'VmHWM') - before, works };
}
