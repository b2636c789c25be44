/**
 * `npm run audit`: checks the claims of audit/README.md. For each check in `audit/`, a test shows that the
 * check can fail.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { protections } from '../test/protections/protections.ts';
import { comparePackages, findTarballFaults, listTarball } from './audit/artefacts.ts';
import { differences, digestOf, readFiles, type File } from './audit/files.ts';
import { findImportFaults, nodeModulesOf } from './audit/imports.ts';
import { auditMutations } from './audit/mutations.ts';
import { findPackageFaults } from './audit/packages.ts';
import { findPageFaults } from './audit/pages.ts';
import { findPowerFaults, POWERS } from './audit/powers.ts';
import { findBlindness, walk } from './audit/walk.ts';
import { build, compile } from './build.js';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run audit [-- --mutations [WORDS]]

Builds the server twice. Searches the build, the packages and the pages for forbidden things. Watches the
built server while the server answers every route. Prints a line for each claim as soon as the claim is
decided.

  --mutations [WORDS]  checks the protections in the table of scripts/audit/README.md instead. In a copy of
                       the project, weakens each protection, and reports each test that still passes.
                       Takes minutes. With WORDS, such as "guess tokens", checks only rows whose cells
                       "Wants to" and "Protection" together contain all these words

In the folder dist/, this command prints the SHA-256 of the build:
  find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum

The search finds forbidden text, even in comments, but not disguised code. Watching the server also reveals
disguised code, if one of the requests runs this code. The watched server uses a database file, not a cluster.
Node.js does not restrict the files that SQLite writes. The audit does not look into Node.js.

Needs bash and curl.

Exit codes: 0 if every claim holds, 1 if a claim does not hold, 2 if a protection was not checked because a
test was skipped, 64 if the arguments are wrong.`;

interface Finding {
  readonly claim: string;
  /** If the claim was not checked, this member is missing. */
  readonly faults?: readonly string[];
  readonly remark?: string;
}

const temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-audit-'));
process.once('exit', () => rmSync(temporaryFolder, { recursive: true, force: true }));
try {
  process.exitCode = await run();
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  console.error(message);
  process.exitCode = code?.startsWith('ERR_PARSE_ARGS') ? 64 : 1;
}

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { mutations: { type: 'boolean' }, help: { type: 'boolean' } }, allowPositionals: true,
  });
  const words = positionals.join(' ').toLowerCase();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.mutations) {
    return auditProtections(words);
  }
  if (words !== '') {
    console.error(`Unknown argument "${words}": see npm run audit -- --help`);
    return 64;
  }
  return auditClaims();
}

async function auditProtections(words: string): Promise<number> {
  const rows = protections.filter(({ wants, protection }) =>
    words.split(' ').every((word) => `${wants} ${protection}`.toLowerCase().includes(word)));
  if (rows.length === 0) {
    const all = protections.map(({ wants }) => `  ${wants}`).join('\n');
    console.error(`No row has all the words "${words}". Each row says what an attacker wants to do:\n${all}`);
    return 64;
  }
  const attacks = rows.map(({ wants }) => `"${wants}"`).join(', ');
  console.log(`Checking the protections against these attacks: ${attacks}`);
  build();
  const { checks, failed, unchecked } = await auditMutations(rows, (line) => console.log(line));
  const remark = unchecked > 0 ? `; ${unchecked} were not checked` : '';
  console.log(`\n${checks - failed - unchecked} of ${checks} checks of the protections passed${remark}`);
  return failed > 0 ? 1 : unchecked > 0 ? 2 : 0;
}

async function auditClaims(): Promise<number> {
  const manifest = readJson('package.json');
  console.log(`Rollcall ${manifest['version']} under Node.js ${process.version}`);
  const decided = { claims: 0, holding: 0 };
  for await (const { claim, faults, remark } of decideClaims(manifest)) {
    if (faults === undefined) {
      console.log(`– ${claim}: not checked, because ${remark}`);
      continue;
    }
    decided.claims += 1;
    decided.holding += faults.length === 0 ? 1 : 0;
    console.log(`${faults.length === 0 ? '✔' : '✖'} ${claim}${remark ? `\n    (${remark})` : ''}`);
    faults.forEach((fault) => console.log(`    ${fault}`));
  }
  console.log(`\n${decided.holding} of ${decided.claims} claims hold`);
  return decided.holding === decided.claims ? 0 : 1;
}

/** The first claim is checked before `dist/` is built. */
async function* decideClaims(manifest: Readonly<Record<string, any>>): AsyncGenerator<Finding> {
  yield {
    claim: 'There are no runtime dependencies, and no install scripts',
    faults: findPackageFaults(manifest, readJson('package-lock.json')),
  };
  build();
  const output = join(projectFolder, 'dist');
  const files = readFiles(output);
  yield {
    claim: 'Imports lead only to files of the build and to Node.js',
    faults: findImportFaults(files, { allowsNode: true }),
    remark: nodeModulesOf(files).join(' '),
  };
  for (const power of POWERS) {
    yield { claim: power.claim, faults: findPowerFaults(files, power), remark: power.files.join(' ') };
  }
  const { routes, generated } = await readService(output, manifest['version']);
  const pages = [...readFiles(join(projectFolder, 'static')), ...generated];
  yield {
    claim:
      'Pages load nothing from elsewhere, run no inline code, make no code from text, and use no cookies',
    faults: [...findPageFaults(pages), ...findImportFaults(pages, { allowsNode: false })],
  };
  yield {
    claim: 'Two builds make the same bytes, and dist/ has these bytes',
    faults: compareBuilds(files), remark: `SHA-256 ${digestOf(files)}`,
  };
  yield {
    claim: 'The npm package holds exactly dist/, static/, package.json and README.md',
    faults: findTarballFaults(listTarball(), ['dist', 'static'].flatMap(readFolder).map(({ name }) => name)),
  };
  yield {
    claim: 'Building the files of release/ again gives the same bytes',
    ...comparePackages(join(temporaryFolder, 'release')),
  };
  const walked = await walk([join(output, 'server.js')], mkdtempSync(join(temporaryFolder, 'walk-')));
  const uncalled = routes.filter((route) => !walked.routes.has(route));
  yield {
    claim: 'To answer requests, the server opens no connection, runs no program, and writes only data files',
    faults: [...findBlindness(), ...walked.faults, ...uncalled.map((route) => `${route} was not called`)],
    remark: `${routes.length} routes`,
  };
}

/** @returns Files with names such as `dist/server.js`. */
function readFolder(folder: string): File[] {
  return readFiles(join(projectFolder, folder)).map(({ name, content }) => (
    { name: `${folder}/${name}`, content }
  ));
}

function compareBuilds(files: readonly File[]): string[] {
  const faults = ['first', 'second'].flatMap((name) => {
    compile(join(temporaryFolder, name));
    return differences(files, readFiles(join(temporaryFolder, name)));
  });
  return [...new Set(faults)].map((name) => `${name} differs`);
}

async function readService(
  output: string, version: string,
): Promise<{ routes: string[]; generated: File[] }> {
  const [{ readConfig }, { createLateDatabase }, { addOperations }, { documentFiles }] = await Promise.all([
    'config.js', 'programs/database.js', 'programs/extras.js', 'extras/documents/files.js',
  ].map((name) => import(join(output, name))));
  const { config } = readConfig({ METRICS: 'on' });
  const { operations } = await addOperations({ config, ...createLateDatabase(), log() {} });
  const routes = Object.values<{ method: string; path: string }>(operations);
  const { keys, generate } = documentFiles(operations, config, version);
  const readPart = (key: string) => readFileSync(join(projectFolder, 'static', key), 'utf8');
  return {
    routes: routes.map(({ method, path }) => `${method} ${path}`),
    generated: await Promise.all(keys.map(async (name: string) => (
      { name, content: Buffer.from(await generate(name, readPart)) }
    ))),
  };
}

function readJson(file: string): Readonly<Record<string, any>> {
  return JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
}
