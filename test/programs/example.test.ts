import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { launchMarked, skipWithoutProc, untilNoneIsLeft } from '../support/npm-scripts.ts';
import { createInstallation, run } from '../support/programs.ts';
import { basic, call } from '../support/http-client.ts';
import { pages } from '../support/pages.ts';
import { projectFolder, read } from '../support/project.ts';

const readme = read('README.md');
const example =
  /## The API by example\n\n```sh\nbase=http:\/\/127\.0\.0\.1:8080\n([^]*?)```/.exec(readme)?.[1] ?? '';

async function runScript(t: TestContext, ...lines: readonly string[]) {
  const { port } = await createInstallation(t).start();
  const script = [`base=http://127.0.0.1:${port}`, ...lines].join('\n');
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' });
}

test('every command of "The API by example" has the response that is shown; its token is gone', async (t) => {
  const { status, stdout, stderr } = await runScript(
    t, 'set -eu -o pipefail', 'curl() { command curl --silent --show-error --fail "$@"; echo; }', example,
    'command curl --silent --output /dev/null --write-out "\\n%{http_code}" ' +
      '-H "Authorization: Bearer $token" $base/api/v1/user',
  );
  assert.equal(status, 0, stderr + stdout);
  const shown = Array.from(example.matchAll(/^# (\{.*)$/gm), ([, response]) => response);
  const responses = stdout.split('\n').filter((line) => line.startsWith('{'));
  assert.deepEqual(responses.map((line) => line.replaceAll(/"20[^"]*Z"/g, '"…"')), shown);
  assert.match(stdout, /\n401$/);
  assert.equal(example.match(/curl /g)?.length, 5);
});

test('with a wrong password, the line for a token leaves the token empty and shows the status', async (t) => {
  const line = example.split('\n').find((text) => text.startsWith('token=')) ?? '';
  const { stdout, stderr } = await runScript(t, line, 'echo "token is \'$token\'"');
  assert.equal(stdout, "token is ''\n");
  assert.match(stderr, /401/);
});

test('the pages name exactly the commands on accounts and data', async () => {
  const { stdout } = await run('admin.js', ['--help']);
  const commands = Array.from(stdout.matchAll(/^  (?:admin )?([a-z][a-z-]*)(?: |$)/gm), ([, name]) => name);
  const invocation = /(?:node dist\/admin\.js|npm run (?:--silent )?admin --) ([a-z][a-z-]*)/g;
  const named = Array.from([...pages.values()].join('\n').matchAll(invocation), ([, command]) => command);
  assert.deepEqual([...new Set(named)].sort(), commands.sort());
});

const ways = /The first administrator comes [^]*?```sh\n([^]*?)```[^]*?```sh\n([^]*?)```/.exec(
  read('src/programs/README.md'),
) ?? [];

test('both documented ways to create an administrator work', { skip: skipWithoutProc }, async (t) => {
  const { environment } = createInstallation(t);
  const [, start = '', commands = ''] = ways;
  const { process: shell, mark, untilLine } = launchMarked(t, ['sh', '-c', start], environment);
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(await untilLine('listening'))?.[1]);
  const [, password = ''] = /ADMIN_PASSWORD='([^']+)'/.exec(start) ?? [];
  const isAdministrator = async (username: string, secret: string) =>
    (await call(port, 'GET /api/v1/user', { as: basic(username, secret) })).json['is_admin'];
  assert.equal(await isAdministrator('root', password), true);

  const [create = ''] = commands.split('\n');
  const line = create.replace('create root', 'create ada'); // the user root exists already
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: projectFolder, encoding: 'utf8', input: 'a password\n', env: { ...process.env, ...environment },
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /\nCreated the administrator "ada"\n$/);
  assert.equal(await isAdministrator('ada', 'a password'), true);
  process.kill(-Number(shell.pid), 'SIGTERM');
  await untilNoneIsLeft(mark);
});
