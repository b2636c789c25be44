/**
 * `npm run audit`: checks what the README claims about the build, and about what the running service can
 * reach. A test shows that each of the checks in `audit/` can fail.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { comparePackages, findTarballFaults, listTarball } from './audit/artefacts.js';
import { differences, digestOf, measure, readFiles } from './audit/files.js';
import { findImportFaults, nodeModulesOf } from './audit/imports.js';
import { findPackageFaults } from './audit/packages.js';
import { findPageFaults } from './audit/pages.js';
import { findPowerFaults, POWERS } from './audit/powers.js';
import { toText } from './audit/report.js';
import { findBlindness, walk } from './audit/walk.js';
import { build, compile } from './build.js';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run audit [-- --json | --files | --mutations]

Builds twice. Searches the build, the packages and the pages for forbidden things. Watches the built server
while it answers every route. Prints a line for each claim, the size of each part, and the SHA-256 of dist/.

  --json       everything as JSON, each file with its size and SHA-256
  --files      the size and SHA-256 of each file as well
  --mutations  instead: take each protection of the README's table out of a copy of the project, piece by
               piece, and report each named test that passes without it; takes some minutes

This prints the SHA-256 of the build in dist/: find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum

The search of the text finds plain code, in comments too, but not code that somebody hides on purpose. The
walk sees what the server does, however the code is written, but only for these requests and a database
file. SQLite writes its own files, which Node.js does not confine. Neither check looks into Node.js.

Needs bash and curl. Exit codes: 0 every claim holds, 1 a claim does not hold, 64 wrong arguments.`;

/** @typedef {{ claim: string, faults: readonly string[], remark?: string }} Finding */

const temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-audit-'));
try {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' }, files: { type: 'boolean' }, mutations: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
  } else if (values.mutations) {
    build();
    process.exitCode = (await auditProtections()) === 0 ? 0 : 1;
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

/** @returns {Promise<number>} The number of faults. */
async function auditProtections() {
  const { auditMutations } = await import('./audit/mutations.ts'); // only here, because it needs tsx
  const { protections } = await import('../test/protections/protections.ts');
  const { checks, failed } = await auditMutations(protections, (line) => console.log(line));
  console.log(`\n${checks - failed} of ${checks} checks of the protections passed`);
  return failed;
}

async function audit() {
  build();
  const output = join(projectFolder, 'dist');
  const files = readFiles(output);
  const manifest = readJson('package.json');
  const { routes, generated } = await readService(output, manifest['version']);
  const pages = [...readFiles(join(projectFolder, 'static')), ...generated];
  const sources = readFiles(join(projectFolder, 'src')).filter(({ name }) => name.endsWith('.ts'));
  const walked = await walk([join(output, 'server.js')], mkdtempSync(join(temporaryFolder, 'walk-')));
  const uncalled = routes.filter((route) => !walked.routes.has(route));
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
      claim: 'The package of npm holds dist/, static/, package.json and README.md, and nothing else',
      faults: findTarballFaults(listTarball(), ['dist', 'static'].flatMap((folder) => (
        readFiles(join(projectFolder, folder)).map(({ name }) => `${folder}/${name}`)
      ))),
    },
    {
      claim: 'The single executable is what this source makes, byte by byte',
      ...comparePackages(join(temporaryFolder, 'release')),
    },
    {
      claim: 'Imports lead to files of the build or to Node.js',
      faults: findImportFaults(files, { allowsNode: true }),
      remark: nodeModulesOf(files).join(' '),
    },
    ...POWERS.map((power) => ({
      claim: power.claim,
      faults: findPowerFaults(files, power),
      remark: power.files.join(' '),
    })),
    {
      claim:
        'Pages load nothing from elsewhere, run no inline code, make no code from text, and use no cookies',
      faults: [...findPageFaults(pages), ...findImportFaults(pages, { allowsNode: false })],
    },
    {
      claim: 'While it answers every route, the server connects nowhere, starts nothing, writes only data',
      faults: [...findBlindness(), ...walked.faults, ...uncalled.map((route) => `${route} was not called`)],
      remark: `${routes.length} routes`,
    },
  ];
  return {
    version: manifest['version'],
    node: process.version,
    findings,
    sha256: digestOf(files),
    sources: sources.map(measure),
    files: files.map(measure),
    pages: pages.map(measure),
  };
}

/** @param {ReturnType<typeof readFiles>} files */
function compareBuilds(files) {
  const faults = ['first', 'second'].flatMap((name) => {
    compile(join(temporaryFolder, name));
    return differences(files, readFiles(join(temporaryFolder, name)));
  });
  return [...new Set(faults)].map((name) => `${name} differs`);
}

/**
 * @param {string} output
 * @param {string} version - The version of the program.
 * @returns {Promise<{ routes: string[], generated: import('./audit/files.js').File[] }>} Routes such as `GET
 *   /api/v1/users`, and the pages that the build generates with the default settings.
 */
async function readService(output, version) {
  const [{ readConfig }, { openDatabase }, { assembleOperations }, { metricsOperations }, { generateFiles }] =
    await Promise.all([
      'config.js', 'database/open.js', 'programs/extras.js', 'extras/metrics/metrics.js',
      'extras/documents/documents.js',
    ].map((name) => import(join(output, name))));
  const { config } = readConfig({ METRICS: 'on', DATABASE_URL: 'sqlite::memory:' });
  const operations = {
    ...assembleOperations({ config, database: await openDatabase(config.database), log() {} }),
    ...metricsOperations(undefined, async () => []),
  };
  /** @type {{ method: string, path: string }[]} */
  const routes = Object.values(operations);
  /** @type {Map<string, string>} */
  const pages = generateFiles(operations, config, version);
  return {
    routes: routes.map(({ method, path }) => `${method} ${path}`),
    generated: Array.from(pages, ([name, text]) => ({ name, content: Buffer.from(text) })),
  };
}

/** @param {string} file @returns {Readonly<Record<string, any>>} */
function readJson(file) {
  return JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
}
