/** The memory of another process, from Linux's `/proc`. */
import { readFileSync } from 'node:fs';

/** @param field - The current (`VmRSS`) or the highest (`VmHWM`) resident memory. */
export function readMib(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1024;
}
