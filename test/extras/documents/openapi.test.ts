import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTool } from '../../../scripts/tools.ts';
import { createDocument } from '../../../src/extras/documents/openapi.ts';
import { sentences, texts } from '../../../src/extras/documents/texts.ts';
import { problems } from '../../../src/api/problems.ts';
import { compileClosed, readApiDocument, type Part } from '../../support/api-document.ts';
import { findObstacle, mustRun } from '../../support/commands.ts';
import { defaultConfig } from '../../support/config.ts';
import { operations as served, routes } from '../../support/operations.ts';
import { createFolder } from '../../support/programs.ts';
import { projectFolder } from '../../support/project.ts';

const settings = defaultConfig();
const text = JSON.stringify(createDocument(served, settings, '1.0.0'));
const { paths } = readApiDocument(text);
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries<Part>(item).map(([method, operation]) => (
    { title: `${method.toUpperCase()} ${path}`, operation }
  )));

test('the operations of the document are exactly the routes', () => {
  assert.deepEqual(operations.map(({ title }) => title).sort(), routes.toSorted());
});

test('the sentence about `sort` speaks of names only if the list can be sorted by name', () => {
  for (const { title, operation } of operations) {
    const sort: Part | undefined = operation['parameters'].find(({ name }: Part) => name === 'sort');
    assert.equal(/names/i.test(sort?.['description']), /name/.test(sort?.['schema'].enum), title);
  }
});

test('every parameter and member of a body has a sentence, and every sentence is needed', () => {
  const needed = new Set<string>();
  for (const [id, { path, query, body }] of Object.entries(served)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const { properties = {} } = body?.content?.schema ?? {};
    const names = [...inPath, ...Object.keys({ ...query, ...properties })];
    const own = Object.keys(texts[id]?.own ?? {});
    assert.deepEqual(own.filter((name) => !names.includes(name)), [], id);
    const described = names.filter((name) => properties[name]?.description !== undefined); // by its rule
    names.filter((name) => ![...own, ...described].includes(name)).forEach((name) => needed.add(name));
  }
  assert.deepEqual(Object.keys(sentences).sort(), [...needed].sort());
});

test('an operation has a description, and a record, a list or responses, and every text is used', () => {
  for (const [id, { replies }] of Object.entries(served)) {
    const { description, shows, responses } = texts[id] ?? {};
    assert.match(description ?? '', /^[A-Z].{14,}\.$/, id);
    assert.equal(responses !== undefined, replies === undefined, id);
    assert.equal(shows !== undefined, replies !== undefined && replies.kind !== 'words', id);
  }
  assert.deepEqual(Object.keys(texts).filter((id) => !(id in served)), []);
});

for (const { title, operation } of operations) {
  test(`${title} has an example of its body and of every JSON content, and all examples are valid`, () => {
    const responses = Object.values<Part>(operation['responses']);
    for (const { content = {} } of [operation['requestBody'] ?? {}, ...responses]) {
      for (const [type, { schema, examples }] of Object.entries<Part>(content)) {
        assert.ok(examples !== undefined || !/\b(json|urlencoded)$/.test(type), type);
        for (const [name, { value }] of Object.entries<Part>(examples ?? {})) {
          assert.deepEqual(compileClosed(schema)(value), [], name);
        }
      }
    }
    const headers = responses.flatMap(({ headers: fields }) => Object.values<Part>(fields));
    for (const { schema, example } of [...operation['parameters'], ...headers]) {
      assert.deepEqual(example === undefined ? [] : compileClosed(schema)(example), []);
    }
  });
}

test('operations that accept credentials list 401; public operations do not require credentials', () => {
  for (const { title, operation: { responses, security, 'x-access': access } } of operations) {
    assert.equal(responses[401] !== undefined, security.length > 0, title);
    assert.equal(Object.keys(security[0] ?? {}).length === 0, access === 'public', title);
  }
});

test('every problem is described, except 405, which no operation returns', () => {
  const slugs = Object.keys(JSON.parse(text).components.schemas)
    .flatMap((name) => /^problem-(.*)/.exec(name)?.[1] ?? []);
  const inOperations = new Set(Object.values(problems).map(([slug]) => slug));
  assert.deepEqual([...slugs, 'method-not-allowed'].sort(), [...inOperations].sort());
});

const CLIENT = `
import type { components, operations } from './types.ts';

type Schemas = components['schemas'];
export const project: Schemas['NewProject'] = { name: 'notes' };
export const tokens: Schemas['NewToken'][] = [{}, { scope: 'read_only' }, { expiration: 60 }];
// For openapi-typescript, each member with a default is required. So no member of a patch has a default.
export const changes: [Schemas['ProjectPatch'], Schemas['UserPatch']][] = [[{}, {}]];
// @ts-expect-error The name of a project must be given.
export const nameless: Schemas['NewProject'] = { description: '' };

type Responses = operations['readProject']['responses'];
export const nameOf = (body: Responses[200]['content']['application/json']): string => body.owner.username;
type AnyError = Responses['default']['content']['application/problem+json'];
export const isTransient = ({ status }: AnyError): boolean => status === 503;
// @ts-expect-error No error has this status.
export const isTeapot = ({ status }: AnyError): boolean => status === 418;
`;

const skip = findObstacle(() => findTool('openapiTypescript')); // throws in CI if the tool is missing

test('types that a generator makes of the document compile, without a warning', { skip }, (t) => {
  const folder = createFolder(t);
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write('openapi.json', text);
  const generator = '"$0" "$1" openapi.json --output types.ts 2>&1';
  const words = ['-c', generator, process.execPath, findTool('openapiTypescript')];
  assert.doesNotMatch(mustRun('sh', words, { cwd: folder }), /warn|⚠/i);
  write('package.json', '{"type":"module"}');
  write('client.ts', CLIENT);
  write('tsconfig.json', JSON.stringify({
    extends: join(projectFolder, 'tsconfig.json'),
    compilerOptions: { types: [], allowImportingTsExtensions: true, noEmit: true },
    include: ['types.ts', 'client.ts'],
  }));
  mustRun(process.execPath, [join(projectFolder, 'node_modules/typescript/bin/tsc')], { cwd: folder });
});
