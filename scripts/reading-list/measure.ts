import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ADMINISTRATOR, ROOT } from '../../test/support/administrator.ts';
import { readPort } from '../listening.ts';
import { sendRequests } from './requests.ts';

const DIST = new URL('../../dist/', import.meta.url);

/**
 * Starts a server, and sends requests to the operations of the specification.
 *
 * @returns For each path below `src/`, the share of the file's code that is in functions that ran during
 *   these requests. Files in which no function ran are left out.
 */
export async function measurePath(): Promise<ReadonlyMap<string, number>> {
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
    const own = (await takeReport(child)).filter(({ url }) => url.startsWith(DIST.href));
    const pathOf = (url: string) => url.slice(DIST.href.length).replace(/\.js$/, '.ts');
    const shares = own.map((report) => [pathOf(report.url), toShare(report)] as const);
    return new Map(shares.filter(([, share]) => share > 0));
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function takeReport(child: ChildProcess): Promise<readonly Profiler.ScriptCoverage[]> {
  const answered = once(child, 'message');
  child.kill('SIGUSR2');
  const [report] = await answered;
  return report;
}

/** In a report without details, each function has one range: the whole function. */
function toShare({ url, functions }: Profiler.ScriptCoverage): number {
  const isCalled = new Uint8Array(readFileSync(new URL(url), 'utf8').length);
  functions.flatMap((one) => one.ranges)
    .filter(({ startOffset }) => startOffset > 0) // the range at character 0 is the module, not a function
    .toSorted((left, right) => left.startOffset - right.startOffset) // inner functions after outer functions
    .forEach(({ startOffset: at, endOffset: end, count }) => isCalled.fill(Number(count > 0), at, end));
  return isCalled.filter(Boolean).length / isCalled.length;
}
