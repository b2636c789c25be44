import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { skipWithout } from '../../support/commands.ts';
import { testUnless } from '../../support/each.ts';
import { findFreePort } from '../../support/listen.ts';
import { createFolder } from '../../support/programs.ts';
import { startProgram, startRecipe } from '../../support/proxies.ts';
import { basic, BEHIND_PROXY, startWorld } from '../../support/service.ts';

async function startUsers(t: TestContext) {
  const world = await startWorld(t, BEHIND_PROXY);
  await world.createProject(world.ada, 'notes');
  await world.createProject(world.eve, 'own');
  const createToken = async (name: 'ada' | 'eve', json: object = {}): Promise<string> =>
    (await world.call('POST /api/v1/tokens', { as: world[name], json })).json['token'];
  return { ...world, createToken };
}

const GIT = { skip: skipWithout('nginx', 'git', 'fcgiwrap') };

test('recipe for Git: every user clones, and only the owner pushes, with a token', GIT, async (t) => {
  const { createToken, git, readLog, readHead, readHookVariables } = await startGit(t);
  const [ada, eve] = [await createToken('ada'), await createToken('eve', { scope: 'read_only' })];
  const first = git('ada', ada);
  await first.run('clone', first.url, 'work');
  await first.commit('work', 'first');
  const forged = ['Remote-User', 'X-Remote-User', 'Remote-User-Id', 'Remote-Groups', 'Remote-Email']
    .flatMap((name) => ['-c', `http.extraHeader=${name}: root`]);
  await first.run('-C', 'work', ...forged, 'push', 'origin', 'HEAD:main');
  const head = readHead();
  assert.match(head, /^[0-9a-f]{40}$/);
  assert.deepEqual(readHookVariables(), {
    REMOTE_USER: 'ada', HTTP_REMOTE_USER: 'ada', HTTP_X_REMOTE_USER: 'ada',
  });
  const second = git('eve', eve);
  await second.run('clone', second.url, 'copy');
  await second.commit('copy', 'second');
  for (const token of [eve, await createToken('eve')]) {
    const { url, run } = git('eve', token);
    await assert.rejects(run('-C', join(second.folder, 'copy'), 'push', url, 'HEAD:main'), /error: 403/);
  }
  assert.equal(readHead(), head);
  assert.match(readLog(), /git-receive-pack HTTP\/1.1" 200/);
  assert.doesNotMatch(readLog(), /rollcall_|ada|eve/);
});

test('recipe for Git: the credential store keeps name and token, and a netrc file works', GIT, async (t) => {
  const { proxyPort: port, createToken, git } = await startGit(t);
  const token = await createToken('ada', { scope: 'identity', audience: ['git.example.org'] });
  const { folder, run } = git('ada', token);
  const url = `http://127.0.0.1:${port}/notes.git`;
  const store = join(folder, 'store');
  writeFileSync(store, `http://ada:${token}@127.0.0.1%3a${port}\n`);
  const helper = ['-c', `credential.helper=store --file=${store}`];
  await run(...helper, 'clone', url, 'a');
  await run(...helper, 'clone', url, 'b');
  assert.match(readFileSync(store, 'utf8'), /rollcall_/); // Git would have deleted a refused token
  writeFileSync(join(folder, '.netrc'), `machine 127.0.0.1 login ada password ${token}\n`);
  await run('clone', url, 'c');
});

test('recipe for Git: no path avoids the check of a push, and no client chooses its name', GIT, async (t) => {
  const { ask, eve, folder, readHead, createToken } = await startGit(t);
  const [before, wrong] = [readHead(), await createToken('eve', { audience: ['wiki.example.org'] })];
  const type = 'application/x-git-receive-pack-request';
  const headers = {
    'Content-Type': type, 'Remote-User': 'ada', 'X-Remote-User': 'ada', 'X-Forwarded-Method': 'GET',
    'X-Forwarded-Host': 'wiki.example.org', 'Host': 'wiki.example.org', 'X-Original-URI': '/own.git/HEAD',
  };
  for (const path of [
    '/notes.git/git-receive-pack', '//notes.git//git-receive-pack', '/notes/git-receive-pack',
    '/own.git/../notes.git/git-receive-pack', '/notes.git/objects/../git-receive-pack',
    '/notes.git/objects/%2e%2e/git-receive-pack', '/notes.git/git-upload-pack/../git-receive-pack',
    '/notes.git/git%2dreceive%2dpack', '/notes.git/git-receive-pack?service=git-upload-pack',
    '/notes.git/git-receive-pack?q=100%', '/notes.git/git-receive-pack/', '/notes.git/git-receive-pack%00',
    '/./notes.git/git-receive-pack', '/2024.git/git-receive-pack', '/1.git/git-receive-pack',
    '/..git/git-receive-pack', '/own%2f..%2fnotes.git/git-receive-pack', '/rollcall/verify',
  ]) {
    for (const as of [eve, undefined, basic('eve', wrong)]) {
      const { status } = await ask(`POST ${path}`, { as, headers, body: '0000' });
      assert.ok([400, 401, 403, 404].includes(status), `${path} ${status}`);
    }
  }
  assert.equal(readHead(), before);
  assert.ok(existsSync(join(folder, '2024.git')));
  const { status } = await ask('GET /notes.git/HEAD', { as: basic('eve', wrong), headers });
  assert.equal(status, 403);
});

const CALENDARS = { skip: skipWithout('nginx', 'radicale') };

test('recipe for calendars: Radicale shows what its owner stores to nobody else', CALENDARS, async (t) => {
  const { ask, createToken, ada, eve, readLog } = await startCalendars(t);
  const [full, reads, wrong] = [
    basic('ada', await createToken('ada', { scope: 'identity', audience: ['wiki.example.org'] })),
    basic('ada', await createToken('ada', { scope: 'read_only' })),
    basic('ada', await createToken('ada', { audience: ['git.example.org'] })),
  ];
  assert.equal((await ask('MKCALENDAR /ada/work/', { as: full })).status, 201);
  const put = (as: string) => ask('PUT /ada/work/1.ics', { as, body: EVENT, headers: CALENDAR });
  assert.equal((await put(full)).status, 201);
  assert.equal((await put(reads)).status, 403);
  for (const as of [full, reads, ada]) {
    const found = await ask('PROPFIND /ada/work/', { as, headers: { 'Depth': '1' } });
    assert.equal(found.status, 207);
    assert.match(found.text, /1\.ics/);
    const report = await ask('REPORT /ada/work/', { as, body: REPORT, headers: { 'Depth': '1' } });
    assert.match(report.text, /Engine/);
  }
  const forged = {
    'Remote-User': 'ada', 'X-Remote-User': 'ada', 'X_Remote_User': 'ada', 'HTTP_REMOTE_USER': 'ada',
    'X-Forwarded-Host': 'git.example.org', 'Host': 'git.example.org',
  };
  for (const [as, expected] of [[eve, 403], [wrong, 403], [undefined, 401]] as const) {
    const answer = await ask('PROPFIND /ada/work/', { as, headers: { ...forged, 'Depth': '1' } });
    assert.equal(answer.status, expected);
    assert.doesNotMatch(answer.text, /ics/);
  }
  assert.doesNotMatch(readLog(), /rollcall_/);
});

const REGISTRY = { skip: skipWithout('nginx', 'docker-registry') };

test('recipe for a registry: every user pulls, and only the owner pushes', REGISTRY, async (t) => {
  const { ask, push, createToken, readLog } = await startRegistry(t);
  const token = async (name: 'ada' | 'eve', json = {}) => basic(name, await createToken(name, json));
  const [ada, eve] = [await token('ada'), await token('eve')];
  assert.equal((await ask('GET /v2/')).status, 401);
  assert.equal((await ask('GET /v2/', { as: eve })).status, 200); // `docker login` sends this request
  assert.equal(await push('notes/app', ada), 201);
  const manifest = await ask('GET /v2/notes/app/manifests/latest', {
    as: await token('eve', { scope: 'read_only' }), headers: { 'Accept': MANIFEST },
  });
  assert.deepEqual([manifest.status, manifest.json['config'].size], [200, 2]);
  for (const [name, as] of [
    ['notes/app', eve], ['notes', eve], ['NOTES/app', eve], ['own/../notes/app', eve],
    ['own/%2e%2e/notes', eve], ['own%2f..%2fnotes', eve], ['1/app', eve], ['none', ada],
    ['notes', await token('ada', { scope: 'read_only' })],
    ['notes', await token('ada', { audience: ['git.example.org'] })],
  ] as const) {
    assert.ok([400, 403, 404].includes(await push(name, as)), name);
  }
  assert.equal((await ask('DELETE /v2/notes/app/manifests/latest', { as: eve })).status, 403);
  assert.equal((await ask('GET /v2/_catalog', { as: ada })).status, 404);
  assert.equal(await push('own', eve), 201);
  assert.doesNotMatch(readLog(), /rollcall_| ada | eve /);
});

testUnless(skipWithout('nginx')).each('recipe {0}: while the service is stopped, nobody passes', [
  ['Git', '/notes.git/HEAD'], ['Registry', '/v2/', '/v2/notes/tags/list'],
], async (t, [recipe, ...paths]) => {
  const { ask } = await startRecipe(t, recipe, 9); // nothing listens on port 9
  for (const path of paths) {
    assert.equal((await ask(`GET ${path}`, { as: basic('ada', 'x') })).status, 500);
  }
});

/** A hook in each repository writes the environment variables of the hook into a file. */
async function startGit(t: TestContext) {
  const world = await startUsers(t);
  const folder = createFolder(t);
  const variables = join(folder, 'variables');
  for (const name of ['notes', '2024', 'own']) {
    spawnSync('git', ['init', '--bare', '--initial-branch=main', join(folder, `${name}.git`)]);
    const hook = join(folder, `${name}.git`, 'hooks/pre-receive');
    writeFileSync(hook, `#!/bin/sh\nenv > ${variables}\n`, { mode: 0o755 });
  }
  const socket = join(folder, 'fcgiwrap.socket');
  await startProgram(t, socket, 'fcgiwrap', ['-s', `unix:${socket}`]);
  const { port: proxyPort, readLog, ask } = await startRecipe(t, 'Git', world.port, {
    '/run/fcgiwrap.socket': socket, '/srv/git': folder,
  });
  const git = (name: string, token: string) => {
    const own = createFolder(t);
    const env = { ...process.env, HOME: own, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
    const run = (...words: readonly string[]) => promisify(execFile)('git', words, { cwd: own, env });
    const commit = (work: string, message: string) => run(
      '-C', work, '-c', 'user.name=x', '-c', 'user.email=x@example.org',
      'commit', '--allow-empty', '-m', message,
    );
    const url = `http://${name}:${token}@127.0.0.1:${proxyPort}/notes.git`;
    return { folder: own, run, commit, url };
  };
  return {
    ...world, folder, proxyPort, readLog, ask, git,
    readHead: () => spawnSync(
      'git', ['-C', join(folder, 'notes.git'), 'rev-parse', 'main'], { encoding: 'utf8' },
    ).stdout.trim(),
    /** @returns The variables of the hook that describe the user or contain credentials. */
    readHookVariables: () => Object.fromEntries(
      [...readFileSync(variables, 'utf8').matchAll(/^(\w*(?:REMOTE_(?!ADDR|PORT)|AUTHORI)\w*)=(.+)$/gm)]
        .map(([, name, value]) => [name, value]),
    ),
  };
}

const CALENDAR = { 'Content-Type': 'text/calendar' };
const EVENT = [
  'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20260101T000000Z',
  'DTSTART:20260101T000000Z', 'SUMMARY:Engine', 'END:VEVENT', 'END:VCALENDAR', '',
].join('\r\n');
const REPORT = `<calendar-query xmlns="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><calendar-data/>
</D:prop><filter><comp-filter name="VCALENDAR"/></filter></calendar-query>`;

async function startCalendars(t: TestContext) {
  const users = await startUsers(t);
  const [folder, port] = [createFolder(t), await findFreePort()];
  writeFileSync(join(folder, 'config'), `[server]\nhosts = 127.0.0.1:${port}
[auth]\ntype = http_x_remote_user
[rights]\ntype = owner_only\n[storage]\nfilesystem_folder = ${folder}/collections\n[web]\ntype = none\n`);
  await startProgram(t, port, 'radicale', ['--config', join(folder, 'config')]);
  return { ...users, ...(await startRecipe(t, 'nginx', users.port, { ':3000': `:${port}` })) };
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

async function startRegistry(t: TestContext) {
  const users = await startUsers(t);
  const [folder, port] = [createFolder(t), await findFreePort()];
  mkdirSync(join(folder, 'images'));
  writeFileSync(join(folder, 'config.yml'), `version: 0.1\nlog: {level: error}
http: {addr: "127.0.0.1:${port}"}
storage: {filesystem: {rootdirectory: "${folder}/images"}, delete: {enabled: true}}\n`);
  await startProgram(t, port, 'docker-registry', ['serve', join(folder, 'config.yml')]);
  const { ask, readLog } = await startRecipe(t, 'Registry', users.port, { ':5000': `:${port}` });
  const upload = async (name: string, as: string, content: string) => {
    const begun = await ask(`POST /v2/${name}/blobs/uploads/`, { as, body: '' });
    if (begun.status !== 202) {
      return begun.status;
    }
    const { pathname, search } = new URL(String(begun.headers['location']));
    const digest = encodeURIComponent(digestOf(content));
    const headers = { 'Content-Type': 'application/octet-stream' };
    return (await ask(`PUT ${pathname}${search}&digest=${digest}`, { as, body: content, headers })).status;
  };
  return {
    ...users, ask, readLog,
    /** @returns The status of the first refused request. If none is refused, the last status. */
    async push(name: string, as: string): Promise<number> {
      const status = await upload(name, as, '{}');
      const config = {
        mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf('{}'), size: 2,
      };
      const body = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: [] });
      const put = await ask(`PUT /v2/${name}/manifests/latest`, {
        as, body, headers: { 'Content-Type': MANIFEST },
      });
      return status === 201 ? put.status : status;
    },
  };
}

function digestOf(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
