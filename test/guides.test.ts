/** Readers can follow one guide alone, or all guides in the order of the page `guides/index.html`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { GUIDE_KEYS } from '../src/extras/documents/files.ts';
import { mustRun, skipWithout } from './support/commands.ts';
import { each, testUnless } from './support/each.ts';
import { storeUser } from './support/filled-file.ts';
import { generatedFiles } from './support/generated-files.ts';
import { call } from './support/http-client.ts';
import { toText } from './support/pages.ts';
import { projectFolder } from './support/project.ts';
import { createFolder, createInstallation } from './support/programs.ts';
import { readBlock } from './support/proxies.ts';
import { startService } from './support/service.ts';

const SHOWN_ADDRESS = 'http://127.0.0.1:8080';
/** Stands for the origin of the service: scheme, host and port, but no path. */
const HOST = '{host}';

const files = readdirSync(join(projectFolder, 'static/guides')).filter((name) => name !== 'index.html');
const list = generatedFiles.get('guides/index.html') ?? '';
const guides = [...list.matchAll(/<h2><a href="([\w-]+\.html)">/g)].map(([, name = '']) => name);

function findBlocks(guide: string) {
  const block = /<pre [^>]*aria-label="(\w+): ([^"]*)"\s*><code\s*>([^]*?)<\/code/g;
  return [...(generatedFiles.get(`guides/${guide}`) ?? '').matchAll(block)]
    .map(([, kind = '', label = '', code = '']) => {
      const withHost = code.replaceAll(`<span class="origin host">${SHOWN_ADDRESS}</span>`, HOST);
      return { kind, label: `${guide}: ${label}`, text: toText(withHost) };
    });
}

/** Finds commands, each with the response that the page shows below the command. */
function findExamples(guide: string) {
  const blocks = findBlocks(guide);
  return blocks.flatMap(({ kind, label, text }, index) => {
    const next = blocks[index + 1];
    const response = next?.kind === 'Response' ? next.text : undefined;
    return kind === 'Command' ? [{ label, command: text, response }] : [];
  });
}

const allExamples = guides.flatMap(findExamples);

/** Browsers silently repair a missing end tag, so tests in a browser do not find the mistake. */
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

/** Email addresses are neither verified nor unique, so a program must not identify users by email address. */
test('the guides name Remote-Email only where proxies remove it or pass it on', () => {
  const lines = files.flatMap(findBlocks).flatMap(({ label, text }) =>
    text.split('\n').map((line) => `${label}: ${line.trim()}`));
  assert.deepEqual(lines.filter((line) => /remote[-_.]?email/i.test(line)), [
    'programs.html: Git: fastcgi_param HTTP_REMOTE_EMAIL "";',
    'programs.html: nginx: auth_request_set $email $upstream_http_remote_email;',
    'programs.html: nginx: proxy_set_header Remote-Email $email;',
    'programs.html: Caddy: copy_headers Remote-User-Id Remote-User Remote-Email Remote-Groups',
  ]);
});

const VOLATILE = [
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}/g, /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /rollcall_[\w-]+/g, /(?<="last_four":)"[^"]*"/g, /(?<=^ETag:).*$/gim,
];
/** If the reader has followed other guides before, the ids are higher than on the page. */
const COUNTED = [/(?<="id":)\d+/g, /(?<=^Location:.*\/)\d+$/gim];

function toForm(response: string, parts: readonly RegExp[]) {
  const text = response.replaceAll('\r', '').replace(/,\n {2}/g, ',').replaceAll(' ', '');
  const form = parts.reduce((rest, pattern) => rest.replace(pattern, '~'), text);
  const [head = '', body = ''] = form.split(/\n\n([^]*)/);
  return { lines: head.toLowerCase().split('\n'), body: body.replaceAll('\n', '') };
}

function lifetimeOf(response: string): number {
  const dates = /"date_created": *"([^"]*)",\s*"expiration_date": *"([^"]*)"/.exec(response) ?? [];
  return Date.parse(`${dates[2]}Z`) - Date.parse(dates[1] ?? '');
}

/** An ellipsis on the page stands for any text. */
function compareResponse(real: string, shown: string, parts: readonly RegExp[], label: string): void {
  const [found, expected] = [toForm(real, parts), toForm(shown, parts)];
  assert.equal(found.lines[0], expected.lines[0], label);
  assert.deepEqual(expected.lines.filter((line) => !found.lines.includes(line)), [], label);
  const pattern = expected.body.split('…').map((text) => text.replace(/\W/g, '\\$&')).join('.*');
  assert.match(found.body, new RegExp(`^${pattern}$`), label);
  assert.equal(lifetimeOf(real), lifetimeOf(shown), label);
}

/** If a command gets several responses, the page shows only the last. The others must report success. */
async function follow(
  t: TestContext, examples: typeof allExamples, parts: readonly RegExp[],
  { isUser = false, basePath = '' },
): Promise<void> {
  const { folder, environment, start } = createInstallation(t, { BASE_PATH: basePath });
  const { port } = await start();
  const issued = isUser && await call(port, 'POST /api/v1/token', { as: storeUser(environment, 'ada') });
  const host = `http://127.0.0.1:${port}`;
  const script = [
    'set -eu -o pipefail', `token=${issued ? issued.json['token'] : ''}`,
    `curl() { local file="${folder}/$number-$(date +%s%N)"
      command curl --silent --show-error --dump-header "$file.head" "$@" > "$file.body"
      cat "$file.body"; }`,
    ...examples.map(({ command }, index) => `number=${index}\n${command}`),
  ].join('\n').replaceAll(SHOWN_ADDRESS, host + basePath).replaceAll(HOST, host);
  mustRun('bash', ['-c', script]);
  for (const [index, { label, response }] of examples.entries()) {
    const responses = readResponses(folder, index);
    if (response !== undefined) {
      compareResponse((responses.pop() ?? '').replaceAll(`${basePath}/`, '/'), response, parts, label);
    }
    responses.forEach((other) => assert.match(other, /^HTTP\/1\.1 20\d/, label));
  }
}

each('every command of the guide {0} runs, with the response that is shown', files, async (name, t) => {
  const examples = findExamples(name);
  assert.ok(examples.length > 0);
  await follow(t, examples, VOLATILE, { isUser: name !== 'signing-in.html' });
});

each('all guides run in turn for one user below "{0}", with the responses shown', [
  '', '/rollcall',
], async (basePath, t) => {
  assert.ok(allExamples.length > 30);
  await follow(t, allExamples, [...VOLATILE, ...COUNTED], { basePath });
});

const python = testUnless(skipWithout('python3'));
python.each('client.py changes only projects of its user, page by page, below "{0}", or says why not', [
  '', '/rollcall',
], async (t, basePath) => {
  const { port, register, issueToken, createProject, call: ask } = await startService(t, { basePath });
  const as = await register('ada');
  const token = (await issueToken(as)).replace('Bearer ', '');
  const names = ['engine', 'a/b c?d#e', 'ملاحظات'];
  for (const name of names) {
    await createProject(as, name);
  }
  await createProject(await register('grace'), 'of grace');
  const file = join(createFolder(t), 'client.py');
  writeFileSync(file, readBlock('Program', 'client.py', 'lists.html'));
  const run = (text: string, credentials = token) => promisify(execFile)(
    'python3', [file, `http://127.0.0.1:${port}${basePath}`, credentials, text],
    { env: { ...process.env, PYTHONIOENCODING: 'utf-8' } },
  );
  const { stdout } = await run('a new description');
  assert.equal(stdout, names.map((name) => `changed ${name}\n`).join(''));
  const { json } = await ask(`GET ${basePath}/api/v1/projects`, { as });
  const descriptions = json['projects'].map(({ description }: any) => description);
  assert.deepEqual(descriptions, [...names.map(() => 'a new description'), '']);
  await assert.rejects(run('x'.repeat(2_001)), {
    code: 1, stderr: 'The body has invalid values: "description" must be at most 2000 characters long\n',
  });
  await assert.rejects(run('x', 'rollcall_wrong'), { code: 1 });
});

test('a token that is shown ends in the last four characters that are shown', () => {
  const shown = allExamples.flatMap(({ response = '' }) =>
    [...response.matchAll(/"token": "[^"]*(.{4})"[^}]*"last_four": "([^"]+)"/g)]);
  assert.ok(shown.length > 0);
  shown.forEach(([, end, lastFour]) => assert.equal(lastFour, end));
});

test('no line of a command is too long for its place beside the button that copies it', () => {
  for (const { command, label } of allExamples) {
    const [besideButton = '', ...others] = command.replace(HOST, SHOWN_ADDRESS).split('\n');
    assert.ok(besideButton.length <= 54, label);
    assert.ok(others.every((line) => line.length <= 58), label);
  }
});

test('the list of guides leads to every guide, and every guide to the list', () => {
  assert.deepEqual(guides.toSorted(), files.toSorted());
  for (const page of GUIDE_KEYS) {
    assert.ok(generatedFiles.get(page)?.includes('<a href="./">Guides</a>'), page);
  }
});

function readResponses(folder: string, index: number): string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${index}-`) && name.endsWith('.body'));
  return files.sort().map((file) => {
    const body = readFileSync(join(folder, file), 'utf8');
    const head = readFileSync(join(folder, file.replace('.body', '.head')), 'utf8');
    // with `-i`, curl also writes the head of a response into the file of the body
    return body.startsWith('HTTP/') ? body : head + body;
  });
}
