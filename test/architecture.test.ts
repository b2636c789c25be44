/** What must always hold of the code, as the README claims it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(join(projectFolder, 'src'), { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(projectFolder, 'src', file), 'utf8') }));

const TECHNICAL = ['http/', 'database/', 'jsonschema/', 'telemetry/'];
const DOMAIN = ['handlers/', 'schemas/', 'stores/', 'auth/', 'model/', 'problems.ts'];
const ITINERARY = ['app.ts', 'request-body.ts', 'routes.ts'];

/** What a file or folder may import, besides its own folder and `node:`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'model/': [],
  'http/': [],
  'database/': [],
  'jsonschema/': [],
  'telemetry/': [],
  'stores/': ['model/', 'database/database.ts', 'database/migrate.ts'],
  'auth/': ['model/'],
  'schemas/': ['jsonschema/schema.ts'],
  'problems.ts': ['http/problem.ts'],
  'problem-explanations.ts': ['http/problem.ts', 'problems.ts'],
  'problem-pages.ts': ['http/html.ts', 'http/problem.ts', 'problem-explanations.ts', 'problems.ts', 'routes.ts'],
  'generated-files.ts': ['handlers/static.ts', 'openapi/document.ts', 'problem-pages.ts', 'routes.ts'],
  'handlers/': ['problems.ts', 'schemas/', 'stores/', 'auth/', 'http/', 'telemetry/', 'model/'],
  'request-body.ts': ['http/', 'jsonschema/', 'problems.ts'],
  'metrics.ts': ['auth/', 'database/', 'telemetry/'],
  'routes.ts': ['handlers/', 'schemas/', 'http/', 'jsonschema/'],
  'openapi/': ['routes.ts', 'problems.ts', 'problem-explanations.ts', 'schemas/', 'http/problem.ts', 'jsonschema/', 'model/audit.ts'],
  'app.ts': ['metrics.ts', 'request-body.ts', 'routes.ts', ...DOMAIN, ...TECHNICAL],
  'extras/': ['database/'],
  'runtime.ts': [],
  'settings.ts': ['database/location.ts', 'http/client-address.ts', 'telemetry/log.ts'],
  'config.ts': ['settings.ts', 'http/tls.ts'],
  'service.ts': ['config.ts', 'metrics.ts', ...ITINERARY, ...DOMAIN, ...TECHNICAL],
  'programs/': [
    'extras/', 'settings.ts', 'config.ts', 'generated-files.ts', 'service.ts', 'database/',
    'http/static-files.ts', 'http/tls.ts', 'jsonschema/', 'schemas/', 'stores/', 'auth/', 'model/',
    'telemetry/',
  ],
  'server.ts': ['runtime.ts', 'programs/serve.ts'],
  'admin.ts': ['runtime.ts', 'programs/administer.ts'],
};

/** The imports of a file: paths below `src/`, or names of modules. */
function importsOf({ file, text }: { file: string; text: string }): string[] {
  const specifiers = [...text.matchAll(/(?:^(?:import|export)\b[^;]*?\bfrom |\bimport\()'([^']+)'/gm)].map(([, name = '']) => name);
  return specifiers.map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

for (const source of sources) {
  const owner = source.file.includes('/') ? `${source.file.split('/')[0]}/` : source.file;
  test(`src/${source.file} imports only what its layer may`, () => {
    const allowed = MAY_IMPORT[owner];
    assert.ok(allowed !== undefined, `no rule for ${owner}`);
    for (const name of importsOf(source)) {
      const isAllowed: boolean = name.startsWith('node:') || (owner.endsWith('/') && name.startsWith(owner)) || allowed.some((prefix) => name.startsWith(prefix));
      assert.ok(isAllowed, `imports ${name}`);
    }
  });
}

test('model/ imports nothing outside of itself', () => {
  for (const source of sources.filter(({ file }) => file.startsWith('model/'))) {
    assert.ok(importsOf(source).every((name) => name.startsWith('model/')), source.file);
  }
});

for (const [what, pattern, places] of [
  ['process.env', /process\.env\b/, ['config.ts']],
  ['the end of the process', /process\.exit/, ['programs/serve.ts', 'programs/administer.ts', 'runtime.ts']],
  ['ServerResponse', /\bServerResponse\b/, ['http/send.ts', 'http/listener.ts']],
  [
    'SQL', /\b(SELECT .*FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b/s,
    ['stores/', 'database/', 'extras/cluster/'],
  ],
  ['PRAGMA', /\bPRAGMA\b/, ['database/sqlite.ts', 'database/sqlite-files.ts']],
  ['node:sqlite', /'node:sqlite'/, ['database/sqlite.ts', 'database/sqlite-files.ts']],
  ['the embedded driver', /\/sqlite\.ts'/, ['database/open.ts']],
  ['the cluster', /\/extras\/cluster\//, ['programs/']],
  ['a clock', /Date\.now|new Date\(\)/, ['programs/serve.ts', 'programs/administer.ts']],
  ['console', /\bconsole\.\w+\(/, []],
  ['the lenient parser of HTTP', /insecureHTTPParser/, []],
  ['generated code', /\beval\(|new Function\b/, []],
  ['the type any', /[:<] ?any\b/, []],
  ['a non-null assertion', /[\w\])]!(\.|,|;|\)|\[)/, []],
  ['a clock or randomness in SQL', /CURRENT_TIMESTAMP|\b(datetime|strftime|random|randomblob)\(/, []],
] as const) {
  test(`${what} appears only in: ${places.join(', ') || 'no file'}`, () => {
    const found = sources.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file);
    const elsewhere = found.filter((file) => !places.some((place) => file.startsWith(place)));
    assert.deepEqual(elsewhere, []);
    assert.ok(places.every((place) => found.some((file) => file.startsWith(place))), 'and in each of these');
  });
}

test('there are no dependencies, and only these development packages, in exact versions', () => {
  const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
  for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies', 'main']) {
    assert.ok(!(key in manifest), key);
  }
  assert.deepEqual(Object.keys(manifest.devDependencies).sort(), ['@types/node', 'tsx', 'typescript']);
  assert.ok(Object.values(manifest.devDependencies).every((version) => /^\d+\.\d+\.\d+$/.test(String(version))));
});

test('every export is imported somewhere', () => {
  const tests = readdirSync(join(projectFolder, 'test'), { recursive: true }).map(String).filter((file) => file.endsWith('.ts'));
  const everything = [...sources.map(({ text }) => text), ...tests.map((file) => readFileSync(join(projectFolder, 'test', file), 'utf8'))];
  for (const { file, text } of sources) {
    for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm)) {
      const importer = new RegExp(`(import|const) [^;]*\\b${name}\\b[^;]* (from|= await import)\\b`);
      assert.ok(everything.some((other) => other !== text && importer.test(other)), `${name} of ${file}`);
    }
  }
});

test('no file has more than 300 lines, and there is no index.ts', () => {
  for (const { file, text } of sources) {
    assert.ok(text.split('\n').length <= 300, file);
    assert.ok(!file.endsWith('index.ts'), file);
  }
});
