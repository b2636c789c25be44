/** What must always hold of the files of the console, besides what the audit says of all pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AUDIT_ACTIONS } from '../../src/model/audit.ts';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const consoleFolder = join(projectFolder, 'static', 'console');
const files = readdirSync(consoleFolder).map((file) => ({ file, text: readFileSync(join(consoleFolder, file), 'utf8') }));

function textOf(name: string): string {
  return files.find(({ file }) => file === name)?.text ?? '';
}

test('every module of the console is reachable from its page', () => {
  const reached = new Set(['index.html']);
  for (const name of reached) { // grows while it is walked
    for (const [, found = ''] of textOf(name).matchAll(/(?:src="|href="|from '\.\/|import\('\.\/)([\w-]+\.(?:js|css))["']/g)) {
      reached.add(found);
    }
  }
  assert.deepEqual([...reached].sort(), files.map(({ file }) => file).sort());
});

test('the page asks at once for every module that its first screen needs', () => {
  const preloaded = [...textOf('index.html').matchAll(/rel="modulepreload" href="([\w-]+\.js)"/g)].map(([, name]) => name);
  const needed = new Set(['main.js', 'users.js']);
  for (const name of needed) { // grows while it is walked
    for (const [, found = ''] of textOf(name).matchAll(/^(?:import|\}) .*from '\.\/([\w-]+\.js)';$/gm)) {
      needed.add(found);
    }
  }
  assert.deepEqual(preloaded.sort(), [...needed].sort());
});

test('the console offers every action of the audit trail', () => {
  const [, list = ''] = /const ACTIONS = \[([^\]]*)\]/.exec(textOf('system.js')) ?? [];
  assert.deepEqual([...list.matchAll(/'([^']+)'/g)].map(([, action]) => action), [...AUDIT_ACTIONS]);
});

test('the console is at most 80 KB, as it is written', () => {
  const sizeBytes = files.reduce((total, { text }) => total + Buffer.byteLength(text), 0);
  assert.ok(sizeBytes <= 80_000, String(sizeBytes));
});

test('no module of the console has more than 300 lines', () => {
  assert.deepEqual(files.filter(({ file, text }) => file.endsWith('.js') && text.split('\n').length > 301).map(({ file }) => file), []);
});

test('the types of the console hold', () => {
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', join(projectFolder, 'test', 'console')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
