/** What documents claim, compared with the code. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateFiles } from '../src/generated-files.ts';
import { settings, type Setting } from '../src/settings.ts';
import { problemExplanations } from '../src/problem-explanations.ts';
import { problemTypes, toProblemPath } from '../src/problems.ts';
import { createRoutes } from '../src/routes.ts';
import { NODE_VERSION_MIN } from '../src/runtime.ts';
import { defaultConfig } from './support/config.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const readme = read('README.md');
const manifest = JSON.parse(read('package.json'));
const routes = createRoutes(defaultConfig());
const generated = generateFiles(defaultConfig(), manifest.version);

function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

/** The files below `static/`, by their paths within it. */
function readStaticFolder(): [string, string][] {
  const entries = readdirSync(join(projectFolder, 'static'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths.map((path) => [relative(join(projectFolder, 'static'), path), readFileSync(path, 'utf8')]);
}

/** What a page says, without its markup. */
function toText(page: string): string {
  const text = page.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
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

test('every problem type leads to a page of its own, with its title, status, explanation and an answer of that type', () => {
  for (const [name, { slug, status, title }] of Object.entries(problemTypes)) {
    const page = generated.get(toProblemPath({ slug, status, title }).replace('/static/', ''));
    assert.ok(page !== undefined, slug);
    const { meaning, remedy, retry } = problemExplanations[name as keyof typeof problemTypes];
    const text = toText(page);
    for (const part of [title, status, slug, meaning, remedy, retry]) {
      assert.ok(text.includes(String(part).replaceAll('`', '')), `${slug}: ${part}`);
    }
    const answer = JSON.parse(/<pre[^]*?\n\n([^]*?)<\/code>/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '');
    assert.deepEqual([answer.type, answer.status, answer.title], [`/static/problems/${slug}.html`, status, title]);
  }
});

test('the page of all problems links to every page of a problem, at the place that used to explain it, and there are no other pages', () => {
  const pages = [...generated.keys()].filter((path) => path.startsWith('problems/'));
  const entries = [...(generated.get('problems.html') ?? '').matchAll(/<div id="([\w-]+)"><dt><a href="([^"]+)">/g)];
  assert.deepEqual(entries.map(([, slug]) => slug), Object.values(problemTypes).map(({ slug }) => slug));
  assert.deepEqual(entries.map(([, , target]) => target), pages);
});

test('the page of a problem leads to the operations that answer it', () => {
  const operationsOf = (slug: string) => {
    return [...(generated.get(`problems/${slug}.html`) ?? '').matchAll(/<a href="\.\.\/reference\/#(\w+)"><b>(\w+)<\/b> ([^<]+)</g)].map(([, id, method, path]) => [id, method, path].join(' '));
  };
  assert.deepEqual(operationsOf('wrong-password'), ['changePassword PUT /api/v1/users/{username_or_id}/password']);
  assert.deepEqual(operationsOf('projects-owned'), ['deleteUser DELETE /api/v1/users/{username_or_id}']);
  const restricted = routes.filter(({ access }) => access !== 'public').map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
  assert.deepEqual(operationsOf('unauthenticated').filter((operation) => !operation.startsWith('reportMetrics ')), restricted);
  assert.ok(toText(generated.get('problems/internal-error.html') ?? '').includes('Any operation'));
  assert.ok(toText(generated.get('problems/method-not-allowed.html') ?? '').includes('No operation'));
});

test('every page below /static/ takes everything from there, and every link within it leads to something', () => {
  const pages = new Map([...generated, ...readStaticFolder()]);
  for (const [path, page] of [...pages].filter(([path]) => path.endsWith('.html'))) {
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+="/, path);
    for (const [tag, target = ''] of page.matchAll(/<\w+[^>]*? (?:href|src)="([^"]*)"/g)) {
      const url = new URL(target, `http://service/static/${path}`);
      const key = url.pathname.replace('/static/', '');
      assert.ok(url.origin === 'http://service' || tag.startsWith('<a '), `${path}: ${tag}`);
      const isRoute = routes.some((route) => route.path === url.pathname);
      assert.ok(url.origin !== 'http://service' || isRoute || pages.has(key) || pages.has(`${key}index.html`), `${path}: ${target}`);
      const place = (pages.get(key) ?? '').includes(`id="${url.hash.slice(1)}"`) || routes.some(({ operationId }) => key === 'reference/' && url.hash === `#${operationId}`);
      assert.ok(url.origin !== 'http://service' || url.hash === '' || place, `${path}: ${target}`);
    }
  }
});

test('every relative link of the README leads to a file', () => {
  for (const [, target = ''] of readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
    assert.ok(existsSync(join(projectFolder, target)), target);
  }
});

test('every link within the README leads to a heading', () => {
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'));
  const targets = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target);
  assert.ok(targets.length > 0);
  assert.deepEqual(targets.filter((target) => !headings.includes(target)), []);
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
