/** Tests that a shell correctly parses the curl commands of the console and the reference. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

// The compiler has no DOM types for tests. Computed URLs hide the modules of the pages from the compiler.
const load = (module: string) => import(new URL(`../../static/${module}`, import.meta.url).href);
const { toCurl } = await load('console/api.js');
const { toRequest } = await load('reference/request.js');
const { SAMPLES } = await load('reference/samples.js');

/** Runs the line in a shell where variables hold the credentials. @returns The arguments of curl. */
function argumentsOf(line: string): readonly string[] {
  const variables = 'token=T; username=U; password=P; current_password=C';
  const script = `curl() { printf '%s\\0' "$@"; }; ${variables}\n${line}`;
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0').slice(0, -1);
}

function bodyOf(line: string): unknown {
  const seen = argumentsOf(line);
  return JSON.parse(seen[seen.indexOf('--data-raw') + 1] ?? '');
}

/** In this test, `api.js` takes the folder of the project as the address of the service. */
const base = new URL('../../', import.meta.url).href;

test('the command for a list has the token from the shell and the parameters of the screen', () => {
  const line = toCurl({ path: ['users'], query: { contains: 'a b&c' } });
  assert.deepEqual(argumentsOf(line), [
    '-H', 'Authorization: Bearer T', `${base}api/v1/users?contains=a+b%26c`,
  ]);
});

test('the command for a change has If-Match and the exact body, with any quotes', () => {
  const body = { description: `it's "quoted" $HOME \`id\` \\n\n` };
  const line = toCurl({ method: 'PATCH', path: ['projects', 7], body, etag: '"tag"' });
  const seen = argumentsOf(line);
  assert.deepEqual(seen.slice(0, 6), [
    '-X', 'PATCH', '-H', 'Authorization: Bearer T', '-H', 'If-Match: "tag"',
  ]);
  assert.equal(seen.at(-1), `${base}api/v1/projects/7`);
  assert.deepEqual(bodyOf(line), body);
});

test('passwords are shell variables, and not in the command', () => {
  const body = { current_password: 'old secret', password: 'new secret' };
  const line = toCurl({ method: 'PUT', path: ['users', 1, 'password'], body });
  assert.doesNotMatch(line, /secret/);
  assert.deepEqual(bodyOf(line), { current_password: 'C', password: 'P' });
});

test('text that looks like a password placeholder stays text', () => {
  const body = { name: '\\u0000HOME', description: '\u0000HOME "password": ""', password: 'secret' };
  assert.deepEqual(bodyOf(toCurl({ method: 'POST', path: ['users'], body })), { ...body, password: 'P' });
});

test('signing in takes username and password from the shell; registering sends no credentials', () => {
  const signIn = toCurl({
    method: 'POST', path: ['tokens'], body: { name: 'console' }, authorization: 'Basic c2VjcmV0',
  });
  assert.doesNotMatch(signIn, /c2VjcmV0|Bearer/);
  assert.deepEqual(argumentsOf(signIn).slice(0, 2), ['-u', 'U:P']);
  assert.doesNotMatch(
    toCurl({ method: 'POST', path: ['users'], body: {}, authorization: null }), /Authorization|-u/,
  );
});

test('names in a path are encoded', () => {
  assert.ok(toCurl({ path: ['users', 'a/b?c'] }).includes('/api/v1/users/a%2Fb%3Fc'));
});

const OPERATION = {
  method: 'POST', path: '/api/v1/projects', schemes: [], body: { mediaType: 'application/json' },
};

for (const body of ['{"description": "it\'s $HOME `id` \\\\ \\n"}', '@/etc/passwd', 'two\nlines']) {
  test(`the command of the reference sends the body ${JSON.stringify(body)} unchanged`, () => {
    const line = SAMPLES.curl(toRequest(OPERATION, new URL('https://example.org/rollcall/'), [], body));
    assert.deepEqual(argumentsOf(line), [
      '-H', 'Content-Type: application/json', '--data-raw', body,
      'https://example.org/rollcall/api/v1/projects',
    ]);
  });
}
