import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { readApiDocument, type Part } from '../support/api-document.ts';
import { defaultOperations } from '../support/operations.ts';
import { api } from '../support/service.ts';

api('both paths of the description have its JSON, compressed for clients with gzip', async ({ expect }) => {
  const get = (path: string, headers = {}) => expect(200, `GET ${path}`, { headers });
  const { headers: { etag }, json, text } = await get('/static/openapi.json');
  assert.equal(json['openapi'], '3.0.4');
  const other = await get('/api/v1/openapi.json');
  assert.deepEqual([other.headers['content-type'], other.headers.etag], ['application/json', etag]);
  assert.equal(other.text, text);
  assert.doesNotMatch(text, /most common passwords/);
  await expect(304, 'GET /api/v1/openapi.json', { headers: { 'If-None-Match': String(etag) } });
  await expect(206, 'GET /api/v1/openapi.json', { headers: { 'Range': 'bytes=0-9' } });
  const coded = await get('/api/v1/openapi.json', { 'Accept-Encoding': 'gzip' });
  assert.equal(gunzipSync(coded.bytes).toString(), text);
  assert.ok(coded.bytes.length < text.length / 5);
});

// http/static-files.test.ts tests the contents and the header fields of these responses.
api.each('GET /static/index.html with {1}: {2} is {0}; HEAD has no content', [
  [200, 'Accept-Encoding', 'gzip'], [206, 'Range', 'bytes=0-14'], [304, 'If-None-Match', '*'],
  [412, 'If-Match', '"other"'], ['416 range-not-satisfiable', 'Range', 'bytes=99999999-'],
], async (service, [status, name, value]) => {
  const headers = { [name]: value };
  await service.expect(status, 'GET /static/index.html', { headers });
  const head = await service.call('HEAD /static/index.html', { headers });
  assert.deepEqual([head.text, head.status], ['', name === 'Range' ? 200 : status]);
});

api('the description reflects the settings of the service', async ({ call }) => {
  const { text } = await call('GET /rollcall/api/v1/openapi.json');
  assert.equal(JSON.parse(text).servers[0].url, '/rollcall');
  const { paths } = readApiDocument(text);
  assert.equal(paths['/api/v1/token'].post.parameters[0].schema.maximum, 60);
  const { requestBody, responses, security } = paths['/api/v1/users'].post;
  assert.deepEqual(security, [{ basic: [] }, { bearer: [] }]);
  const { password } = requestBody.content['application/json'].schema.properties;
  assert.equal(password.minLength, 12);
  assert.match(password.description, /^The most common passwords are refused\. At most 1024 bytes/);
  const { type } = responses[401].content['application/problem+json'].schema.properties;
  assert.deepEqual(type.enum, ['/rollcall/static/problems.html#unauthenticated']);
}, {
  basePath: '/rollcall', registration: 'closed', passwordLengthMin: 12,
  tokenLifetimeSeconds: 60, tokenLifetimeSecondsMax: 60,
});

api('no operation accepts a body of more than 32 KiB', async ({ call }) => {
  const { text } = await call('GET /api/v1/openapi.json');
  const limits = [...text.matchAll(/at most (\d+) bytes\./g)].map(([, bytes]) => Number(bytes));
  assert.equal(Math.max(...limits), 32_768);
});

api('every documented value of a query parameter is accepted, and other values are 400', async (service) => {
  const as = await service.registerAdministrator('root');
  const { paths } = readApiDocument((await service.call('GET /api/v1/openapi.json')).text);
  for (const { method, path } of Object.values(defaultOperations)) {
    const { parameters }: Part = paths[path][method.toLowerCase()];
    for (const { name, schema, example } of parameters.filter((one: Part) => one['in'] === 'query')) {
      const line = `${method} ${path.replace('{username_or_id}', 'nobody')}?${name}=`;
      const [taken, refused] = toSamples({ ...schema, example });
      for (const value of taken) {
        // the service accepts `owned_projects=transfer` and `new_owner` only together
        const other = value === 'transfer' ? '&new_owner=root'
          : name === 'new_owner' ? '&owned_projects=transfer' : '';
        const { text } = await service.call(line + encodeURIComponent(value) + other, { as });
        assert.ok(!text.includes(`\\"${name}\\"`), line + value);
      }
      for (const value of path.includes('{') ? [] : refused) {
        const { status, text } = await service.call(line + encodeURIComponent(value), { as });
        assert.deepEqual([status, text.includes(`\\"${name}\\"`)], [400, true], line + value);
      }
    }
  }
});

function toSamples(
  { type, minimum, maximum, enum: words, format, pattern, example }: Part,
): readonly [taken: readonly string[], refused: readonly string[]] {
  if (type === 'integer') {
    return [
      [minimum, maximum ?? Number.MAX_SAFE_INTEGER].map(String),
      [minimum - 1, ...(maximum === undefined ? [] : [BigInt(maximum) + 1n]), 1.5, 'x', ''].map(String),
    ];
  }
  if (format === 'date-time') {
    return [['2026-01-01T00:00:00Z'], ['2026-01-01']];
  }
  if (pattern !== undefined) {
    return [[example], [`${example}${example}`, '%']];
  }
  return words === undefined ? [['x'], []] : [words, ['x']];
}
