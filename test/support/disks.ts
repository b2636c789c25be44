/**
 * Creates small disks for one test. A disk is a tmpfs in a mount namespace (mount_namespaces(7)), so
 * processes outside the namespace do not see the disk. The namespace and its disk disappear with the last
 * process in the namespace, even if the test crashes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { mustRun } from './commands.ts';

/** If the system allows user namespaces, any user can become root inside a namespace. */
const isRoot = process.getuid?.() === 0;
const UNSHARE = [...(isRoot ? [] : ['--user', '--map-root-user']), '--mount'];

export const skipWithoutDisks =
  spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0
  && 'nothing can be mounted here: run it as root, or where user namespaces are allowed';

export type Disk = Awaited<ReturnType<typeof createDisk>>;

export async function createDisk(context: TestContext, sizeBytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-disk-'));
  const script = `mount -t tmpfs -o size=${sizeBytes} tmpfs "$0" && echo mounted && exec cat`;
  const holder = spawn('unshare', [...UNSHARE, 'sh', '-c', script, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => {
    holder.kill('SIGKILL');
    rmdirSync(folder);
  });
  await once(holder.stdout, 'data');
  const options = isRoot ? [] : ['--user', '--preserve-credentials'];
  const enter = [`--target=${holder.pid}`, ...options, '--mount'];
  return {
    folder,
    /** The path by which this process finds the disk. SQLite cannot follow the link `root` in this path. */
    outside: `/proc/${holder.pid}/root${folder}`,
    launcher: ['nsenter', ...enter],
    remount(mode: string): void {
      mustRun('nsenter', [...enter, 'mount', '-o', `remount,${mode}`, folder]);
    },
  };
}
