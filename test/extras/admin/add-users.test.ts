import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createFilled } from '../../support/filled-file.ts';
import { basic, call } from '../../support/http-client.ts';
import { shared } from '../../support/service.ts';

async function start(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const installation = await createFilled(t, settings);
  const { folder, admin } = installation;
  const { port } = await installation.start();
  return {
    ...installation,
    addAll(list: string) {
      writeFileSync(join(folder, 'class.csv'), list);
      return admin('add --file class.csv');
    },
    setPassword: (username: string, link: string) => call(
      port, `PUT ${settings['BASE_PATH'] ?? ''}/api/v1/users/${username}/password`,
      { as: `Bearer ${link.split('/').at(-1)}`, json: { password: `${username}-password` } },
    ),
    signIn: async (username: string) =>
      (await call(port, 'GET /api/v1/user', { as: basic(username, `${username}-password`) })).status,
  };
}

const HAS_PASSWORD =
  'has a password already, so no link was made; if a stranger chose the password, run the command "link"';

const toPairs = (stdout: string) =>
  stdout.split('\n').filter((line) => line !== '').map((line) => line.split(','));

const ADA = 'ada --email ada@example.org';
const toCsv = (names: readonly string[]) => names.map((name) => `${name},${name}@example.org\n`).join('');

test('add prints a link that sets the password of a new user; later, add says why it fails', async (t) => {
  const { admin, mustAdmin, setPassword, signIn } = await start(t);
  const stdout = await mustAdmin(`add ${ADA}`);
  const [[username = '', link = ''] = []] = toPairs(stdout);
  assert.equal(username, 'ada');
  assert.match(link, /^\/static\/console\/#\/password\/\d+\/ada\/rollcall_/);
  assert.equal((await setPassword('ada', link)).status, 200);
  assert.equal(await signIn('ada'), 200);
  const again = await admin('add Ada --email ada@example.org');
  assert.deepEqual(again, { code: 1, stdout: '', stderr: `"Ada" ${HAS_PASSWORD}\n` });
  assert.deepEqual(await admin('add ada --email other@example.org'), {
    code: 1, stdout: '', stderr: '"ada" exists already, with another email address\nNo user was added\n',
  });
});

test('add and link make no link for a disabled user, and say so; once enabled, the link works', async (t) => {
  const { admin, mustAdmin, addAll, setPassword, signIn } = await start(t);
  await admin(`add ${ADA}`);
  await admin('disable ada');
  const reason = 'is disabled, so a link would not work: run the command "enable" first\n';
  assert.deepEqual(await admin('link ada'), { code: 1, stdout: '', stderr: `"ada" ${reason}` });
  assert.deepEqual(await addAll(toCsv(['ada'])), { code: 1, stdout: '', stderr: `Line 1: "ada" ${reason}` });
  await admin('enable ada');
  const link = await mustAdmin('link ada');
  assert.equal((await setPassword('ada', link.trim())).status, 200);
  assert.equal(await signIn('ada'), 200);
});

test('one command adds 200 pupils; the next names repeated lines and users with a password', async (t) => {
  const { addAll, setPassword, signIn } = await start(t);
  const names = Array.from({ length: 200 }, (_, index) => `pupil.${index + 1}`);
  const first = await addAll(`\ufeffusername,email\r\n${toCsv(names).replaceAll('\n', '\r\n')}`);
  assert.equal(first.code, 0, first.stderr);
  const links = toPairs(first.stdout);
  assert.deepEqual(links.map(([name]) => name), names);
  assert.equal((await setPassword('pupil.1', links[0]?.[1] ?? '')).status, 200);
  const second = await addAll(toCsv([...names, 'late', 'late']));
  assert.deepEqual([second.code, second.stderr], [
    1, `Line 202: "late" is in line 201 already\nLine 1: "pupil.1" ${HAS_PASSWORD}\n`,
  ]);
  const again = toPairs(second.stdout);
  assert.deepEqual(again.map(([name]) => name), [...names.slice(1), 'late']);
  assert.equal((await setPassword('pupil.2', links[1]?.[1] ?? '')).status, 401);
  assert.equal((await setPassword('pupil.2', again[0]?.[1] ?? '')).status, 200);
  assert.deepEqual([await signIn('pupil.1'), await signIn('pupil.2')], [200, 200]);
});

test('if one line is wrong, nobody is added, and every wrong line is reported', async (t) => {
  const { addAll, admin } = await start(t);
  await admin('add eve --email eve@example.org');
  const list = 'ada,ada@example.org\nbob\n12,b@example.org\neve,e@example.org\n';
  const { code, stdout, stderr } = await addAll(list);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /Line 2: .*\nLine 3: .*\nLine 4: "eve" exists already, .*\nNo user was added\n/);
  assert.equal((await admin('list')).stdout.split('\n').length, 2);
});

test('link prints a link below BASE_PATH, also for an administrator', async (t) => {
  const { admin, mustAdmin, setPassword } = await start(t, {
    BASE_PATH: '/rollcall', ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'a password',
  });
  const link = await mustAdmin('link root');
  assert.match(link, /^\/rollcall\/static\/console\/#\/password\/\d+\/root\/rollcall_[\w-]{49}\n$/);
  assert.equal((await setPassword('root', link.trim())).status, 200);
  assert.equal((await admin('link nobody')).code, 1);
});

test('with --url, add and link print whole links; the sheets of --sheets name the expiry', async (t) => {
  const { mustAdmin, folder, setPassword, signIn } = await start(t);
  writeFileSync(join(folder, 'class.csv'), toCsv(['ada', 'grace']));
  const toMinute = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 16).replace('T', ' ');
  const earliest = toMinute();
  const url = 'https://rollcall.school.example';
  const stdout = await mustAdmin(`add --file class.csv --url ${url} --sheets sheets.html`);
  const sheets = join(folder, 'sheets.html');
  const page = readFileSync(sheets, 'utf8');
  const ends = page.match(/(?<=^<p>Open this address before ).*(?= UTC, )/gm) ?? [];
  assert.deepEqual(ends.map((end) => end >= earliest && end <= toMinute()), [true, true]);
  for (const [username = '', link = ''] of toPairs(stdout)) {
    assert.ok(link.startsWith(`${url}/static/console/#/password/`), link);
    assert.ok(page.includes(`<h1>${username}</h1>`) && page.includes(`<code>${link}</code>`));
  }
  assert.equal(statSync(sheets).mode & 0o777, 0o600);
  const again = await mustAdmin(`link ada --url ${url}/`);
  assert.equal((await setPassword('ada', again.trim())).status, 200);
  assert.equal(await signIn('ada'), 200);
});

shared(start).each('add with {0} fails, says why, and adds nobody', [
  ['nobody', 'add', 'add needs USERNAME with --email ADDRESS, or --file FILE'],
  ['a name without an address', 'add ada', 'add needs USERNAME with --email ADDRESS, or --file FILE'],
  ['a file and a name', 'add ada --file /nonexistent', 'add needs USERNAME with --email ADDRESS, or'],
  ['a file that does not exist', 'add --file /nonexistent', 'Cannot read "/nonexistent": no such file'],
  ['an empty file', 'add --file /dev/null', 'The file lists no users\nNo user was added'],
  ['a name that the rules refuse', 'add 12 --email a@example.org', 'Cannot add "12": username must'],
  ['an address with a path', `add ${ADA} --url https://x.example/rollcall`, 'BASE_PATH adds a path'],
  ['no address', `add ${ADA} --url x.example`, 'expected the form https://x.example;'],
  ['an address with a user', `add ${ADA} --url https://me:pw@x.example`, 'expected the form'],
  ['an impossible port', `add ${ADA} --url https://x.example:99999`, 'expected the form'],
  ['sheets without an address', `add ${ADA} --sheets /nonexistent/x.html`, '--sheets needs --url'],
  ['sheets that exist already', `add ${ADA} --url http://x.example --sheets /dev/null`,
    'Cannot create "/dev/null" for --sheets: file already exists; name another file'],
], async ({ admin }, [, line, words]) => {
  const { code, stdout, stderr } = await admin(line);
  assert.deepEqual([code, stdout], [1, '']);
  assert.ok(stderr.includes(words), stderr);
  assert.equal((await admin('list')).stdout, '');
});
