/** Runs one Chromium for all tests of a file. If the test process is killed, Chromium ends, too. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { findTool } from '../../scripts/tools.ts';
import { findCommand, findObstacle } from './commands.ts';
import { createSession, type Session } from './webdriver.ts';

/** Flags 1 to 4 let Chromium run as root in a container. Flags 5 to 10 block connections to remote hosts. */
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
  '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // If chromedriver ends or crashes, the pipe to chromedriver closes, and Chromium ends.
  '--remote-debugging-pipe',
];

/**
 * The guard is a process that cleans up after the tests. When the test process ends, even by SIGKILL, the
 * input of the guard closes. Then the guard stops chromedriver, and removes the temporary folder of the
 * browser. If the browser still writes files, the guard removes the folder again. The guard closes its own
 * standard output. So the pipe from chromedriver to the test process closes when chromedriver ends.
 */
const GUARD =
  '"$@" & exec >&-; read -r end; kill $!; wait; rm -rf "$TMPDIR" || { sleep 1; rm -rf "$TMPDIR"; }';

const findBrowser = () => findCommand('chromium', 'chromium-browser', 'google-chrome');
const findDriver = () => findCommand('chromedriver');

export const skipWithoutBrowser = findObstacle(() => [findBrowser(), findDriver(), findTool('axe')]);

/** Even on a busy machine, chromedriver starts within this time. */
const START_MS = 60_000;

let started: ReturnType<typeof startBrowser> | undefined;
after(async () => (await started)?.stop());

/** All tests of a file share the browser. Each test opens its own windows. */
export function useBrowser(): ReturnType<typeof startBrowser> {
  return started ??= startBrowser();
}

async function startBrowser(
  attemptsLeft = 3,
): Promise<{ readonly session: Session; readonly home: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'));
  // The guard process has its own process group, so Ctrl-C at a terminal does not end the guard.
  const guard = spawn('sh', ['-c', GUARD, 'guard', findDriver(), '--port=0'], {
    detached: true, stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: folder },
  });
  const ended = new Promise((resolve) => guard.once('exit', resolve));
  // Another process can keep the output of a crashed chromedriver open, so the wait for the port is limited.
  const port = await Promise.race([readPort(guard.stdout), pause(START_MS, undefined, { ref: false })]);
  if (port === undefined) {
    guard.stdin.end();
    guard.stdout.destroy(); // an open output pipe would prevent the test process from ending
    if (attemptsLeft > 1) {
      return startBrowser(attemptsLeft - 1);
    }
    throw new Error('chromedriver does not start');
  }
  const session = await createSession(`http://127.0.0.1:${port}`, {
    'browserName': 'chrome',
    'goog:chromeOptions': {
      binary: findBrowser(), args: [...FLAGS, `--user-data-dir=${join(folder, 'profile')}`],
      perfLoggingPrefs: { enablePage: false },
    },
    'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
  });
  // Without `unref`, the guard process would prevent the test process from ending.
  const handles = [guard, guard.stdin, guard.stdout] as unknown as readonly { unref(): void }[];
  handles.forEach((handle) => handle.unref());
  return {
    session,
    /** The first window stays open, because the browser ends when its last window closes. */
    home: await session.window(),
    async stop(): Promise<void> {
      try {
        await session.end();
      } finally { // the guard process must end even if chromedriver has crashed
        guard.stdin.end();
        guard.ref();
        await ended;
      }
    },
  };
}

async function readPort(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /started successfully on port (\d+)/.exec(line) ?? [];
    if (port !== undefined) {
      return port;
    }
  }
  return undefined;
}
