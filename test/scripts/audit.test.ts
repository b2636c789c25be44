import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTarballFaults } from '../../scripts/audit/artefacts.ts';
import { differences, digestOf, readFiles } from '../../scripts/audit/files.ts';
import { findImportFaults, nodeModulesOf } from '../../scripts/audit/imports.ts';
import { findPackageFaults } from '../../scripts/audit/packages.ts';
import { findPageFaults } from '../../scripts/audit/pages.ts';
import { findPowerFaults, POWERS } from '../../scripts/audit/powers.ts';
import { walk } from '../../scripts/audit/walk.ts';
import { mustRun } from '../support/commands.ts';
import { each } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';
import { projectFolder } from '../support/project.ts';

function file(name: string, text: string) {
  return { name, content: Buffer.from(text) };
}

test('every claim holds for this project, and the server is exercised', () => {
  const stdout = mustRun(process.execPath, ['--import', 'tsx', 'scripts/audit.ts'], { cwd: projectFolder });
  const unchecked = stdout.match(/^– .*/gm) ?? []; // without `release/`, one claim stays unchecked
  const claims = 7 + POWERS.length - unchecked.length;
  assert.equal(unchecked.length, existsSync(join(projectFolder, 'release')) ? 0 : 1, stdout);
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

test('the digest of a folder equals the output of sha256sum', (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'b'));
  for (const [name, text] of [['b.js', '1'], ['b/a.js', '2'], ['B.js', '3'], ['a.js', '']] as const) {
    writeFileSync(join(folder, name), text);
  }
  const command = 'find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum';
  assert.equal(`${digestOf(readFiles(folder))}  -\n`, mustRun('sh', ['-c', command], { cwd: folder }));
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

each('{0} in package.json or its lock file: {1} faults', [
  ['development packages', 0, MANIFEST, LOCK],
  ['a dependency', 1, { ...MANIFEST, dependencies: {} }, LOCK],
  ['an optional dependency', 1, { ...MANIFEST, optionalDependencies: {} }, LOCK],
  ['a script that npm runs after an installation', 1, { ...MANIFEST, scripts: { postinstall: '' } }, LOCK],
  ['another development package', 1, { ...MANIFEST, devDependencies: { 'left-pad': '1.0.0' } }, LOCK],
  ['a locked dependency', 1, MANIFEST, { packages: { '': { dependencies: {} } } }],
  ['a production package', 1, MANIFEST, { packages: { 'node_modules/x': { integrity: 'sha512-x' } } }],
  ['a package without a digest', 1, MANIFEST, { packages: { 'node_modules/x': { dev: true } } }],
], ([, count, manifest, lock]) => assert.equal(findPackageFaults(manifest, lock).length, count));

const inModule = (text: string) =>
  findImportFaults([file('a/a.js', text), file('a/b.js', '')], { allowsNode: true });

const inPage = (name: string) => (text: string) => findPageFaults([file(name, text)]);

const ofPower = (word: string, files: readonly string[] = []) => (text: string) => {
  const power = POWERS.find(({ claim }) => claim.includes(word));
  assert.ok(power !== undefined);
  return findPowerFaults([file('a.js', text)], { ...power, files });
};

for (const [what, find, count, texts] of [
  ['a module', inModule, 0, [
    "import { a } from './b.js';", "export { a } from '../a/b.js';", 'import "./b.js"',
    "const b = await import('./b.js');", "import fs, { open as o } from 'node:fs';",
    "call('import', { name: 'x' }, 'export');", "const policy = \"require-trusted-types-for 'script'\";",
    "import{a}from'./b.js'", "const { a } = process.getBuiltinModule('node:fs');",
  ]],
  ['a module', inModule, 1, [
    "import { a } from 'left-pad';", "import fs from 'fs';", "import './missing.js';",
    "import { a } from '/etc/b.js';", "export * from 'left-pad';", "import a from 'https://x.example/b.js';",
    "await import('left-pad')", 'await import(name)', 'import (`./${name}.js`)', "require('left-pad')",
    'createRequire(import.meta.url)', "process.getBuiltinModule('fs')", "p.getBuiltinModule('node:fs')",
    'const { getBuiltinModule } = process;', 'process.getBuiltinModule(name)', "process.binding('fs')",
    "import{a}from'left-pad'", "import\n  left\nfrom\n  'left-pad'", "import '../../outside.js'",
  ]],
  ['power code', ofPower('code'), 1, [
    'eval(text)', "new Function('return 1')", "Function ('return 1')", "[].map.constructor('return 1')",
    "import vm from 'node:vm';", 'new WebAssembly.Module(bytes)',
    "import { registerHooks } from 'node:module';",
  ]],
  ['power program', ofPower('program'), 1, [
    "import { spawn } from 'node:child_process';", "import cluster from 'node:cluster';",
  ]],
  ['power thread', ofPower('thread'), 1, ["await import('node:worker_threads')"]],
  ['power Connections', ofPower('Connections'), 1, [
    "fetch('https://x.example')", "new WebSocket('wss://x.example')", "await import('node:http')",
    "import { request } from 'node:https';", "import http from 'node:http';",
    "import * as net from 'node:net';", "import { Socket } from 'node:net';",
    "import { connect as c } from 'node:tls';", "import { lookup } from 'node:dns';",
    "const { createServer, request } = process.getBuiltinModule('node:http');",
    "process.getBuiltinModule('node:http').get(url)",
  ]],
  ['power Connections', ofPower('Connections'), 0, [
    "process.getBuiltinModule('node:http').createServer(options)",
  ]],
  ['power environment', ofPower('environment'), 1, [
    'process.env.HOME', 'const { env } = process;', "process['env']", "import { env } from 'node:process';",
    'const p = process;', 'const { ...p } = process;', 'globalThis.process',
  ]],
  ['power Files', ofPower('Files'), 1, [
    "import { writeFileSync } from 'node:fs';", "import { open } from 'node:fs/promises';",
    "import fs from 'node:fs';", "import { promises as fs } from 'node:fs';",
    "import { createWriteStream } from 'node:fs';", "import { DatabaseSync } from 'node:sqlite';",
  ]],
  ['power Files, in a listed file', ofPower('Files', ['a.js']), 0, ["import fs from 'node:fs';"]],
  ['a page', inPage('a.html'), 0, [
    '<a rel="external" href="https://x.example/">x</a> curl http://127.0.0.1:8080/',
    '<script type="module" src="a.js"></script><link rel="stylesheet" href="css/site.css">',
  ]],
  ['a page', inPage('a.html'), 1, [
    '<script src="https://x.example/a.js"></script>', '<img src="//x.example/a.png">',
    '<link rel="stylesheet" href=https://x.example/a.css>', '<form action="https://x.example/">',
    '<script>alert(1)</script>', '<script src="a.js">alert(1)</script>', '<p onclick="go()">',
    '<a href="javascript:go()">', '<p style="color: red">', '<style>p {}</style>', '<iframe src="a.html">',
  ]],
  ['a picture', inPage('a.svg'), 0, ['<svg xmlns="http://www.w3.org/2000/svg"></svg>']],
  ['a picture', inPage('a.svg'), 1, ['<svg onload="go()">']],
  ['a style sheet', inPage('a.css'), 0, ["body { background: url('../icon.svg') }"]],
  ['a style sheet', inPage('a.css'), 1, [
    '@import "x.css";', 'body { background: url(https://x.example/a.png) }',
  ]],
  ['a script', inPage('a.js'), 0, [
    "document.createElementNS('http://www.w3.org/2000/svg', 'svg'); // see https://x.example",
    'setTimeout(go, 10)', "fetch(url, { credentials: 'omit' })",
  ]],
  ['a script', inPage('a.js'), 1, [
    "fetch('https://x.example/')", 'fetch(`//x.example/`)', 'node.innerHTML = text',
    'node.setHTMLUnsafe(text)', 'eval(text)', 'setTimeout("go()", 10)', 'document.cookie',
    "fetch(url, { credentials: 'include' })",
  ]],
] as const) {
  for (const text of texts) {
    test(`${what}: ${JSON.stringify(text)} has ${count} faults`, () => {
      assert.equal(find(text).length, count);
    });
  }
}

test('each module of Node.js is listed once; modules for browsers may not import any', () => {
  const files = [file('a.js', "import 'node:url'; import 'node:fs';"), file('b.js', "import 'node:fs';")];
  assert.deepEqual(nodeModulesOf(files), ['node:fs', 'node:url']);
  assert.equal(findImportFaults(files, { allowsNode: false }).length, 3);
});

test('code without a power is reported only if it is listed for the power', () => {
  const files = [file('a.js',
    "import { readFileSync } from 'node:fs';\nimport { createServer } from 'node:http';\n" +
    `const { stderr } = process;\nconst policy = "connect-src 'self'";`)];
  for (const power of POWERS) {
    const listed = findPowerFaults(files, { ...power, files: ['a.js'] });
    assert.deepEqual(listed, ['a.js is listed, but does not use the power'], power.claim);
    assert.deepEqual(findPowerFaults(files, { ...power, files: [] }), [], power.claim);
  }
});

each('a server that {0} is found', [
  ['connects somewhere', "net.connect(9, '127.0.0.1').on('error', () => {});",
    /^it connects to something, 1 times$/],
  ['looks up a name', "dns.lookup('localhost', () => {});", /^it looks up a name, 1 times$/],
  ['writes elsewhere through SQLite',
    "new sqlite.DatabaseSync(process.cwd() + '/new').exec('CREATE TABLE t (a)');", /^new was written$/],
  ['writes next to the database', "fs.writeFileSync('../data/new', '');",
    /^new was written next to the database$/],
  ['does not answer', '', /^a route does not answer as expected: /],
  ['ends at once', 'process.exit();', /^a route does not answer as expected: the server does not start$/],
], async ([, code, expected], t) => {
  const listening = "console.log(JSON.stringify({ message: 'listening', url: 'http://127.0.0.1:1' }));";
  const program =
    `const sqlite = require('node:sqlite'); ${code} ${listening} ` +
    "setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit());";
  const { faults } = await walk(['-e', program], createFolder(t));
  assert.ok(faults.some((fault) => expected.test(fault)), faults.join('\n'));
});
