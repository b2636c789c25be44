/**
 * Puts the servers on one processor core and the load on another, with `taskset` (util-linux), so that neither takes
 * time from the other and a server cannot use a second core unseen.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The command that starts a program where servers run: a prefix of its arguments, empty where there is no choice. */
export interface Placement {
  readonly serverPrefix: readonly string[];
  /** A sentence for the report. */
  readonly description: string;
}

/** Moves this process to the last core that it may use, and leaves the first one to the servers. */
export function placeLoad(): Placement {
  const cores = listAllowedCores();
  const [first, last] = [cores[0], cores.at(-1)];
  if (first === undefined || first === last) {
    return leaveUnpinned('there is only one');
  }
  const { status } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(last), String(process.pid)]);
  if (status !== 0) {
    return leaveUnpinned('taskset does not work here');
  }
  return { serverPrefix: ['taskset', '--cpu-list', String(first)], description: `servers on core ${first}, load on core ${last}` };
}

export function leaveUnpinned(reason: string): Placement {
  return { serverPrefix: [], description: `servers and load on whatever cores there are (${reason})` };
}

/** `0-3,8` means 0, 1, 2, 3 and 8. */
function listAllowedCores(): readonly number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}
