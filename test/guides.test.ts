/**
 * The guides for users of the API: each command runs on a real server, one after the other, and has the
 * response that the page shows below it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from './support/http-client.ts';
import { projectFolder, read } from './support/pages.ts';
import { createFolder, startServer } from './support/programs.ts';
import { basic } from './support/service.ts';

const guides = readdirSync(join(projectFolder, 'static/guides')).filter((name) => name !== 'index.html');

/** A command, and the response that the page shows below it. */
interface Example {
  readonly label: string;
  readonly command: string;
  readonly response: string | undefined;
}

function findExamples(page: string): readonly Example[] {
  const block = /<pre [^>]*aria-label="(Command|Response): ([^"]*)"\s*><code\s*>([^]*?)<\/code/g;
  const blocks = [...page.matchAll(block)]
    .map(([, kind = '', label = '', code = '']) => ({ kind, label, text: toText(code) }));
  return blocks.flatMap(({ kind, label, text }, index) => {
    const next = blocks[index + 1];
    const response = next?.kind === 'Response' ? next.text : undefined;
    return kind === 'Command' ? [{ label, command: text, response }] : [];
  });
}

function toText(html: string): string {
  const text = html.replace(/<[^>]*>/g, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  return text.replaceAll('&amp;', '&');
}

/** Parts that differ from run to run. */
const VOLATILE = [
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}/g, /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /rollcall_[\w-]+/g, /(?<="last_four":")[^"]*/g, /(?<=^ETag: ).*$/gim,
];

function toForm(text: string): string {
  return VOLATILE.reduce((form, pattern) => form.replace(pattern, '…'), text);
}

/** As one text: the lines of the head that the page shows, and the body. */
function toComparable(response: string, shown: string): string {
  const unfolded = response.replaceAll('\r', '').replace(/,\n {2}/g, ', ');
  const [head = '', body = ''] = unfolded.split(/\n\n([^]*)/);
  const names = shown.split('\n\n')[0]?.match(/^[\w-]+(?=:)/gm) ?? [];
  const fields = names.map((name) => new RegExp(`^${name}: .*$`, 'im').exec(head)?.[0] ?? `no ${name}`);
  const content = body.trim().startsWith('{') ? JSON.stringify(JSON.parse(body)) : body.trim();
  return toForm([head.split('\n')[0], ...fields, content].join('\n'));
}

for (const name of guides) {
  test(`every command of the guide ${name} runs, with the response that is shown`, async (t) => {
    const folder = createFolder(t);
    const { port } = await startServer(t, { DATABASE_URL: `sqlite:${folder}/service.sqlite` });
    const token = name === 'signing-in.html' ? '' : await prepareToken(port);
    const examples = findExamples(read(`static/guides/${name}`));
    const script = [
      'set -eu -o pipefail', `token=${token}`,
      `curl() { local file="${folder}/$number-$(date +%s%N)"
        command curl --silent --show-error --dump-header "$file.head" "$@" > "$file.body"
        cat "$file.body"; }`,
      ...examples.map(({ command }, index) =>
        `number=${index}\n${command.replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${port}`)}`,
      ),
    ].join('\n');
    const options = { encoding: 'utf8', timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], options);
    assert.equal(status, 0, stderr + stdout);
    for (const [index, { label, response }] of examples.entries()) {
      const responses = readResponses(folder, index);
      const last = responses.at(-1) ?? '';
      for (const other of response === undefined ? responses : responses.slice(0, -1)) {
        assert.match(other, /^HTTP\/1\.1 20\d/, label);
      }
      if (response !== undefined) {
        assert.equal(toComparable(last, response), toComparable(response, response), label);
      }
    }
  });
}

test('every guide but that of the console has commands', () => {
  const without = guides.filter((name) => findExamples(read(`static/guides/${name}`)).length === 0);
  assert.deepEqual(without, ['console.html']);
});

test('the list of guides, the landing page and every guide lead to every guide', () => {
  for (const page of ['guides/index.html', ...guides.map((name) => `guides/${name}`)]) {
    const text = read(`static/${page}`);
    assert.deepEqual(guides.filter((name) => !text.includes(`href="${name}"`)), [], page);
  }
  const landing = read('static/index.html');
  assert.deepEqual(guides.filter((name) => !landing.includes(`href="guides/${name}"`)), []);
});

/** The responses to the requests of a command, in their order. */
function readResponses(folder: string, index: number): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${index}-`) && name.endsWith('.body'));
  return files.sort().map((file) => {
    const body = readFileSync(join(folder, file), 'utf8');
    const head = readFileSync(join(folder, file.replace('.body', '.head')), 'utf8');
    return body.startsWith('HTTP/') ? body : head + body; // with -i, curl writes the head to both
  });
}

/** Registers Ada. @returns A token of hers. */
async function prepareToken(port: number): Promise<string> {
  const json = { username: 'ada', email: 'ada@example.org', password: 'a password' };
  await call(port, 'POST /api/v1/users', { json });
  const issued = await call(port, 'POST /api/v1/token?expiration=3600', { as: basic('ada', json.password) });
  return issued.json['token'];
}
