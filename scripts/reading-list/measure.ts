/** Calls all operations of the specification, and finds the source files whose functions run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ADMINISTRATOR, ROOT } from '../../test/support/administrator.ts';
import { readPort } from '../listening.ts';
import { sendRequests } from './requests.ts';

/**
 * The members that this script reads in V8's coverage report. In a report without details, each function has
 * one range: the whole function.
 */
interface Report {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly count: number;
}

const DIST = new URL('../../dist/', import.meta.url);

/** @returns The paths, below `src/`, of the files whose functions ran. */
export async function findPath(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-reading-'));
  const preload = fileURLToPath(new URL('coverage.js', import.meta.url));
  const child = spawn(
    process.execPath, ['--import', pathToFileURL(preload).href, fileURLToPath(new URL('server.js', DIST))], {
      env: { PORT: '0', DATABASE_URL: `sqlite:${folder}/service.sqlite`, ...ADMINISTRATOR },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  try {
    const port = await readPort(child.stdout);
    await sendRequests(port, ROOT, 'warm-up');
    await takeReport(child);
    await sendRequests(port, ROOT, 'measured');
    return (await takeReport(child)).filter(isEntered).map(({ url }) => (
      url.slice(DIST.href.length).replace(/\.js$/, '.ts')
    ));
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function takeReport(child: ChildProcess): Promise<readonly Report[]> {
  const answered = once(child, 'message');
  child.kill('SIGUSR2');
  const [report] = await answered;
  return report;
}

/** True if a function of the file was called. The range at character 0 is the module, not a function. */
function isEntered({ url, functions }: Report): boolean {
  const ranges = functions.flatMap((one) => one.ranges);
  return url.startsWith(DIST.href) && ranges.some(({ startOffset, count }) => startOffset > 0 && count > 0);
}
