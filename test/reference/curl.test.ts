/** Tests how a shell parses the curl command that the reference shows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

// The compiler has no DOM types for tests. Because the URL is computed, the compiler does not check the
// modules of the reference.
const { toRequest } = await import(new URL('../../static/reference/request.js', import.meta.url).href);
const { SAMPLES } = await import(new URL('../../static/reference/samples.js', import.meta.url).href);

const OPERATION = {
  method: 'POST', path: '/api/v1/projects', schemes: [], body: { mediaType: 'application/json' },
};

/** Runs the line in a shell. @returns The arguments that curl gets. */
function argumentsFor(body: string): readonly string[] {
  const line = SAMPLES.curl(toRequest(OPERATION, new URL('https://example.org/rollcall/'), [], body));
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0').slice(0, -1);
}

for (const body of ['{"description": "it\'s $HOME `id` \\\\ \\n"}', '@/etc/passwd', 'two\nlines']) {
  test(`the command sends the body ${JSON.stringify(body)} unchanged`, () => {
    const seen = argumentsFor(body);
    assert.deepEqual(seen, [
      '-H', 'Content-Type: application/json', '--data-raw', body,
      'https://example.org/rollcall/api/v1/projects',
    ]);
  });
}
