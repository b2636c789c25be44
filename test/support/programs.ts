import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { skipWithout } from './commands.ts';

type Program = 'server.js' | 'admin.js';
export type Context = { after(clean: () => unknown): void };

export const pathOf = (program: Program) => fileURLToPath(new URL(`../../dist/${program}`, import.meta.url));

export const skipWithoutTerminal = skipWithout('script');

/** With these arguments, script(1) runs a program at a terminal. */
export function atTerminal(program: Program, words = ''): readonly string[] {
  return ['--quiet', '--return', '--command', `${process.execPath} ${pathOf(program)} ${words}`, '/dev/null'];
}

export function createFolder(context: Context): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Without `killAfterMs`, kills a server as soon as the server listens. */
export async function run(
  program: Program,
  programArguments: readonly string[],
  {
    environment = {} as Readonly<Record<string, string>>, input = '', cwd = tmpdir(),
    nodeArguments = [] as readonly string[], killAfterMs = undefined as number | undefined,
  } = {},
) {
  const child = spawn(process.execPath, [...nodeArguments, pathOf(program), ...programArguments], {
    cwd, env: environment, timeout: killAfterMs, killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => {}); // a program can end without reading its input
  child.stdin.end(input);
  const exited = once(child, 'exit') as Promise<[code: number | null]>;
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
    if (killAfterMs === undefined && stdout.includes('"message":"listening"')) {
      child.kill('SIGKILL'); // a server would not end by itself
    }
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), exited, finished(child.stdout)]);
  return { code, stdout, stderr };
}

type StartingServer = ReturnType<typeof launch>;
export type RunningServer = StartingServer & { readonly port: number };

export interface Launch {
  /** A command, such as `nice`, that starts the program. */
  readonly launcher?: readonly string[];
  readonly nodeArguments?: readonly string[];
}

export function launch(
  context: Context,
  [program = '', ...programArguments]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  { cwd = tmpdir(), detached = false } = {},
) {
  const child = spawn(program, programArguments, { env: { PORT: '0', ...environment }, cwd, detached });
  context.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit') as Promise<[code: number | null]>;
  const errors = text(child.stderr);
  const logLines: string[] = [];
  const output = createInterface({ input: child.stdout }).on('line', (line) => logLines.push(line));
  /** Waits until `times` lines of the output contain `part`. @returns The last matching line. */
  const untilLine = (part: string, times = 1) => new Promise<string>((resolve, reject) => {
    let count = 0;
    const look = (line: string) => {
      count += line.includes(part) ? 1 : 0;
      if (count === times) {
        resolve(line);
      }
    };
    logLines.forEach(look);
    output.on('line', look);
    void exited.then(async ([code]) => reject(new Error(`The server ended with ${code}: ${await errors}`)));
  });
  return {
    process: child, logLines, untilLine,
    /** @throws Error if the server ends without the message. */
    async untilLogged(message: string): Promise<Record<string, any>> {
      return JSON.parse(await untilLine(`"message":"${message}"`));
    },
    /** @returns The exit code, or `null` if a signal ended the server. */
    async stop(signal: NodeJS.Signals) {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

export function launchServer(
  context: Context,
  environment: Readonly<Record<string, string>>,
  { launcher = [], nodeArguments = [] }: Launch = {},
): StartingServer {
  const command = [...launcher, process.execPath, ...nodeArguments, pathOf('server.js')];
  return launch(context, command, environment);
}

export async function whenListening(server: StartingServer): Promise<RunningServer> {
  const { url = '' } = await server.untilLogged('listening');
  return { ...server, port: Number(new URL(url).port) };
}

export function startServer(
  context: Context, environment: Readonly<Record<string, string>>, options: Launch = {},
): Promise<RunningServer> {
  return whenListening(launchServer(context, environment, options));
}

/** The maximum wait for a lock is long, because a server often writes to the file. */
export function inFile<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { timeout: 600_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

export function columnIn(path: string, question: string): readonly unknown[] {
  return inFile(path, (database) => database.prepare(question).all().map((row) => Object.values(row)[0]));
}

/** By default, the database file is new, in a new folder. */
export function createInstallation(
  context: Context, settings: Readonly<Record<string, string>> = {},
  path = join(createFolder(context), 'service.sqlite'),
) {
  const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0', ...settings };
  const admin = (line: string, input = '') =>
    run('admin.js', line.split(' '), { environment, input, cwd: dirname(path) });
  return {
    folder: dirname(path), path, environment,
    start: (options?: Launch) => startServer(context, environment, options),
    /** A process that closes a file loses its locks on the file. So a new process, `cat`, reads the file. */
    readFile: () => spawnSync('cat', [path]).stdout,
    /** Runs a server that is expected to stop by itself. */
    serve: () => run('server.js', [], { environment }),
    admin,
    async mustAdmin(line: string, input = ''): Promise<string> {
      const { code, stdout, stderr } = await admin(line, input);
      assert.equal(code, 0, stderr);
      return stdout;
    },
  };
}
