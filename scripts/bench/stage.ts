/** Prepares a measurement: a filled database, a service that uses it, and workloads for this database. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addCallers, fillDatabase, isFilled } from './fill.ts';
import { exchange, findHeader, prepare } from './http.ts';
import { startService, type Placement, type RunningServer } from './processes.ts';
import { createWorkloads, STATIC_FILE, type Workload, type WorkloadName } from './workloads.ts';

interface StageParts {
  readonly userCount: number;
  /** The file that keeps the filled database, if any. */
  readonly databaseFile: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly placement: Placement;
}

interface Stage {
  readonly service: RunningServer;
  readonly workloads: Readonly<Record<WorkloadName, Workload>>;
  /** Ends the service and removes its database. */
  close(): Promise<void>;
}

export async function setStage({ userCount, databaseFile, settings, placement }: StageParts): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const workingFile = join(folder, 'service.sqlite');
  if (databaseFile === undefined) {
    await fillDatabase(workingFile, userCount);
  } else {
    await copyKeptDatabase(resolve(databaseFile), workingFile, userCount);
  }
  const callers = await addCallers(workingFile);
  const service = await startService({ databaseFile: workingFile, settings, placement });
  const staticTag = findHeader(await exchange(service.port, prepare(`GET ${STATIC_FILE}`)), 'ETag') ?? '';
  return {
    service,
    workloads: createWorkloads({ userCount, callers, staticTag }),
    async close() {
      await service.stop();
      remove();
      process.off('exit', remove);
    },
  };
}

/** Fills the kept file if it does not exist, and copies it. A run uses the copy, because it writes. */
async function copyKeptDatabase(keptFile: string, workingFile: string, userCount: number): Promise<void> {
  if (!existsSync(keptFile)) {
    mkdirSync(dirname(keptFile), { recursive: true });
    await fillDatabase(workingFile, userCount);
    copyFileSync(workingFile, `${keptFile}.part`);
    renameSync(`${keptFile}.part`, keptFile);
    process.stderr.write(`Kept the filled database in ${keptFile}\n`);
    return;
  }
  if (!(await isFilled(keptFile, userCount))) {
    throw new Error(`Cannot use "${keptFile}": expected a database of ${userCount} users from this program`);
  }
  process.stderr.write(`Using the filled database in ${keptFile}\n`);
  copyFileSync(keptFile, workingFile);
}
