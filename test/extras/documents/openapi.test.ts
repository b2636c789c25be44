/** The OpenAPI document, without a running service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDocument } from '../../../src/extras/documents/openapi.ts';
import { problems } from '../../../src/api/problems.ts';
import { compileClosed, readApiDocument, type Part } from '../../support/api-document.ts';
import { defaultConfig } from '../../support/config.ts';
import { operationsWith, operations as served, routes } from '../../support/operations.ts';

const settings = defaultConfig();
const text = JSON.stringify(createDocument(served, settings, '1.0.0'));
const { paths } = readApiDocument(text);
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries<Part>(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
);

test('the operations of the document are exactly the routes', () => {
  assert.deepEqual(operations.map(({ title }) => title).sort(), routes.toSorted());
});

for (const { title, operation } of operations) {
  test(`the examples of ${title} are valid`, () => {
    const contents = [
      operation['requestBody'], ...Object.values<Part>(operation['responses']),
    ].flatMap((part) =>
      Object.values<Part>(part?.content ?? {}),
    );
    for (const { schema, examples = {} } of contents) {
      for (const [name, example] of Object.entries<Part>(examples)) {
        assert.deepEqual(compileClosed(schema)(example['value']), [], name);
      }
    }
    const headers = Object.values<Part>(operation['responses'])
      .flatMap(({ headers: fields }) => Object.values<Part>(fields));
    for (const { schema, example } of [...(operation['parameters'] ?? []), ...headers]) {
      assert.deepEqual(example === undefined ? [] : compileClosed(schema)(example), []);
    }
  });

  test(`${title} has an example of every JSON content`, () => {
    for (const [status, { content = {} }] of Object.entries<Part>(operation['responses'])) {
      for (const [type, { examples }] of Object.entries<Part>(content)) {
        assert.ok(examples !== undefined || !/\bjson$/.test(type), `${status} ${type}`);
      }
    }
  });
}

test('every problem is described, except 405, which no operation returns', () => {
  const slugs = Object.keys(JSON.parse(text).components.schemas)
    .filter((name) => name.startsWith('problem-'))
    .map((name) => name.slice(8));
  const answered = Object.values(problems).map(([slug]) => slug);
  const inOperations = new Set(answered.filter((slug) => slug !== 'method-not-allowed'));
  assert.deepEqual(slugs.sort(), [...inOperations].sort());
});

test('no member of a body has a default, because type generators would make it required', () => {
  for (const { schemas } of [JSON.parse(text).components]) {
    const bodies = Object.entries<Part>(schemas).filter(([name]) => /^New|Patch$/.test(name));
    assert.ok(bodies.length >= 5);
    bodies.forEach(([name, schema]) => assert.doesNotMatch(JSON.stringify(schema), /"default":/, name));
  }
});

test('the bounds, paths and credentials in the document follow the settings', () => {
  const other = {
    ...settings,
    registration: 'closed',
    passwordLengthMin: 12,
    tokenLifetimeSecondsMax: 60,
    basePath: '/rollcall',
  } as const;
  const changed = createDocument(operationsWith(other), other, '1.0.0');
  const { paths: changedPaths } = readApiDocument(JSON.stringify(changed));
  const { security, requestBody, responses } = changedPaths['/api/v1/users'].post;
  assert.equal((changed as Part)['servers'][0].url, '/rollcall');
  assert.deepEqual(security, [{ basic: [] }, { bearer: [] }]);
  assert.equal(requestBody.content['application/json'].schema.properties.password.minLength, 12);
  assert.equal(changedPaths['/api/v1/token'].post.parameters[0].schema.maximum, 60);
  assert.deepEqual(responses[401].content['application/problem+json'].schema.properties.type.enum, [
    '/rollcall/static/problems.html#unauthenticated',
  ]);
});
