import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './support/imports.ts';
import { manifest, readFolder } from './support/project.ts';

const sources = readFolder('src').map(({ file, text }) => ({ file: file.slice('src/'.length), text }));

const LIBRARIES = ['http/', 'database/', 'jsonschema/', 'scheduling/', 'telemetry/'];
const CORE = ['model/', ...LIBRARIES, 'stores/', 'auth/', 'api/', 'resources/'];

const WITH_STORE = [
  'api/', 'auth/', 'database/database.ts', 'http/', 'jsonschema/', 'model/', 'resources/', 'stores/',
];

/** The file `programs/extras.ts` can also import extras. */
const OF_PROGRAMS = ['administrators.ts', 'core.ts', 'config.ts', 'settings.ts', 'runtime.ts', ...CORE];

/** Files in one folder can also import each other. Each file can import `node:` modules. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'model/': [],
  'http/': [],
  'database/': [],
  'jsonschema/': [],
  'scheduling/': [],
  'telemetry/': ['model/clock.ts'],
  'stores/': ['model/', 'database/database.ts'],
  'auth/': ['model/', 'scheduling/', 'http/client-address.ts', 'http/text.ts', 'stores/'],
  'api/': ['model/', 'scheduling/', 'http/', 'jsonschema/', 'auth/', 'stores/'],
  'resources/': ['model/', 'http/', 'jsonschema/', 'auth/', 'stores/', 'api/'],
  'app.ts': ['config.ts', ...CORE],
  'settings.ts': ['database/location.ts', 'http/client-address.ts', 'telemetry/log.ts'],
  'config.ts': ['settings.ts', 'http/tls.ts', 'resources/rules.ts', 'telemetry/error-text.ts'],
  'administrators.ts': ['config.ts', 'api/services.ts', 'model/', 'resources/', 'telemetry/'],
  'core.ts': ['app.ts', 'config.ts', ...CORE],
  'extras/admin/': [
    'administrators.ts', 'config.ts', 'settings.ts', 'runtime.ts', 'programs/database.ts', 'extras/data/',
    'extras/password-links/', ...CORE,
  ],
  'extras/audit/': WITH_STORE,
  'extras/cluster/': ['database/'],
  'extras/documents/': ['api/', 'http/', 'jsonschema/', 'model/', 'resources/'],
  'extras/data/': ['database/', 'model/', 'stores/', 'telemetry/'],
  'extras/metrics/': ['api/', 'app.ts', 'auth/', 'config.ts', 'database/location.ts', 'model/token.ts'],
  'extras/password-links/': WITH_STORE,
  'extras/pretty-log/': ['telemetry/log.ts'],
  'extras/probes/': ['api/', 'database/', 'stores/schema.ts', 'telemetry/'],
  'extras/tokens/': WITH_STORE,
  'extras/verify/': ['api/', 'auth/', 'http/', 'jsonschema/', 'model/'],
  'programs/': OF_PROGRAMS,
  'programs/extras.ts': [...OF_PROGRAMS, 'extras/', 'programs/'],
  'runtime.ts': [],
  'server.ts': ['runtime.ts', 'programs/serve.ts', 'extras/admin/commands.ts'],
  'admin.ts': ['runtime.ts', 'extras/admin/commands.ts'],
};

/** Returns the key in `MAY_IMPORT` that applies to a file: the path of the file or of its folder. */
function ownerOf(file: string): string {
  return file in MAY_IMPORT ? file : (/^(extras\/)?[\w-]+\//.exec(file)?.[0] ?? file);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

for (const { file, text } of sources) {
  const owner = ownerOf(file);
  test(`src/${file} imports only what its layer allows`, () => {
    const allowed = MAY_IMPORT[owner];
    assert.ok(allowed !== undefined, `no rule for ${owner}`);
    for (const { target } of importsOf({ file, text })) {
      const isOwn = owner.endsWith('/') && target.startsWith(owner);
      assert.ok(
        target.startsWith('node:') || isOwn || allowed.some((prefix) => target.startsWith(prefix)),
        `imports ${target}`,
      );
    }
  });
}

test('until they are needed, a server loads no documents, metrics, TLS, database driver or command', () => {
  const loaded = new Set<string>(['programs/serve.ts']);
  for (const name of loaded) { // the loop also visits the files that it adds
    const { text = '' } = sources.find(({ file }) => file === name) ?? {};
    const early = withoutComments(text).replace(/\bimport\('[^']*'\)|^import type [^;]*;/gm, '');
    importsOf({ file: name, text: early }).forEach(({ target }) => loaded.add(target));
  }
  const late = /^extras\/(documents\/(openapi|pages)|metrics|cluster|data|admin)|^node:(https?|tls|sqlite)$/;
  assert.ok(loaded.has('extras/documents/files.ts') && loaded.has('node:zlib'));
  assert.deepEqual([...loaded].filter((target) => late.test(target)), []);
});

test('no file imports itself, directly or through others', () => {
  let left = sources.map((source) => ({ ...source, targets: importsOf(source).map(({ target }) => target) }));
  for (let count = 0; count !== left.length;) {
    count = left.length;
    left = left.filter(({ targets }) => left.some(({ file }) => targets.includes(file)));
  }
  assert.deepEqual(left.map(({ file }) => file), [], 'each imports another of these');
});

for (const [what, pattern, places] of [
  ['process.env', /process\.env\b/, ['config.ts']],
  ['the end of the process', /process\.exit/,
    ['extras/admin/commands.ts', 'telemetry/log.ts', 'runtime.ts']],
  ['ServerResponse', /\bServerResponse\b/, ['http/pipeline.ts']],
  ['SQL', /\b(SELECT .*FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b/s, [
    'stores/', 'database/',
    'extras/audit/', 'extras/cluster/', 'extras/data/', 'extras/password-links/', 'extras/tokens/',
  ]],
  ['PRAGMA', /\bPRAGMA\b/, [
    'database/sqlite-files.ts', 'stores/schema.ts',
    'extras/data/restore.ts', 'extras/data/upgrade-steps.ts', 'extras/data/upgrade.ts',
  ]],
  ['node:sqlite', /'node:sqlite'/, [
    'database/sqlite.ts', 'database/sqlite-files.ts',
    'extras/data/backup.ts', 'extras/data/check.ts', 'extras/data/restore.ts', 'extras/data/upgrade.ts',
  ]],
  ['a driver', /\/(sqlite|driver)\.ts'/, ['programs/database.ts', 'programs/extras.ts']],
  ['a clock', /Date\.now|new Date\(\)/, ['programs/serve.ts', 'extras/admin/commands.ts']],
  ['console', /\bconsole\.\w+\(/, []],
  ['the lenient parser of HTTP', /insecureHTTPParser/, []],
  ['generated code', /\beval\(|new Function\b/, []],
  ['the type any', /[:<] ?any\b/, []],
  ['a non-null assertion', /[\w\])]!(\.|,|;|\)|\[)/, []],
  ['RETURNING', /\bRETURNING\b/, []],
  ['a clock or randomness in SQL', /CURRENT_TIMESTAMP|\b(datetime|strftime|random|randomblob)\(/, []],
] as const) {
  test(`${what} appears only in: ${places.join(', ') || 'no file'}`, () => {
    const found = sources.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file);
    assert.deepEqual(found.filter((file) => !places.some((place) => file.startsWith(place))), []);
    assert.ok(places.every((place) => found.some((file) => file.startsWith(place))), 'and in each of them');
  });
}

/** `npm run audit` checks the names of the development packages, and reports all other dependencies. */
test('development packages have exact versions, and the project has no main file', () => {
  const { devDependencies, main } = manifest;
  assert.equal(main, undefined);
  assert.ok(Object.values<string>(devDependencies).every((version) => /^\d+\.\d+\.\d+$/.test(version)));
});

test('every export is imported somewhere, by its name and from its own file', () => {
  const others = ['test', 'scripts'].flatMap((folder) => readFolder(folder)).flatMap(importsOf)
    .map(({ target, names }) => ({ names, target: target.replace(/^src\//, '') }));
  const imports = [...sources.flatMap(importsOf), ...others];
  for (const { file, text } of sources) {
    const namesOfImports = imports.filter(({ target }) => target === file).map(({ names }) => names)
      .join(' ');
    const declarations = text.matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm);
    for (const [, name = ''] of declarations) {
      assert.match(namesOfImports, new RegExp(`\\b${name}\\b`), `${name} of ${file}`);
    }
  }
});

test('no line of code has more than 110 characters', () => {
  for (const folder of ['src', 'static', 'scripts', 'test']) {
    for (const { file, text } of readFolder(folder, /\.(ts|js|css|html|svg)$/)) {
      const index = text.split('\n').findIndex((line) => [...line].length > 110);
      assert.ok(index === -1, `${file}:${index + 1}`);
    }
  }
});

test('no file has more than 380 lines, and there is no index.ts', () => {
  for (const { file, text } of sources) {
    assert.ok(text.split('\n').length <= 380, file);
    assert.ok(!file.endsWith('index.ts'), file);
  }
});
