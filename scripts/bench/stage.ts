/** Everything that a run needs before it can measure: a database, a service on it, and the workloads that fit both. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addCallers } from './callers.ts';
import type { Placement } from './cores.ts';
import { fillDatabase, isFilled } from './fill.ts';
import { exchange, findHeader, prepare } from './request.ts';
import { countMatches } from './searches.ts';
import { startService, type RunningServer } from './servers.ts';
import { createWorkloads, STATIC_FILE, type Workload, type WorkloadName } from './workloads.ts';

interface StageParts {
  readonly userCount: number;
  /** Where the filled database is kept, if it is. */
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
  await provideDatabase({ workingFile, keptFile: databaseFile, userCount });
  const callers = await addCallers(workingFile);
  const service = await startService({ databaseFile: workingFile, settings, placement });
  const staticTag = findHeader(await exchange(service.port, prepare(`GET ${STATIC_FILE}`)), 'ETag') ?? '';
  return {
    service,
    workloads: createWorkloads({ userCount, callers, searches: countMatches(userCount), staticTag }),
    async close() {
      await service.stop();
      remove();
      process.off('exit', remove);
    },
  };
}

/** A run writes, so it never works on the kept file itself. */
async function provideDatabase(
  { workingFile, keptFile, userCount }: { workingFile: string; keptFile: string | undefined; userCount: number },
): Promise<void> {
  if (keptFile === undefined) {
    return fillDatabase(workingFile, userCount);
  }
  const file = resolve(keptFile);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    await fillDatabase(workingFile, userCount);
    copyFileSync(workingFile, `${file}.part`);
    renameSync(`${file}.part`, file);
    process.stderr.write(`Kept the filled database in ${file}\n`);
    return;
  }
  if (!(await isFilled(file, userCount))) {
    throw new Error(`Cannot use "${file}": expected a database that this program has filled with ${userCount} users`);
  }
  process.stderr.write(`Using the filled database in ${file} again\n`);
  copyFileSync(file, workingFile);
}
