import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { answerStatic, loadStaticFiles, type StaticFile } from '../../src/http/static-files.ts';

const script = 'console.log("Rollcall");\n'.repeat(40);

/** A folder, a second folder next to it, and links from the first to the second. */
async function createRoot(context: TestContext) {
  const folder = await createFolder(context, {
    'outside/secret.txt': 'secret',
    'root/index.html': 'home',
    'root/myindex.html': 'not an index',
    'root/css/site.css': 'style',
    'root/css/.hidden/site.css': 'secret',
    'root/docs/index.html': 'docs',
    'root/docs/deep/er/note.txt': 'note',
    'root/100% sure?.txt': 'odd name',
    'root/..double': 'two dots',
    'root/css/...triple': 'three dots',
    'root/..hidden/site.css': 'secret',
    'root/.env': 'secret',
    'root/.git/config': 'secret',
  });
  await symlink('../outside/secret.txt', join(folder, 'root/link.txt'));
  await symlink('../outside', join(folder, 'root/linked'));
  await symlink('nowhere', join(folder, 'root/dangling.txt'));
  return join(folder, 'root');
}

for (const [key, expected] of [
  ['index.html', 'home'],
  ['', 'home'],
  ['css/site.css', 'style'],
  ['docs/index.html', 'docs'],
  ['docs/', 'docs'],
  ['docs/deep/er/note.txt', 'note'],
  ['100% sure?.txt', 'odd name'],
  ['myindex.html', 'not an index'],
  ['..double', 'two dots'],
  ['css/...triple', 'three dots'],
] as const) {
  test(`The key ${JSON.stringify(key)} finds ${expected}`, async (context) => {
    const file = (await loadStaticFiles(await createRoot(context))).get(key);
    assert.equal(file?.identity.body.toString(), expected);
  });
}

test('Hidden, linked, outside or differently spelled files are not found', async (context) => {
  const files = await loadStaticFiles(await createRoot(context));
  const keys = [
    ...['docs', 'css/', 'docs/deep/', 'my', '/', '/index.html', 'INDEX.html', 'index.html\0'],
    ...['css//site.css', 'css\\site.css', './index.html', 'docs/../index.html', '%69ndex.html'],
    ...['..', '../outside/secret.txt', '..\\outside\\secret.txt', '__proto__', 'constructor'],
    ...['.env', '.git/config', 'css/.hidden/site.css', '..hidden/site.css'],
    ...['link.txt', 'dangling.txt', 'linked', 'linked/', 'linked/secret.txt'],
  ];
  assert.deepEqual(keys.filter((key) => files.get(key) !== undefined), []);
});

test('Generated files are found like files of the folder, and so is a generated index', async (context) => {
  const files = await loadStaticFiles(
    await createRoot(context), new Map([['made/index.html', 'made'], ['made/a.txt', 'text']]),
  );
  for (const [key, expected] of [
    ['made/index.html', 'made'], ['made/', 'made'], ['made/a.txt', 'text'], ['docs/', 'docs'],
  ] as const) {
    assert.equal(files.get(key)?.identity.body.toString(), expected);
  }
  assert.match(
    String(files.get('made/')?.identity.headers['Content-Security-Policy']), /default-src 'none'/,
  );
});

test('A file with a frame is served inside it', async (context) => {
  const frames = new Map([['docs/index.html', (text: string) => `<${text}>`]]);
  const files = await loadStaticFiles(await createRoot(context), new Map(), frames);
  for (const key of ['docs/index.html', 'docs/']) {
    assert.equal(files.get(key)?.identity.body.toString(), '<docs>');
  }
});

test('A file that is both in the folder and generated is refused', async (context) => {
  const loading = loadStaticFiles(await createRoot(context), new Map([['css/site.css', 'made']]));
  await assert.rejects(loading, /it contains "css\/site.css", which the service generates/);
});

test('The folder itself may be a symbolic link', async (context) => {
  const folder = await createFolder(context, { 'real/a.txt': 'a' });
  await symlink('real', join(folder, 'link'));
  assert.ok((await loadStaticFiles(join(folder, 'link'))).get('a.txt'));
});

for (const [what, name, code] of [
  ['An absent folder', 'absent', 'ENOENT'],
  ['A file in place of the folder', 'file.txt', 'ENOTDIR'],
] as const) {
  test(`${what} makes the start fail with its path and ${code}`, async (context) => {
    const path = join(await createFolder(context, { 'file.txt': '' }), name);
    await assert.rejects(loadStaticFiles(path), ({ message, cause }: Error) => {
      assert.ok(message.startsWith(`Cannot load the static folder "${path}": ${code}`));
      return cause instanceof Error;
    });
  });
}

test('Files of 64 MiB in total are served; with one byte more the start fails', async (context) => {
  const folder = await createFolder(context, { 'a.bin': '', 'b.bin': '' });
  await truncate(join(folder, 'a.bin'), 64 * 1024 * 1024 - 1);
  await truncate(join(folder, 'b.bin'), 1);
  assert.ok((await loadStaticFiles(folder)).get('b.bin'));
  await truncate(join(folder, 'b.bin'), 2);
  await assert.rejects(loadStaticFiles(folder), /holds 67108865 bytes, expected at most 67108864/);
});

test('2000 files and folders are served; with one more the start fails', async (context) => {
  const folder = await createFolder(context, { 'folder/file': '' });
  const names = Array.from({ length: 1998 }, (_, index) => join(folder, `${index}`));
  await Promise.all(names.map((name) => writeFile(name, '')));
  assert.ok((await loadStaticFiles(folder)).get('folder/file'));
  await mkdir(join(folder, 'folder/another'));
  await assert.rejects(loadStaticFiles(folder), /holds more than 2000 files and folders/);
});

test('A script is sent with exactly these fields', async (context) => {
  const answer = await serve(context, 'app.js', {});
  assert.ok(answer.status === 200);
  const { ETag: tag, ...others } = answer.headers;
  assert.match(tag ?? '', /^"[\w-]{43}"$/);
  assert.deepEqual(others, {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'no-cache',
    'Content-Type': 'text/javascript; charset=utf-8',
    Vary: 'Accept-Encoding',
  });
});

for (const [coding, decode] of [['br', brotliDecompressSync], ['gzip', gunzipSync]] as const) {
  test(`A script requested in ${coding} names its coding, and decodes to the original`, async (context) => {
    const answer = await serve(context, 'app.js', { 'accept-encoding': coding });
    assert.ok(answer.status === 200);
    assert.equal(decode(answer.body).toString(), script);
    assert.equal(answer.headers['Content-Encoding'], coding);
    assert.equal(answer.headers['Vary'], 'Accept-Encoding');
  });
}

test('Each coding of a file has its own tag, which stays the same after a restart', async (context) => {
  const folder = await createFolder(context, { 'app.js': script });
  const tagsOf = (file: StaticFile | undefined) =>
    file === undefined ? [] : [file.identity.tag, ...file.coded.map(({ tag }) => tag)];
  const tags = tagsOf((await loadStaticFiles(folder)).get('app.js'));
  assert.equal(new Set(tags).size, 3);
  assert.deepEqual(tagsOf((await loadStaticFiles(folder)).get('app.js')), tags);
});

test('A file of a compressed type is sent unchanged to every client', async (context) => {
  const answer = await serve(context, 'photo.png', { 'accept-encoding': 'br, gzip' });
  assert.ok(answer.status === 200);
  assert.equal(answer.body.toString(), script);
  assert.ok(!('Content-Encoding' in answer.headers || 'Vary' in answer.headers));
});

for (const name of ['page.html', 'logo.svg'] as const) {
  test(`Every response for "${name}" restricts the page to its own origin`, async (context) => {
    const file = await createFile(context, name);
    for (const form of [file.identity, ...file.coded]) {
      for (const headers of [form.headers, form.headersWithoutContent]) {
        const policy = headers['Content-Security-Policy'] ?? '';
        assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
        assert.match(policy, /; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; /);
        assert.match(policy, /; require-trusted-types-for 'script'; trusted-types 'none'$/);
        assert.doesNotMatch(policy, /unsafe|\*/);
        assert.equal(headers['Referrer-Policy'], 'no-referrer');
        assert.equal(headers['Cross-Origin-Opener-Policy'], 'same-origin');
      }
    }
  });
}

test('The response to a range has exactly its bytes, and their position', async (context) => {
  const file = await createFile(context, 'digits.bin');
  const answer = answerStatic(file, get({ range: 'bytes=3-6' }));
  assert.ok(answer.status === 206);
  assert.equal(answer.body.toString(), '3456');
  assert.deepEqual(answer.headers, { ...file.identity.headers, 'Content-Range': 'bytes 3-6/10' });
});

test('A range past the end is unsatisfiable, and the response gives the size', async (context) => {
  const answer = await serve(context, 'digits.bin', { range: 'bytes=10-' });
  assert.deepEqual(answer, { status: 416, sizeBytes: 10 });
});

test('A range counts uncoded bytes, even if the client accepts a coding', async (context) => {
  const answer = await serve(context, 'app.js', { range: 'bytes=0-10', 'accept-encoding': 'br' });
  assert.ok(answer.status === 206);
  assert.equal(answer.body.toString(), 'console.log');
  assert.equal(answer.headers['Content-Encoding'], undefined);
});

test('HEAD ignores Range', async (context) => {
  const file = await createFile(context, 'app.js');
  const headers = { range: 'bytes=9999-', 'accept-encoding': 'br' };
  const answer = answerStatic(file, { method: 'HEAD', headers });
  assert.ok(answer.status === 200);
  assert.equal(answer.headers['Content-Encoding'], 'br');
});

for (const [what, tagOf, expected] of [
  ['its current tag', (file: StaticFile) => file.identity.tag, 206],
  ['the tag of a coded form', (file: StaticFile) => file.coded[0]?.tag, 200],
] as const) {
  test(`A range with ${what} in If-Range is answered with ${expected}`, async (context) => {
    const file = await createFile(context, 'app.js');
    const headers = { range: 'bytes=0-0', 'if-range': tagOf(file) };
    assert.equal(answerStatic(file, get(headers)).status, expected);
  });
}

test('A client that has the file gets 304 with the fields that its cache needs', async (context) => {
  const file = await createFile(context, 'app.js');
  const { tag } = file.identity;
  const headers = { 'Cache-Control': 'no-cache', ETag: tag, Vary: 'Accept-Encoding' };
  const answer = answerStatic(file, get({ 'if-none-match': tag }));
  assert.deepEqual(answer, { status: 304, headers, body: '' });
});

for (const [acceptEncoding, expected] of [['br', 304], ['gzip', 200]] as const) {
  test(`A client with the br form that accepts ${acceptEncoding} gets ${expected}`, async (context) => {
    const file = await createFile(context, 'app.js');
    assert.ok(file.coded[0]?.coding === 'br');
    const headers = { 'if-none-match': file.coded[0].tag, 'accept-encoding': acceptEncoding };
    assert.equal(answerStatic(file, get(headers)).status, expected);
  });
}

for (const [headers, expected] of [
  [{ 'if-match': '"other"', range: 'bytes=0-0' }, 412],
  [{ 'if-match': '*', range: 'bytes=0-0' }, 206],
  [{ 'if-none-match': '*', range: 'bytes=99-' }, 304],
  [{ 'if-none-match': '"other"', range: 'bytes=99-' }, 416],
  [{ 'if-range': '"other"', range: 'bytes=99-' }, 200],
] as const) {
  test(`GET of ten bytes with ${JSON.stringify(headers)} is ${expected}`, async (context) => {
    assert.equal((await serve(context, 'digits.bin', headers)).status, expected);
  });
}

function get(headers: IncomingHttpHeaders) {
  return { method: 'GET', headers };
}

/** Creates a folder with one file in it and answers a GET of that file. */
async function serve(context: TestContext, name: string, headers: IncomingHttpHeaders) {
  return answerStatic(await createFile(context, name), get(headers));
}

async function createFile(context: TestContext, name: string) {
  const content = name === 'digits.bin' ? '0123456789' : script;
  const files = await loadStaticFiles(await createFolder(context, { [name]: content }));
  const file = files.get(name);
  assert.ok(file);
  return file;
}

async function createFolder(context: TestContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'static-files-'));
  context.after(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}
