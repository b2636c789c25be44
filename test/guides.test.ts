/**
 * Tests the guides for users of the API. Each command of a guide runs on a real server, and gets the response
 * that the page shows below the command. A reader may follow one guide, or all of them in the order of the
 * list.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GUIDE_KEYS } from '../src/extras/documents/files.ts';
import { generatedFiles } from './support/generated-files.ts';
import { call } from './support/http-client.ts';
import { projectFolder } from './support/project.ts';
import { createFolder, startServer } from './support/programs.ts';
import { storeUser } from './support/stored-user.ts';

const files = readdirSync(join(projectFolder, 'static/guides')).filter((name) => name !== 'index.html');
/** The guides, in the order of the list of guides. */
const list = generatedFiles.get('guides/index.html') ?? '';
const guides = [...list.matchAll(/<h2><a href="([\w-]+\.html)">/g)].map(([, name = '']) => name);

/** A command, and the response that the page shows below the command. */
interface Example {
  readonly label: string;
  readonly command: string;
  readonly response: string | undefined;
}

/** @param page - The path of the page below `static/`. */
function findExamples(page: string): readonly Example[] {
  const block = /<pre [^>]*aria-label="(Command|Response): ([^"]*)"\s*><code\s*>([^]*?)<\/code/g;
  const blocks = [...(generatedFiles.get(page) ?? '').matchAll(block)]
    .map(([, kind = '', label = '', code = '']) => (
      { kind, label: `${page}: ${label}`, text: toText(code) }
    ));
  return blocks.flatMap(({ kind, label, text }, index) => {
    const next = blocks[index + 1];
    const response = next?.kind === 'Response' ? next.text : undefined;
    return kind === 'Command' ? [{ label, command: text, response }] : [];
  });
}

const SHOWN_ADDRESS = 'http://127.0.0.1:8080';
const HOST = '{host}';

/**
 * Removes the markup of a page. `HOST` marks an address that the script of the page replaces by only the
 * host.
 */
function toText(html: string): string {
  const withHost = html.replaceAll(`<span class="origin host">${SHOWN_ADDRESS}</span>`, HOST);
  const text = withHost.replace(/<[^>]*>/g, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  return text.replaceAll('&amp;', '&');
}

/** This test is needed because a browser silently repairs a missing end tag. */
test('in every page, each block that is opened is closed', () => {
  const pages = [...generatedFiles].filter(([key]) => key.endsWith('.html'));
  for (const [key, page] of pages) {
    for (const tag of ['div', 'section', 'table', 'pre', 'code', 'h2', 'h3', 'p', 'ul', 'main']) {
      const [opened, closed] = [`<${tag}[ >\\s]`, `</${tag}\\s*>`]
        .map((pattern) => page.match(new RegExp(pattern, 'g'))?.length ?? 0);
      assert.equal(closed, opened, `${tag} in ${key}`);
    }
  }
  assert.ok(pages.length > 5);
});

/**
 * An email address is chosen by the user. It is neither verified nor unique, so a program must not identify a
 * user by it.
 */
test('the guides name Remote-Email only where proxies remove it or pass it on', () => {
  const block = /<pre [^>]*aria-label="([^"]*)"\s*><code\s*>([^]*?)<\/code/g;
  const lines = files.flatMap((file) => [...(generatedFiles.get(`guides/${file}`) ?? '').matchAll(block)])
    .flatMap(([, label = '', code = '']) => code.split('\n').map((line) => `${label}: ${line.trim()}`));
  assert.deepEqual(lines.filter((line) => /remote[-_.]?email/i.test(line)), [
    'Configuration: Git: fastcgi_param HTTP_REMOTE_EMAIL "";',
    'Configuration: nginx: auth_request_set $email $upstream_http_remote_email;',
    'Configuration: nginx: proxy_set_header Remote-Email $email;',
    'Configuration: Caddy: copy_headers Remote-User-Id Remote-User Remote-Email Remote-Groups',
  ]);
});

/** Matches the parts of a response that differ from run to run. */
const VOLATILE = [
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}/g, /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /rollcall_[\w-]+/g, /(?<="last_four":")[^"]*/g, /(?<=^ETag: ).*$/gim,
];
/** Matches the parts of a response that differ if the reader has followed other guides before. */
const COUNTED = [/(?<="id":)\d+/g, /(?<=^Location: .*\/)\d+$/gim];

function toForm(text: string, parts: readonly RegExp[]): string {
  return parts.reduce((form, pattern) => form.replace(pattern, '…'), text);
}

/** Joins the header lines that the page shows, the body, and the lifetime of a token in the body. */
function toComparable(response: string, shown: string, parts: readonly RegExp[]): string {
  const [head = '', body = ''] = splitResponse(response);
  const [shownHead = '', shownBody = ''] = splitResponse(shown);
  const names = shownHead.match(/^[\w-]+(?=:)/gm) ?? [];
  const fields = names.map((name) => new RegExp(`^${name}: .*$`, 'im').exec(head)?.[0] ?? `no ${name}`);
  const json = parseJson(body);
  const content = json === undefined ? body.trim() : JSON.stringify(pick(json, parseJson(shownBody)));
  const token = json?.token?.expiration_date === undefined ? json : json.token;
  const validMs = Date.parse(`${token?.expiration_date}Z`) - Date.parse(token?.date_created);
  return toForm([head.split('\n')[0], ...fields, content, validMs].join('\n'), parts);
}

function splitResponse(response: string): readonly string[] {
  return response.replaceAll('\r', '').replace(/,\n {2}/g, ', ').split(/\n\n([^]*)/);
}

/** In the JSON of a page, an ellipsis replaces members that the page does not show. */
const ELLIPSIS = '…';

function parseJson(body: string) {
  const text = body.trim().replaceAll(ELLIPSIS, `"${ELLIPSIS}": 0`);
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

/** Removes the members that the page replaces by an ellipsis. */
function pick(real: unknown, shown: unknown): unknown {
  if (Array.isArray(real) && Array.isArray(shown)) {
    return real.map((member, index) => pick(member, shown[index]));
  }
  if (!isObject(real) || !isObject(shown)) {
    return real;
  }
  const names = Object.keys(ELLIPSIS in shown ? shown : real);
  return Object.fromEntries(names.map((name) => (
    [name, name === ELLIPSIS ? 0 : pick(real[name], shown[name])]
  )));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

interface Run {
  readonly token?: string;
  readonly basePath?: string;
}

/** Runs the commands one after the other in one shell. @returns The responses to each command. */
async function runAll(
  t: TestContext, port: number, examples: readonly Example[], { token = '', basePath = '' }: Run = {},
): Promise<readonly (readonly string[])[]> {
  const folder = createFolder(t);
  const host = `http://127.0.0.1:${port}`;
  const toReal = (command: string) =>
    command.replaceAll(SHOWN_ADDRESS, host + basePath).replaceAll(HOST, host);
  const script = [
    'set -eu -o pipefail', `token=${token}`,
    `curl() { local file="${folder}/$number-$(date +%s%N)"
      command curl --silent --show-error --dump-header "$file.head" "$@" > "$file.body"
      cat "$file.body"; }`,
    ...examples.map(({ command }, index) => `number=${index}\n${toReal(command)}`),
  ].join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr + stdout);
  return examples.map((_, index) => readResponses(folder, index));
}

/** A page shows only the last response to a command. All earlier responses must be successes. */
function compare(
  examples: readonly Example[], answers: readonly (readonly string[])[], parts: readonly RegExp[],
): void {
  for (const [index, { label, response }] of examples.entries()) {
    const responses = answers[index] ?? [];
    for (const other of response === undefined ? responses : responses.slice(0, -1)) {
      assert.match(other, /^HTTP\/1\.1 20\d/, label);
    }
    if (response !== undefined) {
      const real = toComparable(responses.at(-1) ?? '', response, parts);
      assert.equal(real, toComparable(response, response, parts), label);
    }
  }
}

for (const name of files) {
  test(`every command of the guide ${name} runs, with the response that is shown`, async (t) => {
    const environment = { DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite` };
    const { port } = await startServer(t, environment);
    const token = name === 'signing-in.html' ? '' : await prepareToken(environment, port);
    const examples = findExamples(`guides/${name}`);
    compare(examples, await runAll(t, port, examples, { token }), VOLATILE);
  });
}

test('all guides run one after the other for one user, with the responses that are shown', async (t) => {
  const { port } = await startServer(t, { DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite` });
  const examples = guides.flatMap((name) => findExamples(`guides/${name}`));
  assert.ok(examples.length > 30);
  compare(examples, await runAll(t, port, examples), [...VOLATILE, ...COUNTED]);
});

test('all guides run also below a prefix', async (t) => {
  const basePath = '/rollcall';
  const { port } = await startServer(t, {
    DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, BASE_PATH: basePath,
  });
  const examples = guides.flatMap((name) => findExamples(`guides/${name}`));
  const toStatusLine = (response: string) => response.split(/\r?\n/)[0] ?? '';
  const shown = examples.map((example) => (
    { ...example, ...(example.response !== undefined && { response: toStatusLine(example.response) }) }
  ));
  const answers = await runAll(t, port, examples, { basePath });
  compare(shown, answers.map((responses) => responses.map(toStatusLine)), []);
});

test('a token that is shown ends in the last four characters that are shown', () => {
  const shown = guides.flatMap((name) => findExamples(`guides/${name}`))
    .map(({ response = '' }) => /"token": "([^"]+)"[^]*"last_four": "([^"]+)"/.exec(response) ?? [])
    .filter(({ length }) => length > 0);
  assert.ok(shown.length > 0);
  assert.deepEqual(shown.map(([, , lastFour]) => lastFour), shown.map(([, token]) => token?.slice(-4)));
});

test('no line of a command is too long for its place beside the button that copies it', () => {
  const commands = guides.flatMap((name) => findExamples(`guides/${name}`))
    .map(({ command }) => command.replace(HOST, SHOWN_ADDRESS).split('\n'));
  assert.deepEqual(commands.flat().filter((line) => line.length > 58), []);
  const besideButton = commands.map(([line = '']) => line);
  assert.deepEqual(besideButton.filter((line) => line.length > 54), []);
});

test('every guide has commands', () => {
  const without = files.filter((name) => findExamples(`guides/${name}`).length === 0);
  assert.deepEqual(without, []);
});

test('the list of guides leads to every guide, and every guide to the list', () => {
  assert.deepEqual(guides.toSorted(), files.toSorted());
  for (const page of GUIDE_KEYS) {
    assert.ok(generatedFiles.get(page)?.includes('<a href="./">Guides</a>'), page);
  }
});

/** Reads the responses to the requests of a command, in the order of the requests. */
function readResponses(folder: string, index: number): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${index}-`) && name.endsWith('.body'));
  return files.sort().map((file) => {
    const body = readFileSync(join(folder, file), 'utf8');
    const head = readFileSync(join(folder, file.replace('.body', '.head')), 'utf8');
    return body.startsWith('HTTP/') ? body : head + body; // with -i, curl writes the head into both files
  });
}

/** Registers the user ada. @returns A token of ada. */
async function prepareToken(environment: { readonly DATABASE_URL: string }, port: number): Promise<string> {
  const as = storeUser(environment, 'ada');
  const issued = await call(port, 'POST /api/v1/token?expiration=3600', { as });
  return issued.json['token'];
}
