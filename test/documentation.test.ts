import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { problems, type ProblemName } from '../src/api/problems.ts';
import { exampleOf, problemTexts, problemTypes } from '../src/extras/documents/problems.ts';
import { FETCHED_VERSION, OTHER_VERSIONS } from '../scripts/runtime.js';
import { settings, type Setting } from '../src/settings.ts';
import { NODE_VERSION_MIN } from '../src/runtime.ts';
import { toRemoval } from './protections/protection.ts';
import { protections } from './protections/protections.ts';
import { each } from './support/each.ts';
import { generatedFiles as generated } from './support/generated-files.ts';
import { generatedPages } from './support/generated-pages.ts';
import { routes } from './support/operations.ts';
import { mutate } from './support/mutants.ts';
import { anchorsOf, pages, toText, withoutCode } from './support/pages.ts';
import { manifest, projectFolder, read, readFolder } from './support/project.ts';

const readme = read('README.md');

each('each mutation of the protection against those who want to {0} changes one text', [
  ...protections.map(({ wants, mutations }) => [wants, mutations] as const),
], ([, mutations]) => {
  assert.ok(mutations.length > 0);
  mutations.map(toRemoval).forEach((removal) => mutate(read(removal.file), removal));
});

each('{0} is what "npm run docs" writes', Object.entries(generatedPages), ([file, write]) => {
  assert.equal(read(file), write(read(file)), 'run "npm run docs"');
});

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

const [, routesTable = ''] = /\n## Routes\n([^]*?)\n## /.exec(read('src/resources/README.md')) ?? [];

each('the {0} and no other', [
  ['table of routes names every route', namesIn(routesTable, /`([A-Z]+ \/[^`]*)`/g), routes],
  [
    'list of commands names every command of npm',
    namesIn(read('scripts/README.md'), /^- `npm (?:run )?([\w:]+)/gm), Object.keys(manifest.scripts),
  ],
  ['table of faults names every test file of faults',
    namesIn(read('test/README.md'), /\(faults\/([^)]*)\)/g), readdirSync(join(projectFolder, 'test/faults'))],
  ['front page leads to every page',
    ['README.md', ...new Set(namesIn(readme, /\]\(([^)#]+\.md)/g))], [...pages.keys()]],
], ([, named, known]) => assert.deepEqual(named.toSorted(), known.toSorted()));

test('the page of problems explains every type under its anchor', () => {
  const sections = (generated.get('problems.html') ?? '').split('<section ');
  for (const [slug, { title, status }] of problemTypes) {
    assert.ok(/^[a-z]+(-[a-z]+)*$/.test(slug) && status >= 400 && status < 600 && title.length > 3, slug);
    const text = toText(sections.find((section) => section.includes(`id="${slug}"`)) ?? '');
    for (const part of [title, status, slug, problemTexts[slug]]) {
      assert.ok(text.includes(String(part).replaceAll('`', '')), `${slug}: ${part}`);
    }
  }
});

test('No two problems share a sentence, and the example of each problem has its facts', () => {
  const sentences = (Object.keys(problems) as ProblemName[]).map((name) => exampleOf(name).detail);
  assert.deepEqual([...new Set(sentences)], sentences);
  assert.deepEqual(sentences.filter((sentence) => /undefined|NaN/.test(sentence)), []);
});

each('every link of {0} within the project leads to a file, a heading or a line', [
  ...pages,
], ([file, page]) => {
  const images = page.matchAll(/<(?:img|source) src(?:set)?="([^"]+)"/g);
  for (const [, target = ''] of [...withoutCode(page).matchAll(/\]\((?!https?:)([^)]+)\)/g), ...images]) {
    const [path = '', anchor] = target.split('#');
    const found = path === '' ? file : join(dirname(file), path);
    assert.ok(existsSync(join(projectFolder, found)), target);
    const line = /^L(\d+)$/.exec(anchor ?? '')?.[1];
    if (line !== undefined) {
      assert.ok(Number(line) <= read(found).split('\n').length, target);
    } else if (anchor !== undefined) {
      assert.ok(anchorsOf(read(found)).has(anchor), target);
    }
  }
});

test('every setting and every command of npm that a page names exists', () => {
  const known = Object.values<Setting<unknown>>(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
  const others = ['NODE_EXTRA_CA_CERTS', 'TEST_DATABASE_URL']; // these two are not settings
  for (const [file, page] of pages) {
    // In CHANGES.md, the first column of a table names each removed setting.
    const removed = file.endsWith('CHANGES.md') ? namesIn(page, /^\| (?:Setting )?`([A-Z_]+)` \|/gm) : [];
    const names = [...known, ...others, ...removed];
    const named = namesIn(page, /`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g);
    assert.deepEqual(named.filter((name) => !names.includes(name)), [], file);
    const commands = namesIn(page, /npm run (?:--silent )?([\w:]+)/g);
    assert.deepEqual(commands.filter((name) => !(name in manifest.scripts)), [], file);
  }
});

test('every metric that a page names is in the code', () => {
  const code = readFolder('src/extras/metrics').map(({ text }) => text).join('');
  const named = namesIn(read('src/programs/README.md'), /`([a-z]+(?:_[a-z0-9]+){2,})`/g);
  assert.ok(named.length > 8);
  assert.deepEqual(named.filter((name) => !code.includes(`'${name}'`)), []);
});

/** Each guide says what a reader must have. */
const PREREQUISITE = 'You need a token in the shell variable $token:';

test('no sentence stands twice, except on one HTML page', () => {
  const paragraphsOfPages = [
    ...[...pages].filter(([file]) => !/^test\/(tour|walk)\//.test(file)).map(([file, page]) => (
      [file, withoutCode(page).replace(/\]\([^)]*\)|[`*[]/g, '').split(/\n\n|\n(?=[-|])| \| /)] as const
    )),
    ...readFolder('static', /\.html$/).map(({ file, text }) => (
      [file, text.replace(/<pre[^]*?<\/pre>/g, '').split(/<\/(?:p|td|th|li|h\d)>/).map(toText)] as const
    )),
  ];
  const places = new Map<string, string>();
  for (const [file, paragraphs] of paragraphsOfPages) {
    const sentences = paragraphs.flatMap((text) => text.replace(/\s+/g, ' ').split(/(?<=[.:]) /));
    for (const sentence of sentences.map((text) => text.trim())) {
      const other = places.get(sentence);
      const isRepeated = other === file && file.endsWith('.html'); // two errors can have the same remedy
      const isAllowed = isRepeated || sentence.split(' ').length < 7 || sentence === PREREQUISITE;
      assert.ok(other === undefined || isAllowed, `${other} and ${file}: ${sentence}`);
      places.set(sentence, file);
    }
  }
});

test('the front page has at most 220 lines, and names every room of src/', () => {
  assert.ok(readme.split('\n').length <= 220);
  const rooms = readFolder('src').flatMap(({ file }) => /^src\/([\w-]+\/)/.exec(file)?.[1] ?? []);
  assert.deepEqual(rooms.filter((room) => !readme.includes(`\`${room}\``)), []);
});

test('package.json, program and front page name the same oldest Node.js, and the tested versions', () => {
  assert.equal(manifest.engines.node, `>=${NODE_VERSION_MIN}`);
  assert.equal(OTHER_VERSIONS[0], NODE_VERSION_MIN);
  const others = OTHER_VERSIONS.join(' and ');
  for (const sentence of [
    `Node.js ${NODE_VERSION_MIN.replace(/\.0$/, '')} or later`,
    `under Node.js ${FETCHED_VERSION}. The tests of the core also run under Node.js ${others}.`,
  ]) {
    assert.ok(readme.replaceAll(/\s+/g, ' ').includes(sentence), sentence);
  }
  assert.match(read('.ci/run'), /^npm run test:versions/m);
});
