import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMANDS } from '../../../src/extras/admin/commands.ts';
import { parseCommandLine } from '../../../src/extras/admin/command-line.ts';
import { each, testUnless } from '../../support/each.ts';
import { createFilled, storeUser } from '../../support/filled-file.ts';
import { basic, call } from '../../support/http-client.ts';
import { atTerminal, pathOf, run, skipWithoutTerminal } from '../../support/programs.ts';
import { shared } from '../../support/service.ts';

async function start(t: TestContext) {
  const installation = await createFilled(t);
  return { ...installation, store: (username: string) => storeUser(installation.environment, username) };
}

async function startBoth(t: TestContext) {
  const parts = await start(t);
  const { port } = await parts.start();
  return { ...parts, call: (line: string, as?: string) => call(port, line, { as }) };
}

each('create {0}, also while a server runs', [
  ['reads the password from standard input', false, 'root-password\n', 'root-password'],
  ['takes the first line of a file as the password', true, 'pass: word \r\nnot this', 'pass: word '],
], async ([, isFile, given, password], t) => {
  const { admin, call, folder } = await startBoth(t);
  writeFileSync(join(folder, 'secret'), given);
  const options = isFile ? ` --password-file ${folder}/secret` : '';
  const outcome = await admin(`create root --email root@example.org${options}`, isFile ? '' : given);
  assert.deepEqual(outcome, { code: 0, stdout: 'Created the administrator "root"\n', stderr: '' });
  assert.equal((await call('GET /api/v1/users/root', basic('root', password))).json['is_admin'], true);
});

test('promote, demote, disable and enable take effect in a running server', async (t) => {
  const { mustAdmin, call, store } = await startBoth(t);
  const [ada] = [store('ada'), store('eve')];
  for (const [line, said, status, isAdmin] of [
    ['promote eve', '"eve" is an administrator', 200, false],
    ['promote Ada', '"ada" is an administrator', 200, true],
    ['demote ADA', '"ada" is not an administrator', 200, false],
    ['disable ADA', '"ada" is disabled', 401, undefined],
    ['disable ada', '"ada" is disabled', 401, undefined],
    ['enable ADA', '"ada" is enabled', 200, false],
  ] as const) {
    assert.equal(await mustAdmin(line), `${said}\n`);
    const answer = await call('GET /api/v1/users/ada', ada);
    assert.deepEqual([answer.status, answer.json['is_admin']], [status, isAdmin], line);
  }
});

test('reset-password sets a new password and revokes all tokens, at once', async (t) => {
  const { admin, call, store } = await startBoth(t);
  const old = store('ada');
  const { json } = await call('POST /api/v1/token', old);
  assert.equal((await admin('reset-password ada', 'new password\n')).code, 0);
  for (const [as, expected] of [
    [`Bearer ${json['token']}`, 401], [old, 401], [basic('ada', 'new password'), 200],
  ] as const) {
    assert.equal((await call('GET /api/v1/users', as)).status, expected);
  }
});

const NFC_MARKS = `a${'\u0301'.repeat(32)}`; // NFC joins the letter and one mark, so 31 marks remain

each('a password with {0}', [
  ['31 combining marks in a row is refused, as nobody could sign in', Buffer.from(NFC_MARKS)],
  ['bytes that are not UTF-8 is refused, as nobody could sign in', Buffer.from('p\u00e4ssword', 'latin1')],
  ['30 combining marks in a row signs in', `a${'\u0323'.repeat(30)}`, `a${'\u0323'.repeat(30)}`],
  ['a decomposed letter signs in, typed as one character', 'pa\u0308ssword', 'p\u00e4ssword'],
], async ([, password, typed], t) => {
  const { admin, call, store, folder } = await startBoth(t);
  const old = store('ada');
  writeFileSync(join(folder, 'secret'), password);
  const { code, stderr } = await admin(`reset-password ada --password-file ${folder}/secret`);
  assert.deepEqual([code, stderr], typed !== undefined ? [0, ''] : [
    1, 'Cannot use this password: password must be UTF-8, with at most 30 combining marks in a row\n',
  ]);
  const as = typed === undefined ? old : basic('ada', typed);
  assert.equal((await call('GET /api/v1/user', as)).status, 200);
});

test('token prints only a valid token, and revoke-tokens revokes it', async (t) => {
  const { mustAdmin, call, store } = await startBoth(t);
  store('ada');
  const token = await mustAdmin('token ada');
  assert.match(token, /^rollcall_[\w-]{49}\n$/);
  const as = `Bearer ${token.trim()}`;
  assert.equal((await call('GET /api/v1/user', as)).json['username'], 'ada');
  assert.equal(await mustAdmin('revoke-tokens ada'), 'All tokens of "ada" are revoked\n');
  assert.equal((await call('GET /api/v1/user', as)).status, 401);
});

test('list prints every user with role and state', async (t) => {
  const { admin, store } = await start(t);
  assert.equal((await admin('list')).stdout, '');
  ['ada', 'eve', 'bob'].forEach(store);
  await admin('promote ada');
  await admin('disable eve');
  await admin('add joy --email joy@example.org');
  const lines =
    '1 ada ada@example.org administrator\n2 eve eve@example.org disabled\n3 bob bob@example.org\n' +
    '4 joy joy@example.org invited\n';
  assert.deepEqual(await admin('list'), { code: 0, stdout: lines.replaceAll(' ', '\t'), stderr: '' });
});

test('the audit trail records changes by an operator as made by a program', async (t) => {
  const { admin, call, store } = await startBoth(t);
  const ada = store('ada');
  await admin('promote ada');
  const { json } = await call('GET /api/v1/audit_events?action=user.update', ada);
  const [{ details, user, sign_in, address }] = json['audit_events'];
  assert.deepEqual({ details, user, sign_in, address }, {
    details: 'is_admin=true', user: null, sign_in: 'program', address: '',
  });
});

/** Ada is an administrator, and eve is a disabled user. */
const refused = shared(async (t) => {
  const { admin, store } = await start(t);
  ['ada', 'eve'].forEach(store);
  await admin('promote ada');
  await admin('disable eve');
  return admin;
});

const NOBODY = /^There is no user "nobody"\n$/;
refused.each('admin.js {0} exits with 1 and prints the reason', [
  ['demote ada', /^Cannot demote "ada": this user is the last administrator\n$/],
  ['disable ada', /^Cannot disable "ada": this user is the last administrator\n$/],
  ['token eve', /^Cannot issue a token to "eve": the user is disabled\n$/],
  ['promote nobody', NOBODY], ['disable nobody', NOBODY], ['token nobody', NOBODY],
  ['revoke-tokens nobody', NOBODY], ['reset-password nobody --password-file /nowhere/at/all', NOBODY],
  ['create bob --email x', /email must be/, 'pw\n'],
  ['create 1 --email a@example.org', /username must be text of .* but not a number/, 'pw\n'],
  ['create root --email a@example.org', /password must be at least 1 character/],
  ['create root --email a@example.org', /password must be text without NUL/, 'secret\0\n'],
  ['create root --email a@example.org --password-file /nowhere/at/all',
    /^Cannot read "\/nowhere\/at\/all": no such file or directory\n$/],
  // the username is taken, so the command does not read the password file
  ['create ADA --email a@example.org --password-file /nowhere/at/all',
    /^Cannot create the administrator "ADA": the username is taken, perhaps by a stranger; choose/],
], async (admin, [line, message, input = '']) => {
  const { code, stdout, stderr } = await admin(line, input);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, message);
});

each('the mistake in "{0}" is named', [
  ['', 'Expected a command'],
  ['reset ada', 'Unknown command "reset": did you mean "reset-password"?'],
  ['explode ada', 'Unknown command "explode"'],
  ['create', 'create needs USERNAME'],
  ['create root --email', "Option '--email <value>' argument missing"],
  ['create root --email=', 'create needs --email ADDRESS'],
  ['create --email a@example.org', 'create needs USERNAME'],
  ['create root --email a@example.org --password secret', /^Unknown option '--password'/],
  ['promote ada bob', 'promote takes USERNAME, but "bob" was also given'],
  ['promote ada --force', /^Unknown option '--force'/],
  ['list --foo', "Unknown option '--foo'"],
  ['list ada', "Unexpected argument 'ada'. This command does not take positional arguments"],
  ['token', 'token needs USERNAME'],
  ['backup', 'backup needs FILE'],
  ['backup a b', 'backup takes FILE, but "b" was also given'],
  ['check a b', 'check takes [FILE], but "b" was also given'],
  ['backup a --email x@y', /^Unknown option '--email'/],
], ([line, mistake]) => {
  const said = parseCommandLine(line.split(' ').filter(Boolean), COMMANDS);
  assert.ok(typeof mistake === 'string' ? said === mistake : mistake.test(String(said)), String(said));
});

const atTerminals = testUnless(skipWithoutTerminal);
atTerminals.each('at a terminal a password is typed twice, without echo: {0} exits with {1}', [
  ['a phrase\na phrase\n', 0, /Created the administrator "root"/],
  ['a phrase\na phrse\n', 1, /The two passwords differ: nothing was changed/],
], async (t, [typed, code, said]) => {
  const { environment: env } = await start(t);
  const child = spawn('script', atTerminal('admin.js', 'create root --email root@example.org'), { env });
  const prompts = typed.split('\n');
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    if (/assword(?: again)?: $/.test(shown) && prompts.length > 1) {
      child.stdin.write(`${prompts.shift()}\r`);
    }
  });
  const [exitCode] = await once(child, 'close');
  assert.equal(exitCode, code, shown);
  assert.match(shown, said);
  assert.doesNotMatch(shown, /a phr/);
});

for (const [title, target, said, skip] of [
  ['a reader that closes the pipe is no error', '| true', [0, ''], false],
  ['output that cannot be written, such as links on a full disk, is 1', '> /dev/full',
    [1, 'Cannot write the output: ENOSPC'], !existsSync('/dev/full')],
] as const) {
  test(title, { skip }, async (t) => {
    const { environment, store } = await start(t);
    store('ada');
    for (const words of ['list', 'link ada', '--help']) {
      const shell = ['-c', `"$0" "$1" ${words} ${target}`, process.execPath, pathOf('admin.js')];
      const { status, stderr } = spawnSync('sh', shell, { env: environment, encoding: 'utf8' });
      assert.deepEqual([status, stderr.split(': no space')[0]], said, words);
    }
  });
}

test('--help and -h exit with 0, and wrong settings with 78', async () => {
  const help = await run('admin.js', ['--help']);
  assert.equal(help.code, 0);
  assert.deepEqual(await run('admin.js', ['create', '-h']), help);
  assert.deepEqual(help, await run('server.js', ['--help']), 'one help for both doors');
  const [commands = ''] = help.stdout.split('\nSettings,');
  assert.ok(commands.split('\n').every((line) => line.length <= 140), 'lines of a width that can be read');
  const environment = { DATABASE_URL: 'mysql://x' };
  assert.equal((await run('admin.js', ['promote', 'ada'], { environment })).code, 78);
});
