/** `npm run audit` also checks the files of the console. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mustRun } from '../support/commands.ts';
import { each } from '../support/each.ts';
import { projectFolder } from '../support/project.ts';

const staticFolder = join(projectFolder, 'static');

const files = new Map([
  'console', 'shared',
].flatMap((folder) => readdirSync(join(staticFolder, folder)).map((name) => {
  const path = `${folder}/${name}`;
  return [path, readFileSync(join(staticFolder, path), 'utf8')] as const;
})));

const IMPORTS = /(?:src="|href="|from '|import\(')([\w./-]+\.(?:js|css))["']/g;
const STATIC_IMPORTS = /^(?:import|\}) .*from '([\w./-]+\.js)';$/gm;

/** @returns The paths in `starts`, and all paths that these files import, directly or indirectly. */
function findReachable(starts: readonly string[], pattern: RegExp): readonly string[] {
  const reached = new Set(starts);
  for (const path of reached) { // the loop also visits the paths that it adds
    for (const [, target = ''] of (files.get(path) ?? '').matchAll(pattern)) {
      reached.add(join(path, '..', target));
    }
  }
  return [...reached].sort();
}

test('every file of the console and of the shared kit is reachable from the page of the console', () => {
  assert.deepEqual(findReachable(['console/index.html'], IMPORTS), [...files.keys()].sort());
});

test('the page preloads every module that the sign-in form needs', () => {
  const preloads = (files.get('console/index.html') ?? '').matchAll(
    /rel="modulepreload" href="([\w./-]+\.js)"/g,
  );
  const preloaded = [...preloads].map(([, target = '']) => join('console', target));
  assert.deepEqual(preloaded.sort(), findReachable(['console/main.js'], STATIC_IMPORTS));
});

test('a browser loads at most 115 KB, uncompressed, until it shows the overview', () => {
  const scripts = findReachable(['console/main.js', 'console/overview.js'], STATIC_IMPORTS);
  const loaded = [...scripts, 'console/index.html', 'console/console.css', 'shared/base.css'];
  const sizeBytes = loaded.reduce((total, path) => total + Buffer.byteLength(files.get(path) ?? ''), 0);
  assert.ok(sizeBytes <= 115_000, String(sizeBytes));
});

each('the types of the {0} hold', ['console', 'reference'], (folder) => {
  const words = ['node_modules/typescript/bin/tsc', '--project', `test/${folder}`];
  mustRun(process.execPath, words, { cwd: projectFolder });
});
