/**
 * Chromium for the tests of one file, which have a process of their own: started when the first one needs it,
 * ended after the last one, and gone too when that process is killed. Without Chromium, chromedriver or
 * axe-core the tests are skipped, and say why; where `CI` is set, that is a failure instead.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { findTool } from '../../scripts/tools.js';
import { createSession, type Session } from './webdriver.ts';

/**
 * The first four are for root in a container; the others keep the browser from calling its vendor, and
 * anybody else.
 */
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
  '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--remote-debugging-pipe', // so that it ends when chromedriver does, however that ends
];

/**
 * Waits for the end of its standard input, which comes when this process ends, even by SIGKILL; then it takes
 * chromedriver along and clears up, at the second try where a dying browser has still been writing.
 */
const GUARD = '"$@" & read -r end; kill $!; wait; rm -rf "$TMPDIR" || { sleep 1; rm -rf "$TMPDIR"; }';

const obstacle = findObstacle();
if (obstacle !== false && process.env['CI']) {
  throw new Error(`Tests in a browser must not be skipped where CI is set: ${obstacle}`);
}

/** Why tests in a browser are skipped, or `false`. */
export const skipWithoutBrowser = obstacle;

function findObstacle(): string | false {
  try {
    findBrowser();
    findTool('axe');
    return false;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @throws When one of the two programs is not on PATH. */
function findBrowser(): { readonly browser: string; readonly driver: string } {
  return {
    browser: findProgram('chromium', 'chromium-browser', 'google-chrome'),
    driver: findProgram('chromedriver'),
  };
}

/** @param names - Any of them will do. @returns The path of the program. */
function findProgram(...names: readonly string[]): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
  if (found === undefined) {
    const advice = 'Debian has the packages chromium and chromium-driver';
    throw new Error(`there is no ${names.join(' or ')} on PATH (${advice})`);
  }
  return found;
}

interface Browser {
  readonly session: Session;
  /** A window that stays open, so that the others can be closed: the browser ends with the last one. */
  readonly home: string;
  stop(): Promise<void>;
}

let started: Promise<Browser> | undefined;
after(async () => (await started)?.stop());

/** The browser of this file, which its tests share; each opens windows of its own. */
export function useBrowser(): Promise<Browser> {
  started ??= startBrowser();
  return started;
}

/** The source of a script that defines `axe`. */
export function readAxe(): string {
  return readFileSync(findTool('axe'), 'utf8');
}

async function startBrowser(): Promise<Browser> {
  const { browser, driver } = findBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'));
  // In a process group of its own: Ctrl-C at a terminal is for this process, whose end the guard sees.
  const guard = spawn('sh', ['-c', GUARD, 'guard', driver, '--port=0'], {
    detached: true, stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: folder },
  });
  const ended = new Promise((resolve) => guard.once('exit', resolve));
  const session = await createSession(`http://127.0.0.1:${await readPort(guard.stdout)}`, {
    'browserName': 'chrome',
    'goog:chromeOptions': {
      binary: browser, args: [...FLAGS, `--user-data-dir=${join(folder, 'profile')}`],
      perfLoggingPrefs: { enablePage: false },
    },
    'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
  });
  return {
    session,
    home: await session.window(),
    async stop() {
      await session.end();
      guard.stdin.end();
      await ended;
    },
  };
}

/** @param output - The output of chromedriver, which says where it listens. */
async function readPort(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /started successfully on port (\d+)/.exec(line) ?? [];
    if (port !== undefined) {
      return port;
    }
  }
  throw new Error('chromedriver ended before it listened');
}
