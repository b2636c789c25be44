/** Measures the files and lines that the operations of the specification enter in the built server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ADMINISTRATOR, ROOT } from '../../test/support/administrator.ts';
import { readPort } from '../listening.js';
import { sendRequests } from './requests.ts';

/** The part of V8's report that is used. Without details, each function has one range: its text. */
interface Report {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Path {
  /** Paths below `src/`. */
  readonly files: readonly string[];
  /** Lines of the functions entered, in the built files. */
  readonly lines: number;
}

const DIST = new URL('../../dist/', import.meta.url);

export async function measurePath(): Promise<Path> {
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
    const linesByFile = countLines(await takeReport(child));
    const lines = [...linesByFile.values()].reduce((sum, linesOfFile) => sum + linesOfFile, 0);
    return { files: [...linesByFile.keys()], lines };
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

/** @returns The number of lines in functions that were entered, for each file with such a function. */
function countLines(reports: readonly Report[]): ReadonlyMap<string, number> {
  const own = reports.filter(({ url }) => url.startsWith(DIST.href));
  return new Map(own.flatMap(({ url, functions }): [string, number][] => {
    const file = url.slice(DIST.href.length).replace(/\.js$/, '.ts');
    const lines = linesEntered(readFileSync(new URL(url), 'utf8'), functions.flatMap(({ ranges }) => ranges));
    return lines === 0 ? [] : [[file, lines]];
  }));
}

/** Functions stand inside others: the innermost function that holds a line decides whether it was entered. */
function linesEntered(text: string, ranges: readonly Range[]): number {
  const entered = new Set<number>();
  const outermostFirst = ranges
    .filter(({ startOffset, endOffset }) => startOffset > 0 || endOffset < text.length) // not the module
    .toSorted((left, right) => left.startOffset - right.startOffset || right.endOffset - left.endOffset);
  for (const { startOffset, endOffset, count } of outermostFirst) {
    const first = lineOf(text, startOffset);
    for (let line = first; line <= lineOf(text, endOffset); line += 1) {
      if (count > 0) {
        entered.add(line);
      } else if (line > first) {
        entered.delete(line);
      }
    }
  }
  return entered.size;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
