/** Tests that `npm run audit` passes for this project, and that each of its checks can fail. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findTarballFaults } from '../../scripts/audit/artefacts.ts';
import { differences, digestOf, readFiles } from '../../scripts/audit/files.ts';
import { findImportFaults, nodeModulesOf } from '../../scripts/audit/imports.ts';
import { findPackageFaults } from '../../scripts/audit/packages.ts';
import { findPageFaults } from '../../scripts/audit/pages.ts';
import { findPowerFaults, POWERS } from '../../scripts/audit/powers.ts';
import { findBlindness, walk } from '../../scripts/audit/walk.ts';
import { createFolder } from '../support/programs.ts';

const script = fileURLToPath(new URL('../../scripts/audit.ts', import.meta.url));
const release = fileURLToPath(new URL('../../release', import.meta.url));

function run(...programArguments: readonly string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', script, ...programArguments], { encoding: 'utf8' });
}

function file(name: string, text: string) {
  return { name, content: Buffer.from(text) };
}

test('every claim holds for this project, and the server is exercised', () => {
  const { status, stdout, stderr } = run();
  const unchecked = stdout.match(/^– .*/gm) ?? []; // if there is no package to check, one claim is unchecked
  const claims = 7 + POWERS.length - unchecked.length;
  assert.equal(status, 0, `${stdout}${stderr}`);
  assert.equal(unchecked.length, existsSync(release) ? 0 : 1, stdout);
  assert.ok(stdout.endsWith(`\n${claims} of ${claims} claims hold\n`), stdout);
  assert.equal(stdout.match(/^✔ /gm)?.length, claims);
  assert.match(stdout, /^ {4}\(SHA-256 [0-9a-f]{64}\)$/m);
  assert.match(stdout, /^ {4}\([2-9]\d routes\)$/m);
});

test('a package of npm with one file too many or too few is a fault', () => {
  const files = ['README.md', 'package.json', 'dist/server.js'];
  assert.deepEqual(findTarballFaults(files, ['dist/server.js']), []);
  assert.deepEqual(findTarballFaults([...files, '.env'], ['dist/server.js']), ['the package has .env']);
  assert.deepEqual(findTarballFaults(files.slice(1), ['dist/server.js']), ['the package lacks README.md']);
});

test('--help exits with 0, and unknown arguments with 64', () => {
  assert.match(run('--help').stdout, /^Usage: npm run audit/);
  assert.equal(run('--help').status, 0);
  assert.equal(run('--fast').status, 64);
  assert.equal(run('more').status, 64);
  assert.match(run('--mutations', 'fly').stderr, /No row has the words "fly"[^]*\n  guess tokens\n/);
});

test('the digest of a folder equals the output of sha256sum', (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'b'));
  for (const [name, text] of [['b.js', '1'], ['b/a.js', '2'], ['B.js', '3'], ['a.js', '']] as const) {
    writeFileSync(join(folder, name), text);
  }
  const command = 'find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum';
  assert.equal(`${digestOf(readFiles(folder))}  -\n`, execFileSync('sh', ['-c', command], {
    cwd: folder, encoding: 'utf8',
  }));
});

test('a changed byte, a missing file and a new file each make a build differ', () => {
  const build = [file('a.js', '1'), file('b.js', '2')];
  assert.deepEqual(differences(build, build), []);
  assert.deepEqual(differences(build, [file('a.js', '1'), file('b.js', '3')]), ['b.js']);
  assert.deepEqual(differences(build, [file('a.js', '1')]), ['b.js']);
  assert.deepEqual(differences(build, [...build, file('c.js', '')]), ['c.js']);
});

const MANIFEST = { scripts: { build: '' }, devDependencies: { typescript: '7.0.2' } };
const LOCK = { packages: { '': {}, 'node_modules/typescript': { dev: true, integrity: 'sha512-x' } } };

for (const [title, manifest, lock, countOfFaults = 1] of [
  ['a manifest and a lock file with only development packages', MANIFEST, LOCK, 0],
  ['a dependency', { ...MANIFEST, dependencies: {} }, LOCK],
  ['an optional dependency', { ...MANIFEST, optionalDependencies: {} }, LOCK],
  ['a script that npm runs after an installation', { ...MANIFEST, scripts: { postinstall: '' } }, LOCK],
  ['another development package', { ...MANIFEST, devDependencies: { 'left-pad': '1.0.0' } }, LOCK],
  ['a dependency in the lock file', MANIFEST, { packages: { '': { dependencies: {} } } }],
  [
    'a production package in the lock file', MANIFEST,
    { packages: { 'node_modules/x': { integrity: 'sha512-x' } } },
  ],
  [
    'a package without a digest in the lock file', MANIFEST,
    { packages: { 'node_modules/x': { dev: true } } },
  ],
] as const) {
  test(`${title}: ${countOfFaults} faults`, () => {
    assert.equal(findPackageFaults(manifest, lock).length, countOfFaults);
  });
}

const SOUND_IMPORTS = [
  "import { a } from './b.js';", "export { a } from '../a/b.js';", 'import "./b.js"',
  "const b = await import('./b.js');", "import fs, { open as o } from 'node:fs';",
  "call('import', { name: 'x' }, 'export');", "const policy = \"require-trusted-types-for 'script'\";",
  "import{a}from'./b.js'", "const { a } = process.getBuiltinModule('node:fs');",
];

const FAULTY_IMPORTS = [
  "import { a } from 'left-pad';", "import fs from 'fs';", "import './missing.js';",
  "import { a } from '/etc/b.js';", "export * from 'left-pad';",
  "import a from 'https://x.example/b.js';", "await import('left-pad')", 'await import(name)',
  'import (`./${name}.js`)', "require('left-pad')",
  'createRequire(import.meta.url)', "process.getBuiltinModule('fs')",
  "p.getBuiltinModule('node:fs')", 'const { getBuiltinModule } = process;', 'process.getBuiltinModule(name)',
  "process.binding('fs')",
  "import{a}from'left-pad'", "import\n  left\nfrom\n  'left-pad'",
  "import '../../outside.js'",
];

for (const text of [...SOUND_IMPORTS, ...FAULTY_IMPORTS]) {
  const countOfFaults = FAULTY_IMPORTS.includes(text) ? 1 : 0;
  test(`the imports of ${JSON.stringify(text)}: ${countOfFaults} faults`, () => {
    const files = [file('a/a.js', text), file('a/b.js', '')];
    assert.equal(findImportFaults(files, { allowsNode: true }).length, countOfFaults);
  });
}

test('modules for browsers may not import from Node.js', () => {
  const files = [file('a.js', "import fs from 'node:fs';")];
  assert.equal(findImportFaults(files, { allowsNode: false }).length, 1);
});

test('each module of Node.js is listed once', () => {
  assert.deepEqual(nodeModulesOf([
    file('a.js', "import 'node:url'; import 'node:fs';"), file('b.js', "import a from 'node:fs';"),
  ]), [
    'node:fs', 'node:url',
  ]);
});

for (const [part, text] of [
  ['code', 'eval(text)'], ['code', "new Function('return 1')"], ['code', "Function ('return 1')"],
  ['code', "[].map.constructor('return 1')"],
  ['code', "import vm from 'node:vm';"], ['code', 'new WebAssembly.Module(bytes)'],
  ['code', "import { registerHooks } from 'node:module';"],
  ['program', "import { spawn } from 'node:child_process';"],
  ['thread', "await import('node:worker_threads')"],
  ['program', "import cluster from 'node:cluster';"],
  ['Connections', "fetch('https://x.example')"], ['Connections', "import { request } from 'node:https';"],
  ['Connections', "import http from 'node:http';"],
  ['Connections', "import * as net from 'node:net';"],
  ['Connections', "import { connect as c } from 'node:tls';"],
  ['Connections', "import { Socket } from 'node:net';"],
  ['Connections', "import { lookup } from 'node:dns';"], ['Connections', "new WebSocket('wss://x.example')"],
  ['Connections', "await import('node:http')"],
  ['Connections', "const { createServer, request } = process.getBuiltinModule('node:http');"],
  ['Connections', "process.getBuiltinModule('node:http').get(url)"],
  ['environment', 'process.env.HOME'], ['environment', 'const { env } = process;'],
  ['environment', "process['env']"], ['environment', "import { env } from 'node:process';"],
  ['environment', 'const p = process;'], ['environment', 'const { ...p } = process;'],
  ['environment', 'globalThis.process'],
  ['Files', "import { writeFileSync } from 'node:fs';"],
  ['Files', "import { open } from 'node:fs/promises';"], ['Files', "import fs from 'node:fs';"],
  ['Files', "import { promises as fs } from 'node:fs';"],
  ['Files', "import { createWriteStream } from 'node:fs';"],
  ['Files', "import { DatabaseSync } from 'node:sqlite';"],
] as const) {
  test(`${text} is found by "${part}"`, () => {
    const power = POWERS.find(({ claim }) => claim.includes(part));
    assert.ok(power !== undefined);
    assert.deepEqual(findPowerFaults([file('a.js', text)], { ...power, files: [] }), ['a.js']);
    assert.deepEqual(findPowerFaults([file('a.js', text)], { ...power, files: ['a.js'] }), []);
  });
}

test('code that only reads files and answers requests is reported for no power', () => {
  const text =
    "import { readFileSync } from 'node:fs';\nimport { createServer } from 'node:http';\n" +
    `const { stderr } = process;\nconst policy = "connect-src 'self'";`;
  for (const power of POWERS) {
    assert.deepEqual(findPowerFaults([file('a.js', text)], { ...power, files: [] }), [], power.claim);
  }
});

test('a file listed for a power that it does not use is reported', () => {
  for (const power of POWERS) {
    assert.deepEqual(
      findPowerFaults([file('a.js', '')], { ...power, files: ['a.js'] }), ['a.js is listed, but does not'],
      power.claim,
    );
  }
});

for (const [name, text, countOfFaults] of [
  ['a.html', '<a rel="external" href="https://x.example/">x</a> curl http://127.0.0.1:8080/', 0],
  ['a.html', '<script type="module" src="a.js"></script><link rel="stylesheet" href="css/site.css">', 0],
  ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 0],
  ['a.js', "document.createElementNS('http://www.w3.org/2000/svg', 'svg'); // see https://x.example", 0],
  ['a.css', "body { background: url('../icon.svg') }", 0],
  ['a.html', '<script src="https://x.example/a.js"></script>', 1],
  ['a.html', '<img src="//x.example/a.png">', 1],
  ['a.html', '<link rel="stylesheet" href=https://x.example/a.css>', 1],
  ['a.html', '<form action="https://x.example/">', 1],
  ['a.html', '<script>alert(1)</script>', 1],
  ['a.html', '<script src="a.js">alert(1)</script>', 1],
  ['a.html', '<p onclick="go()">', 1],
  ['a.html', '<a href="javascript:go()">', 1],
  ['a.html', '<p style="color: red">', 1],
  ['a.html', '<style>p {}</style>', 1],
  ['a.html', '<iframe src="a.html">', 1],
  ['a.svg', '<svg onload="go()">', 1],
  ['a.css', '@import "x.css";', 1],
  ['a.css', 'body { background: url(https://x.example/a.png) }', 1],
  ['a.js', "fetch('https://x.example/')", 1],
  ['a.js', 'fetch(`//x.example/`)', 1],
  ['a.js', 'node.innerHTML = text', 1],
  ['a.js', 'node.setHTMLUnsafe(text)', 1],
  ['a.js', 'eval(text)', 1],
  ['a.js', 'setTimeout("go()", 10)', 1],
  ['a.js', 'setTimeout(go, 10)', 0],
  ['a.js', 'document.cookie', 1],
  ['a.js', "fetch(url, { credentials: 'include' })", 1],
  ['a.js', "fetch(url, { credentials: 'omit' })", 0],
] as const) {
  test(`a page part ${name} with ${text} has ${countOfFaults} faults`, () => {
    assert.equal(findPageFaults([file(name, text)]).length, countOfFaults);
  });
}

test('the monitor sees connections, look-ups, datagrams and programs; code from strings is refused', () => {
  assert.deepEqual(findBlindness(), []);
});

for (const [title, code, expected] of [
  [
    'connects somewhere', "net.connect(9, '127.0.0.1').on('error', () => {});",
    /^it connects to something, 1 times$/,
  ],
  ['looks up a name', "dns.lookup('localhost', () => {});", /^it looks up a name, 1 times$/],
  [
    'writes elsewhere through SQLite',
    "new sqlite.DatabaseSync(process.cwd() + '/new').exec('CREATE TABLE t (a)');", /^new was written$/,
  ],
  [
    'writes next to the database', "fs.writeFileSync('../data/new', '');",
    /^new was written next to the database$/,
  ],
  ['does not answer', '', /^a route does not answer as expected: /],
  ['ends at once', 'process.exit();', /^a route does not answer as expected: the server does not start$/],
] as const) {
  test(`a server that ${title} is found`, async (t) => {
    const listening = "console.log(JSON.stringify({ message: 'listening', url: 'http://127.0.0.1:1' }));";
    const program =
      `const sqlite = require('node:sqlite'); ${code} ${listening} ` +
      "setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit());";
    const { faults } = await walk(['-e', program], createFolder(t));
    assert.ok(faults.some((fault) => expected.test(fault)), faults.join('\n'));
  });
}
