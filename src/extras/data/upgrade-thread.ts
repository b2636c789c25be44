/**
 * Runs the upgrade of a file in its own thread, because SQLite blocks its thread while a statement runs.
 * During an upgrade the service must answer `/livez`: otherwise, an orchestrator would end the service before
 * the upgrade ends.
 */
import { isSea } from 'node:sea';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { reasonOf } from '../../telemetry/error-text.ts';
import type { Log } from '../../telemetry/log.ts';
import { mayNeedUpgrade, upgradeFile } from './upgrade.ts';

/** @param path - A database file, which may be missing. @throws When a needed upgrade is not possible. */
export async function upgradeInThread(path: string, log: Log): Promise<void> {
  if (!(await mayNeedUpgrade(path))) {
    return;
  }
  try {
    // A thread cannot load code from a single executable file, and the permission model may refuse threads.
    if (isSea() || process.permission?.has('worker') === false) {
      return await upgradeFile(path, log);
    }
    const thread = new Worker(new URL(import.meta.url), { workerData: { pathToUpgrade: path } });
    thread.on('message', (line: Parameters<Log>) => log(...line));
    await new Promise<void>((resolve, reject) => thread.once('error', reject).once('exit', () => resolve()));
  } catch (error) {
    throw new Error(`Cannot upgrade the database "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

const path: unknown = workerData?.pathToUpgrade;
if (typeof path === 'string') {
  await upgradeFile(path, (...line) => parentPort?.postMessage(line));
}
