/** The memory and the processor time of another process, from Linux's `/proc`. */
import { existsSync, readFileSync } from 'node:fs';

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
