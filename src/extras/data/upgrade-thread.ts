/**
 * Runs the upgrade of a file in a thread. SQLite blocks its thread for as long as a statement takes, and the
 * service must answer `/livez` meanwhile: an orchestrator would end it in the middle of each attempt.
 */
import { isSea } from 'node:sea';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { schema } from '../../stores/schema.ts';
import { mayNeedUpgrade, upgradeFile, type UpgradeProgress } from './upgrade.ts';

/** What the thread gets. */
interface Task {
  readonly pathToUpgrade: string;
}

/**
 * @param path - A SQLite file, which need not exist.
 * @throws When the file needs an upgrade that is not possible.
 */
export async function upgradeInThread(
  path: string, report: (progress: UpgradeProgress) => void,
): Promise<void> {
  if (!(await mayNeedUpgrade(path, schema))) {
    return;
  }
  if (!mayStartThread()) {
    return upgradeFile({ path, schema, report });
  }
  const task: Task = { pathToUpgrade: path };
  const thread = new Worker(new URL(import.meta.url), { workerData: task }).on('message', report);
  await new Promise<void>((resolve, reject) => thread.once('error', reject).once('exit', () => resolve()));
}

/** A thread cannot load the files inside one file to run, and the permission model may refuse threads. */
function mayStartThread(): boolean {
  return !isSea() && process.permission?.has('worker') !== false;
}

if (!isMainThread && workerData !== null && 'pathToUpgrade' in workerData) {
  const { pathToUpgrade: path } = workerData as Task;
  await upgradeFile({ path, schema, report: (progress) => parentPort?.postMessage(progress) });
}
