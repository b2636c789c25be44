import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { each } from '../support/each.ts';

// The compiler has no DOM types for tests. The URLs of the modules are computed, so the compiler does not
// check the modules.
const load = (module: string) => import(new URL(`../../static/${module}`, import.meta.url).href);
const { toCurl } = await load('console/api.js');
const { toRequest } = await load('reference/request.js');
const { SAMPLES } = await load('reference/samples.js');

/** @returns The arguments that a shell passes to curl. Shell variables contain the credentials. */
function argumentsOf(line: string): readonly string[] {
  const variables = 'token=T; username=U; password=P; current_password=C';
  const script = `curl() { printf '%s\\0' "$@"; }; ${variables}\n${line}`;
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0').slice(0, -1);
}

/** In this test, `api.js` treats the folder of the project as the address of the service. */
const API = new URL('../../api/v1/', import.meta.url).href;

const TOKEN = ['-H', 'Authorization: Bearer T'];
const JSON_BODY = ['-H', 'Content-Type: application/json', '--data-raw'];
const QUOTES = { description: `it's "quoted" $HOME \`id\` \\n\n` };
const LOOKS_SECRET = { name: '\\u0000HOME', description: '\u0000HOME "password": ""' };

each('the command for {0}', [
  ['a list has the parameters of the screen, and the token from the shell',
    { path: ['users'], query: { contains: 'a b&c' } }, [...TOKEN, `${API}users?contains=a+b%26c`]],
  ['a name with reserved characters has an encoded path',
    { path: ['users', 'a/b?c'] }, [...TOKEN, `${API}users/a%2Fb%3Fc`]],
  ['a change has If-Match and the exact body, with any quotes',
    { method: 'PATCH', path: ['projects', 7], body: QUOTES, etag: '"tag"' },
    ['-X', 'PATCH', ...TOKEN, '-H', 'If-Match: "tag"', ...JSON_BODY, QUOTES, `${API}projects/7`]],
  ['a new password has shell variables as passwords',
    { method: 'PUT', path: ['password'], body: { current_password: 'old secret', password: 'new secret' } },
    ['-X', 'PUT', ...TOKEN, ...JSON_BODY, { current_password: 'C', password: 'P' }, `${API}password`]],
  ['a registration has no credentials, and keeps a text like a placeholder',
    { method: 'POST', path: ['users'], body: { ...LOOKS_SECRET, password: 'secret' }, authorization: null },
    [...JSON_BODY, { ...LOOKS_SECRET, password: 'P' }, `${API}users`]],
  ['a sign-in has username and password from the shell',
    { method: 'POST', path: ['tokens'], body: { name: 'console' }, authorization: 'Basic c2VjcmV0' },
    ['-u', 'U:P', ...JSON_BODY, { name: 'console' }, `${API}tokens`]],
], ([, request, expected]) => {
  const line = toCurl(request);
  assert.doesNotMatch(line, /secret/);
  const found = argumentsOf(line).map((text) => (text.startsWith('{') ? JSON.parse(text) : text));
  assert.deepEqual(found, expected);
});

const OPERATION = {
  method: 'POST', path: '/api/v1/projects', schemes: [], body: { mediaType: 'application/json' },
};

each('the command of the reference sends the body {0} unchanged', [
  '{"description": "it\'s $HOME `id` \\\\ \\n"}', '@/etc/passwd', 'two\nlines',
], (body) => {
  const line = SAMPLES.curl(toRequest(OPERATION, new URL('https://example.org/rollcall/'), [], body));
  assert.deepEqual(argumentsOf(line), [...JSON_BODY, body, 'https://example.org/rollcall/api/v1/projects']);
});
