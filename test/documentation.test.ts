/** What documents claim, compared with the code. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings, type Setting } from '../src/settings.ts';
import { problemTypes, PROBLEM_TYPE_BASE } from '../src/problems.ts';
import { createRoutes } from '../src/routes.ts';
import { NODE_VERSION_MIN } from '../src/runtime.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const readme = read('README.md');
const manifest = JSON.parse(read('package.json'));
const routes = createRoutes({ registration: 'open', passwordLengthMin: 1, passwordPolicy: 'basic', tokenLifetimeSecondsMax: 1 });

function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

test('the table of settings in the README is the table of settings in the code', () => {
  const rows = Object.values<Setting<unknown>>(settings).map(({ name, fallback, description, isSecret }) => {
    const names = isSecret ? `\`${name}\`, or \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |\n`;
  });
  assert.ok(readme.includes(rows.join('')), rows.join(''));
});

test('the table of routes in the README names every route and no other', () => {
  const rows = [...readme.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE|OPTIONS) \/[^`]*)` \|/gm)].map(([, route]) => route);
  assert.deepEqual(rows, routes.map(({ method, path }) => `${method} ${path}`));
});

test('the landing page names the path of every route', () => {
  const page = read('static/index.html');
  for (const { path } of routes) {
    assert.ok(page.includes(path), path);
  }
});

test('every problem type leads to a place on the page of problems, which has no other', () => {
  const page = read(PROBLEM_TYPE_BASE.replace(/^\/|#$/g, ''));
  const described = [...page.matchAll(/<section class="sheet" id="([\w-]+)"[^]*?<h2>(\d+)<\/h2>[^]*?<h3[^>]*>([^<]+)<\/h3>/g)]
    .map(([, slug, status, title]) => ({ slug, status: Number(status), title }));
  assert.deepEqual(described, Object.values(problemTypes).map(({ slug, status, title }) => ({ slug, status, title })));
});

test('every relative link of the README leads to a file', () => {
  for (const [, target = ''] of readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
    assert.ok(existsSync(join(projectFolder, target)), target);
  }
});

test('every command that the README names exists', () => {
  for (const [, name = ''] of readme.matchAll(/npm run ([\w:]+)/g)) {
    assert.ok(name in manifest.scripts, name);
  }
});

test('the tree in the README names every file of src/', () => {
  const tree = /```\nsrc\/\n([^]*?)\ntest\/\n/.exec(readme)?.[1] ?? '';
  for (const file of readdirSync(join(projectFolder, 'src'), { recursive: true }).map(String)) {
    const [folder = '', ...rest] = file.replace(/\.ts$/, '').split('/');
    const isListedApart = rest.length <= 1 && file.endsWith('.ts'); // sub-folders are named as a whole
    const name = rest.length === 0 ? file : rest.join('/');
    assert.ok(!isListedApart || new RegExp(`(^|[ ])${(rest[0] ?? name).replace('.', '\\.')}\\b`, 'm').test(tree), file);
    assert.ok(rest.length === 0 || tree.includes(`  ${folder}/`), folder);
  }
});

test('the oldest Node.js is the same in package.json, in the program and in the README', () => {
  assert.equal(manifest.engines.node, `>=${NODE_VERSION_MIN}`);
  assert.ok(readme.includes(`Node.js ${NODE_VERSION_MIN.replace(/\.0$/, '')} or later`));
});
