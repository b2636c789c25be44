/** What documents claim, compared with the code. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateFiles } from '../src/extras/documents/documents.ts';
import { settings, type Setting } from '../src/settings.ts';
import { problems } from '../src/resources/problems.ts';
import { NODE_VERSION_MIN } from '../src/runtime.ts';
import { defaultConfig } from './support/config.ts';
import { operations, routes } from './support/operations.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const readme = read('README.md');
const manifest = JSON.parse(read('package.json'));
const generated = generateFiles(operations, defaultConfig(), manifest.version);

function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

/** The files below `static/`, by their paths within it. */
function readStaticFolder(): [string, string][] {
  const entries = readdirSync(join(projectFolder, 'static'), { recursive: true, withFileTypes: true });
  const paths =
    entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
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
  const rows = [...readme.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE|OPTIONS) \/[^`]*)` \|/gm)]
    .map(([, route]) => route);
  assert.deepEqual(rows.toSorted(), routes.toSorted());
});

test('the page of problems explains every type under its anchor, with an example', () => {
  const sections = new Map((generated.get('problems.html') ?? '').split('<section ').map((part) => [
    /id="([\w-]+)"/.exec(part)?.[1], part,
  ]));
  for (const { slug, title, status, meaning, remedy, retry } of new Set(
    Object.values(problems).map(({ type }) => type),
  )) {
    const section = sections.get(slug) ?? '';
    const text = toText(section);
    for (const part of [title, status, slug, meaning, remedy, retry]) {
      assert.ok(text.includes(String(part).replaceAll('`', '')), `${slug}: ${part}`);
    }
    const example = JSON.parse(toText(/<pre[^]*?\n\n([^]*?)<\/code>/.exec(section)?.[1] ?? ''));
    assert.deepEqual([example.type, example.status, example.title], [
      `/static/problems.html#${slug}`, status, title,
    ]);
  }
});

test('a problem leads to the operations that answer it', () => {
  const section = (slug: string) => (generated.get('problems.html') ?? '').split('<section ').find((part) =>
    part.includes(`id="${slug}"`),
  ) ?? '';
  const idsOf = (slug: string) =>
    [...section(slug).matchAll(/<a href="reference\/#(\w+)">/g)].map(([, id]) => id);
  assert.deepEqual(idsOf('wrong-password'), ['changePassword']);
  assert.deepEqual(idsOf('projects-owned'), ['deleteUser']);
  const restricted = Object.entries(operations)
    .filter(([, { access }]) => access !== 'public')
    .map(([id]) => id);
  assert.deepEqual(idsOf('unauthenticated'), restricted);
  assert.ok(toText(section('internal-error')).includes('Any operation'));
  assert.ok(toText(section('method-not-allowed')).includes('Requests that reach no operation'));
});

test('every page below /static/ takes all from there, and every link within it leads to something', () => {
  const pages = new Map([...generated, ...readStaticFolder()]);
  for (const [path, page] of [...pages].filter(([path]) => path.endsWith('.html'))) {
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+="/, path);
    for (const [tag, target = ''] of page.matchAll(/<\w+[^>]*? (?:href|src)="([^"]*)"/g)) {
      const url = new URL(target, `http://service/static/${path}`);
      const key = url.pathname.replace('/static/', '');
      assert.ok(url.origin === 'http://service' || tag.startsWith('<a '), `${path}: ${tag}`);
      const isRoute = routes.includes(`GET ${url.pathname}`);
      assert.ok(
        url.origin !== 'http://service' || isRoute || pages.has(key) || pages.has(`${key}index.html`),
        `${path}: ${target}`,
      );
      const place = (pages.get(key) ?? '').includes(`id="${url.hash.slice(1)}"`)
        || (key === 'reference/' && url.hash.slice(1) in operations);
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
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)]
    .map(([, heading = '']) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'));
  const targets = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target);
  assert.ok(targets.length > 0);
  assert.deepEqual(targets.filter((target) => !headings.includes(target)), []);
});

test('every command that the README names exists', () => {
  for (const [, name = ''] of readme.matchAll(/npm run ([\w:]+)/g)) {
    assert.ok(name in manifest.scripts, name);
  }
});

test('the README names every room of src/', () => {
  for (const { name } of readdirSync(join(projectFolder, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    assert.ok(readme.includes(`\`${name}/\``), name);
  }
});

test('the oldest Node.js is the same in package.json, in the program and in the README', () => {
  assert.equal(manifest.engines.node, `>=${NODE_VERSION_MIN}`);
  assert.ok(readme.includes(`Node.js ${NODE_VERSION_MIN.replace(/\.0$/, '')} or later`));
});
