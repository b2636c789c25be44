/** `npm run package`: makes one executable file from the service and Node.js. */
import { spawnSync } from 'node:child_process';
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFiles, sha256 } from './audit/files.ts';
import { build } from './build.js';
import { runCommand } from './command.ts';
import { FETCHED_VERSION, findNodeOf, projectFolder } from './runtime.js';

const USAGE = `Usage: npm run package

Builds dist/, then combines Node.js ${FETCHED_VERSION}, dist/, static/ and package.json into one executable
file, with the option --build-sea of Node.js. Writes these files into release/, a folder that git ignores:

  rollcall            the program; without arguments, it runs the service; see ./rollcall --help
  rollcall.cdx.json   the list of components (CycloneDX): Node.js, and the libraries in it that scanners know
  SHA256SUMS          the checksums, for sha256sum --check; on one platform, each build of the same source has
                      the same checksums

Exit codes: 0 done, 1 failed, 64 wrong arguments.`;

const CONTENTS = ['dist', 'static', 'package.json'];
const PROGRAM = process.platform === 'win32' ? 'rollcall.exe' : 'rollcall';

export function pack(folder: string): void {
  const missing = CONTENTS.filter((name) => !existsSync(join(projectFolder, name)));
  if (missing.length > 0) {
    throw new Error(`Cannot package: there is no ${missing.join(', no ')} in ${projectFolder}`);
  }
  const node = findNodeOf(FETCHED_VERSION);
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, '.next-')); // a rename works only within one file system
  try {
    const program = makeProgram(node, temporary);
    renameSync(program, join(folder, PROGRAM)); // a rename replaces even a running program
    writeFileSync(join(folder, 'rollcall.cdx.json'), describeContents(node));
    const names = [PROGRAM, 'rollcall.cdx.json'];
    const sums = names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
    writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function makeProgram(node: string, folder: string): string {
  // The paths of the assets are relative to the file rollcall.js.
  writeFileSync(join(folder, 'rollcall.js'), "import './dist/server.js';\n");
  writeFileSync(join(folder, 'sea.json'), JSON.stringify({
    main: 'rollcall.js', // a relative path, because the program must not depend on the folder of the build
    mainFormat: 'module',
    output: PROGRAM,
    disableExperimentalSEAWarning: true,
    useVfs: true, // lets the program find its files by the URLs of its modules
    execArgv: ['--max-semi-space-size=4'], // see scripts/container/README.md#memory
    assets: Object.fromEntries(listAssets().map((name) => [name, join(projectFolder, name)])),
  }));
  const { status, stderr } = spawnSync(node, ['--build-sea', 'sea.json'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`Node.js ${FETCHED_VERSION} cannot make the program: ${stderr.trim()}`);
  }
  return join(folder, PROGRAM);
}

function listAssets(): string[] {
  return CONTENTS.flatMap((name) => (
    name.includes('.') ? [name] : readFiles(join(projectFolder, name)).map((file) => `${name}/${file.name}`)
  ));
}

/**
 * Libraries inside Node.js. Each key is a name in `process.versions`. Each value is a vendor and a product in
 * the National Vulnerability Database (NVD).
 */
const LIBRARIES = {
  icu: 'icu-project:international_components_for_unicode',
  openssl: 'openssl:openssl',
  sqlite: 'sqlite:sqlite',
  uv: 'libuv:libuv',
  v8: 'google:v8',
  zlib: 'zlib:zlib',
};

/**
 * Describes the contents of the program in the format CycloneDX 1.6 (cyclonedx.org/docs/1.6/json). Scanners
 * use the member `cpe` to look up vulnerabilities. The description contains no timestamp and no serial
 * number, so equal sources have equal descriptions.
 */
function describeContents(node: string): string {
  const manifest = readFileSync(join(projectFolder, 'package.json'), 'utf8');
  const { name, version, description } = JSON.parse(manifest);
  const { stdout } = spawnSync(node, ['--print', 'JSON.stringify(process.versions)'], { encoding: 'utf8' });
  const versions = JSON.parse(stdout);
  const libraries = Object.entries(LIBRARIES).map(([library, product]) =>
    toComponent({ type: 'library', name: library, version: versions[library], product }));
  const runtime = {
    ...toComponent({ type: 'platform', name: 'node', version: FETCHED_VERSION, product: 'nodejs:node.js' }),
    description: `The binary for ${process.platform} on ${process.arch}, with everything linked into it`,
    hashes: [{ alg: 'SHA-256', content: sha256(readFileSync(node)) }],
    licenses: [{ license: { id: 'MIT' } }],
  };
  return `${JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { 'type': 'application', 'bom-ref': name, name, version, description } },
    components: [runtime, ...libraries],
    dependencies: [
      { ref: name, dependsOn: [runtime['bom-ref']] },
      { ref: runtime['bom-ref'], dependsOn: libraries.map((library) => library['bom-ref']) },
      ...libraries.map((library) => ({ ref: library['bom-ref'] })),
    ],
  }, undefined, 2)}\n`;
}

function toComponent(
  { type, name, version, product }: Readonly<Record<'type' | 'name' | 'version' | 'product', string>>,
) {
  const purl = `pkg:generic/${name}@${version}`;
  const [plainVersion] = version.split('-'); // drops a suffix such as `-node.28`
  const cpe = `cpe:2.3:a:${product}:${plainVersion}:*:*:*:*:*:*:*`;
  return { type, 'bom-ref': purl, name, version, cpe, purl };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(USAGE, () => {
    build();
    pack(join(projectFolder, 'release'));
    console.log(readFileSync(join(projectFolder, 'release', 'SHA256SUMS'), 'utf8').trimEnd());
  });
}
