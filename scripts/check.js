/**
 * `npm run check`: everything that must hold before a commit. Types; a build that a second build reproduces byte by byte;
 * the built server, started on a new database and walked through by the smoke test; then the tests, but for those on a
 * cluster: `npm test` has them too.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build, compile } from './build.js';
import { projectFolder } from './runtime.js';

const temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-check-'));
try {
  run('types', process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc')]);
  build();
  checkReproducible();
  await smoke();
  run('tests', process.execPath, [join('scripts', 'test.js'), '--embedded']);
} catch (error) {
  console.error(`check failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true });
}

/**
 * @param {string} title
 * @param {string} program
 * @param {readonly string[]} programArguments
 */
function run(title, program, programArguments) {
  console.log(`check: ${title}`);
  const { status } = spawnSync(program, programArguments, { cwd: projectFolder, stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`${title} (exit code ${status})`);
  }
}

function checkReproducible() {
  console.log('check: reproducible build');
  const second = join(temporaryFolder, 'dist');
  compile(second);
  const [left, right] = [join(projectFolder, 'dist'), second].map(readFolder);
  if (left !== right) {
    throw new Error('dist/ differs from what a second build makes');
  }
}

/**
 * @param {string} folder
 * @returns {string} All its files and their content.
 */
function readFolder(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return JSON.stringify(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

async function smoke() {
  const server = spawn(process.execPath, [join('dist', 'server.js')], {
    cwd: projectFolder,
    env: { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder, 'service.sqlite')}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    run('smoke', 'bash', [join('scripts', 'smoke.sh'), await readUrl(server.stdout)]);
  } finally {
    server.kill('SIGTERM');
  }
}

/**
 * @param {import('node:stream').Readable} output - The log of a server that starts.
 * @returns {Promise<string>} The address at which it listens.
 */
async function readUrl(output) {
  for await (const line of createInterface({ input: output })) {
    const { message, url } = JSON.parse(line);
    if (message === 'listening') {
      return url;
    }
  }
  throw new Error('the server ended before it listened');
}
