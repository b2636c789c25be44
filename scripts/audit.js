/**
 * `npm run audit`: what the README claims of the build and of everything that it could reach, checked on this machine. Each
 * claim is a file in `audit/`; a test shows that each can fail.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differences, digestOf, measure, readFiles } from './audit/files.js';
import { findImportFaults, nodeModulesOf } from './audit/imports.js';
import { findPackageFaults } from './audit/packages.js';
import { findPageFaults } from './audit/pages.js';
import { findPowerFaults, POWERS } from './audit/powers.js';
import { toText } from './audit/report.js';
import { findBlindness, walk } from './audit/walk.js';
import { build, compile } from './build.js';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run audit [-- --json | --files]

Builds twice, looks for what the build, the packages and the pages must not have, walks through every route of the built
server while it is watched, and prints a line for each claim, the size of each part and the SHA-256 of the build.

  --json    everything as JSON, each file with its size and SHA-256
  --files   the size and SHA-256 of each file as well

The SHA-256 of the build is what this prints in dist/: find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum

Searching the text finds what is written plainly, in comments too, and not what somebody hides on purpose. The walk sees what
happens, however it is written, but only while these requests are answered, on a file. SQLite writes its files itself, which
Node.js does not confine. Neither looks into Node.js.

Needs bash and curl. Exit codes: 0 every claim holds, 1 one does not, 64 wrong arguments.`;

/** @typedef {{ readonly claim: string, readonly faults: readonly string[], readonly remark?: string }} Finding */

const temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-audit-'));
try {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, files: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(USAGE);
  } else {
    const report = await audit();
    console.log(values.json ? JSON.stringify(report, undefined, 2) : toText(report, values.files === true));
    process.exitCode = report.findings.every(({ faults }) => faults.length === 0) ? 0 : 1;
  }
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = /** @type {NodeJS.ErrnoException} */ (error).code?.startsWith('ERR_PARSE_ARGS') ? 64 : 1;
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true });
}

async function audit() {
  build();
  const output = join(projectFolder, 'dist');
  const files = readFiles(output);
  const manifest = readJson('package.json');
  const { routes, generated } = await readService(output, manifest['version']);
  const pages = [...readFiles(join(projectFolder, 'static')), ...generated];
  const walked = await walk([join(output, 'server.js')], mkdtempSync(join(temporaryFolder, 'walk-')));
  /** @type {Finding[]} */
  const findings = [
    {
      claim: 'Two builds are the same, byte by byte, and dist/ is what they make',
      faults: compareBuilds(files),
      remark: `SHA-256 ${digestOf(files)}`,
    },
    {
      claim: 'There are no dependencies, and npm runs nothing by itself',
      faults: findPackageFaults(manifest, readJson('package-lock.json')),
    },
    {
      claim: 'Imports lead to files of the build or to Node.js',
      faults: findImportFaults(files, { allowsNode: true }),
      remark: nodeModulesOf(files).join(' '),
    },
    ...POWERS.map((power) => ({ claim: power.claim, faults: findPowerFaults(files, power), remark: power.files.join(' ') })),
    {
      claim: 'Pages load nothing from elsewhere, run nothing that stands in them or is made from text, and use no cookies',
      faults: [...findPageFaults(pages), ...findImportFaults(pages, { allowsNode: false })],
    },
    {
      claim: 'The server answers on every route without connecting anywhere, starting anything, or writing beside its database',
      faults: [...findBlindness(), ...(walked.faults.length > 0 ? walked.faults : toUncalled(routes, walked.routes))],
      remark: `${routes.length} routes`,
    },
  ];
  return {
    version: manifest['version'],
    node: process.version,
    findings,
    sha256: digestOf(files),
    files: files.map(measure),
    pages: pages.map(measure),
  };
}

/** @param {ReturnType<typeof readFiles>} files */
function compareBuilds(files) {
  const builds = ['first', 'second'].map((name) => {
    compile(join(temporaryFolder, name));
    return readFiles(join(temporaryFolder, name));
  });
  return [...new Set(builds.flatMap((other) => differences(files, other)))].map((name) => `${name} differs`);
}

/**
 * @param {readonly string[]} routes
 * @param {ReadonlySet<string>} called
 */
function toUncalled(routes, called) {
  return routes.filter((route) => !called.has(route)).map((route) => `${route} was not called`);
}

/**
 * @param {string} output
 * @param {string} version - Of the program.
 * @returns {Promise<{ routes: string[], generated: import('./audit/files.js').File[] }>} Routes such as `GET /api/v1/users`, and
 *   the pages that the build makes, with the default settings.
 */
async function readService(output, version) {
  const [{ readConfig }, { createRoutes }, { generateFiles }] = await Promise.all(
    ['config.js', 'routes.js', 'generated-files.js'].map((name) => import(join(output, name))),
  );
  const { config } = readConfig({});
  const routes = /** @type {{ method: string, path: string }[]} */ (createRoutes(config)).map(({ method, path }) => `${method} ${path}`);
  const files = /** @type {Map<string, string>} */ (generateFiles(config, version));
  return { routes, generated: Array.from(files, ([name, text]) => ({ name, content: Buffer.from(text) })) };
}

/** @param {string} file @returns {Readonly<Record<string, any>>} */
function readJson(file) {
  return JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
}
