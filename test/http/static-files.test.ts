import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { loadStaticFiles, type GeneratedFiles } from '../../src/http/static-files.ts';
import { createOperations } from '../../src/core.ts';
import { startCore } from '../support/core.ts';
import { starting } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';

type Fields = Readonly<Record<string, string>>;

const script = 'console.log("Rollcall");\n'.repeat(40);
const digits = '0123456789';

const TYPES: Fields = {
  'index.html': 'text/html; charset=utf-8', 'css/site.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8', 'app.mjs': 'text/javascript; charset=utf-8',
  'notes.txt': 'text/plain; charset=utf-8', 'data.json': 'application/json', 'logo.svg': 'image/svg+xml',
  'photo.png': 'image/png', 'PHOTO.PNG': 'image/png', 'font.woff2': 'font/woff2',
  'archive.tar.gz': 'application/gzip', 'page.html.bak': 'application/octet-stream',
  'html': 'application/octet-stream', 'v1.html/readme': 'application/octet-stream',
  'name.': 'application/octet-stream', 'name.constructor': 'application/octet-stream',
};

const FILES: Fields = {
  ...Object.fromEntries(Object.keys(TYPES).map((name) => [name, script])),
  'page.html': script, 'page.xhtml': script, 'feed.xml': script,
  'short.txt': 'x', 'empty.txt': '', 'a.bin': digits,
  'index.html': 'home', 'myindex.html': 'not an index', 'docs/index.html': 'docs',
  'css/site.css': 'style', 'css/.hidden/site.css': 'secret', 'docs/deep/er/note.txt': 'note',
  '100% sure?.txt': 'odd name', '..double': 'two dots', 'css/...triple': 'three dots',
  '.env': 'secret', '.git/config': 'secret', '../outside/secret.txt': 'secret',
};

/** The folder has files, and links that lead outside. @returns A symbolic link to the folder. */
function createRoot(context: TestContext): string {
  const folder = createFolder(context);
  for (const [path, content] of Object.entries(FILES)) {
    const file = join(folder, 'root', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  symlinkSync('../outside/secret.txt', join(folder, 'root/link.txt'));
  symlinkSync('../outside', join(folder, 'root/linked'));
  symlinkSync('nowhere', join(folder, 'root/dangling.txt'));
  symlinkSync('root', join(folder, 'entry'));
  return join(folder, 'entry');
}

async function serve(context: TestContext, generated?: GeneratedFiles) {
  const staticFiles = loadStaticFiles(createRoot(context), generated);
  const { call } = await startCore(context, {
    addExtras: async ({ config }) => ({ operations: createOperations(config), staticFiles }),
  });
  return (path: string, headers: Fields = {}, method = 'GET') =>
    call(`${method} /static/${path}`, { headers });
}

const serving = starting(serve);

// spec 1-6, 4.11-1, 4.11-2
serving('Files are found by their exact paths, and an index by the path of its folder', async (get) => {
  for (const [path, expected] of [
    ['index.html', 'home'], ['', 'home'], ['css/site.css', 'style'], ['docs/index.html', 'docs'],
    ['docs/', 'docs'], ['docs/deep/er/note.txt', 'note'], ['100%25%20sure%3F.txt', 'odd name'],
    ['myindex.html', 'not an index'], ['..double', 'two dots'], ['css/...triple', 'three dots'],
  ] as const) {
    assert.equal((await get(path)).text, expected, path);
  }
});

serving('The name of a file decides its type, and no type is guessed', async (get) => {
  for (const [name, type] of Object.entries(TYPES)) {
    assert.equal((await get(name)).headers['content-type'], type, name);
  }
});

serving('Hidden, linked, outside or differently spelled files are 404', async (get) => {
  for (const path of [
    ...['docs', 'css/', 'docs/deep/', 'my', '/', '/index.html', 'INDEX.html', 'index.html%00'],
    ...['css//site.css', 'css%5Csite.css', './index.html', 'docs/../index.html', '%2569ndex.html'],
    ...['..', '../outside/secret.txt', '..%5Coutside%5Csecret.txt', '__proto__', 'constructor'],
    ...['%2e%2e/outside/secret.txt', '%2e%2e%2foutside%2fsecret.txt', '..\\outside\\secret.txt'],
    ...['%252e%252e/outside/secret.txt', '....//outside/secret.txt', 'css/../../outside/secret.txt'],
    ...['/etc/passwd', '%2fetc%2fpasswd', 'css/.hidden', 'index.html/', 'index.html%00.css'],
    ...['.env', '.git/config', 'css/.hidden/site.css'],
    ...['link.txt', 'dangling.txt', 'linked', 'linked/', 'linked/secret.txt'],
    ...['%', '%c0%ae%c0%ae/outside/secret.txt', '%u002e%u002e/outside/secret.txt'], // malformed: 400
  ]) {
    const { status, headers } = await get(path);
    assert.equal(status, /%($|c0|u)/.test(path) ? 400 : 404, path);
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8', path);
  }
});

test('Generated files are made once, when first asked for, maybe from other files', async (context) => {
  const made: string[] = [];
  const generate = async (key: string, read: (key: string) => string) => {
    made.push(key);
    assert.notEqual(key, 'broken.html');
    return `${key} of "${read(key)}"${script}`;
  };
  const keys = ['made/index.html', 'a.txt', 'docs/index.html', 'broken.html'];
  const get = await serve(context, { keys, generate });
  assert.equal((await get('')).text, 'home');
  assert.deepEqual(made, []);
  for (const [path, expected] of [
    ['made/index.html', 'made/index.html of ""'], ['made/', 'made/index.html of ""'],
    ['a.txt', 'a.txt of ""'], ['docs/', 'docs/index.html of "docs"'],
  ] as const) {
    const [plain, coded] = await Promise.all([get(path), get(path, { 'Accept-Encoding': 'gzip' })]);
    const text = expected + script;
    assert.deepEqual([plain.text, gunzipSync(coded.bytes).toString()], [text, text]);
    assert.equal((await get(path, { 'If-None-Match': String(plain.headers.etag) })).status, 304);
  }
  assert.deepEqual(made, ['made/index.html', 'a.txt', 'docs/index.html']);
  assert.deepEqual([(await get('broken.html')).status, (await get('docs/')).status], [500, 200]);
});

serving('Each form of a script has its own tag; 304 has only what a cache needs', async (get, t) => {
  const tags: (string | undefined)[] = [];
  for (const getAgain of [get, await serve(t)]) {
    for (const coding of ['identity', 'gzip']) {
      const { headers } = await getAgain('app.js', { 'Accept-Encoding': coding });
      assert.deepEqual(
        [headers['accept-ranges'], headers['cache-control'], headers['content-type'], headers.vary],
        ['bytes', 'no-cache', 'text/javascript; charset=utf-8', 'Accept-Encoding'],
      );
      assert.match(headers.etag ?? '', /^"[\w-]{43}"$/);
      assert.equal(headers['content-security-policy'], undefined);
      tags.push(headers.etag);
    }
    // The entity tag of the compressed form matches only for a client that accepts gzip.
    const gzip = { 'If-None-Match': tags[1] ?? '', 'Accept-Encoding': 'gzip' };
    const { status, headers } = await getAgain('app.js', gzip);
    assert.deepEqual(
      [status, headers['cache-control'], headers.etag, headers.vary],
      [304, 'no-cache', tags[1], 'Accept-Encoding'],
    );
    assert.ok(!Object.keys(headers).some((name) => /^(content-|accept-ranges)/.test(name)));
    assert.equal((await getAgain('app.js', { ...gzip, 'Accept-Encoding': 'br' })).status, 200);
  }
  assert.notEqual(tags[0], tags[1]);
  assert.deepEqual(tags.slice(2), tags.slice(0, 2)); // a restart does not change the entity tags
});

serving('Only clients that accept gzip get the compressed form, and only of a long file', async (get) => {
  for (const [coding, ...fields] of [
    ['gzip', 'gzip', 'GZIP', 'gzip, deflate, br, zstd', 'br;q=1.0,gzip;q=0.8', 'deflate , gzip ; q=0.001',
      ', ,gzip,,', 'x-gzip'],
    [undefined, undefined, '', 'gzip;q=0', 'br, gzip ; Q=0.000 , deflate', 'br, deflate', '*', 'identity;q=0',
      'gzippy', 'not-gzip'],
  ] as const) {
    for (const field of fields) {
      const { headers, bytes } = await get('app.js', field === undefined ? {} : { 'Accept-Encoding': field });
      assert.equal(headers['content-encoding'], coding, String(field));
      assert.equal((coding === 'gzip' ? gunzipSync(bytes) : bytes).toString(), script);
    }
  }
  for (const [name, content] of [['short.txt', 'x'], ['empty.txt', '']] as const) {
    const { headers, text } = await get(name, { 'Accept-Encoding': 'gzip' });
    assert.equal(text, content);
    assert.ok(!('content-encoding' in headers || 'vary' in headers));
  }
});

serving.each('Every response for "{0}" restricts the page to its own origin', [
  'page.html', 'page.xhtml', 'feed.xml', 'logo.svg',
], async (get, name) => {
  const { headers: { etag = '' } } = await get(name);
  for (const [fields, expected] of [
    [{}, 200], [{ 'Accept-Encoding': 'gzip' }, 200], [{ 'If-None-Match': etag }, 304],
    [{ 'Range': 'bytes=0-9' }, 206],
  ] as const) {
    const { status, headers } = await get(name, fields as Fields);
    const policy = String(headers['content-security-policy']);
    assert.equal(status, expected);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.match(policy, /; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; /);
    assert.match(policy, /; require-trusted-types-for 'script'; trusted-types 'none'$/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  }
});

const huge = '9'.repeat(400);

serving('One well-formed range gets its bytes, or 416 if it has none; others are ignored', async (get) => {
  for (const [status, content, contentRange, name, ...ranges] of [
    [206, '0', 'bytes 0-0/10', 'a.bin', 'bytes=0-0', 'BYTES=0-0'],
    [206, '3456', 'bytes 3-6/10', 'a.bin', 'bytes=3-6', 'bytes=003-006'],
    [206, '9', 'bytes 9-9/10', 'a.bin', 'bytes=9-10', 'bytes=9-', 'bytes=-1'],
    [206, '123456789', 'bytes 1-9/10', 'a.bin', `bytes=1-${huge}`],
    [206, digits, 'bytes 0-9/10', 'a.bin', 'bytes=0-9', 'bytes=0-', 'bytes=-11',
      'bytes=0-9007199254740993', `bytes=-${huge}`],
    [416, undefined, 'bytes */10', 'a.bin', 'bytes=10-', 'bytes=10-10', 'bytes=-0',
      'bytes=9007199254740993-', `bytes=${huge}-`],
    [200, digits, undefined, 'a.bin', '', 'bytes=4-3', 'bytes=11-10', 'lines=0-0', 'bytes=', 'bytes=-',
      'bytes=5', 'bytes=0--1', 'bytes=+1-2', 'bytes=0x1-2', 'bytes= 0-0', '0-0', 'bytes=0-0,2-2',
      `bytes=${Array(1300).fill('0-').join(',')}`],
    [206, 'console.log', 'bytes 0-10/1000', 'app.js', 'bytes=0-10'], // a range of the uncompressed file
    [200, '', undefined, 'empty.txt', 'bytes=0-', 'bytes=0-0', 'bytes=-1'],
  ] as const) {
    for (const range of ranges) {
      const { headers, status: found, text } = await get(name, { 'Range': range, 'Accept-Encoding': 'gzip' });
      assert.deepEqual([found, headers['content-range']], [status, contentRange], range);
      assert.ok(content === undefined || text === content, range);
      assert.equal(headers['content-encoding'], undefined);
    }
  }
});

serving('If-Match is a strong comparison, and If-None-Match a weak one', async (get) => {
  const tag = (await get('a.bin')).headers.etag?.slice(1, -1) ?? '';
  // The tag `a` in a list stands for the entity tag of the file.
  for (const [strong, weak, ...lists] of [
    // A list of entity tags can have empty elements. A comma inside the quotes of a tag belongs to the tag.
    [200, 304, '*', '"a"', '"b", "a"', '"a","b"', '"b"\t,\t"c" , "a"', ', ,"a",, ', '"b,", "a"',
      '"\u00e9", "", "a"', 'W/"a", "a"'],
    [412, 304, 'W/"a"', 'W/"b", W/"a"'],
    [412, 200, '"b"', '""', '"b", "c"', '"x,"a","y"', '"a,b"', '"W/a"',
      // A malformed list matches nothing, even if some elements are well-formed.
      '', 'a', '"a', 'a"', "'a'", '"b" "a"', '"a", b', '"a", *', '*, "a"', 'w/"a"', 'W/ "a"', '"a b", "a"'],
  ] as const) {
    for (const list of lists.map((text) => text.replace(/\ba\b/g, tag))) {
      assert.equal((await get('a.bin', { 'If-Match': list })).status, strong, list);
      assert.equal((await get('a.bin', { 'If-None-Match': list })).status, weak, list);
    }
  }
  assert.equal((await get('a.bin', { 'If-None-Match': `"${tag.toUpperCase()}"` })).status, 200);
});

serving.each('50 requests with a long If-None-Match of {0} take a second of CPU at most', [
  '"b",', '"b', ',',
], async (get, field) => {
  const list = `${field.repeat(15_000 / field.length)}b`;
  const before = process.cpuUsage();
  for (let count = 1; count <= 50; count += 1) {
    assert.equal((await get('a.bin', { 'If-None-Match': list })).status, 200);
  }
  assert.ok(process.cpuUsage(before).user < 1e6);
});

serving('Preconditions come before the range, and an exact If-Range before an empty range', async (get) => {
  const { etag = '' } = (await get('app.js')).headers;
  const ofGzip = (await get('app.js', { 'Accept-Encoding': 'gzip' })).headers.etag ?? '';
  const date = 'Fri, 01 Jan 2100 00:00:00 GMT';
  for (const [headers, expected, method = 'GET'] of [
    [{ 'If-Match': '"other"', 'If-None-Match': '*' }, 412],
    [{ 'If-Match': '*', 'If-None-Match': '*' }, 304],
    [{ 'If-Match': '*', 'If-None-Match': '"other"' }, 200],
    [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    [{ 'If-Modified-Since': date }, 200],
    [{ 'If-Match': '"other"', 'Range': 'bytes=0-0' }, 412],
    [{ 'If-Match': '*', 'Range': 'bytes=0-0' }, 206],
    [{ 'If-None-Match': '*', 'Range': 'bytes=9999-' }, 304],
    [{ 'If-None-Match': '"other"', 'Range': 'bytes=9999-' }, 416],
    [{ 'Range': 'bytes=9999-' }, 200, 'HEAD'],
    [{ 'If-Range': '"other"', 'Range': 'bytes=9999-' }, 200],
    [{ 'If-Range': etag, 'Range': 'bytes=5-' }, 206],
    ...[ofGzip, `W/${etag}`, `${etag}, "b"`, '*', '', date]
      .map((ifRange) => [{ 'If-Range': ifRange, 'Range': 'bytes=5-' }, 200] as const),
  ] as const) {
    assert.equal((await get('app.js', headers, method)).status, expected, JSON.stringify(headers));
  }
});
