/** The memory and the processor time of another process, from Linux's `/proc`. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const skipWithoutProc = !existsSync('/proc/self/clear_refs') && 'there is no /proc to measure with';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** @param field - The current (`VmRSS`) or the highest (`VmHWM`) resident memory. */
export function readMib(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1024;
}

/**
 * @returns The processor time that all threads of a process have taken so far. Unlike a duration, it is the
 *   same on a busy machine.
 */
export function readProcessorMs(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') '); // after the name
  const [userTicks, systemTicks] = fields.split(' ').slice(11);
  return (Number(userTicks) + Number(systemTicks)) * TICK_MS;
}

/**
 * Starts a server with a lower priority. A busy machine then delays the server rather than the client that
 * reads its processor time, which would count work that came after the answer. With the lowest priority, a
 * busy machine would leave the server so little time that it refuses requests that wait for ten seconds.
 */
export const LOW_PRIORITY = ['nice', '-n', '5'];

const WORK_TEXT = JSON.stringify(Array.from({ length: 1_000 }, () => '\u{1F600}'.repeat(2_000)));

/**
 * The processor time that this machine takes for a fixed piece of work: to parse 8 MB of JSON five times. The
 * limits of processor time are multiples of it, so that they are the same on a slow machine.
 */
export function measureWorkMs(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < 5; round += 1) {
    JSON.parse(WORK_TEXT);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const POLL_MS = 10;

/**
 * Repeats a request, and notes the most processor time of the server before an answer.
 *
 * @param ask - Fails when the answer is wrong. @param readMs - Reads the processor time of the server.
 */
export function watchAnswers(ask: () => Promise<unknown>, readMs: () => number) {
  let longestMs = 0;
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      const beforeMs = readMs();
      await ask();
      longestMs = Math.max(longestMs, readMs() - beforeMs);
      await pause(POLL_MS);
    }
  })();
  polling.catch(() => {}); // thrown by `stop`
  return {
    /** @returns The most processor time before an answer. */
    async stop(): Promise<number> {
      isOver = true;
      await polling;
      return longestMs;
    },
  };
}
