import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createToken } from '../../../src/model/token.ts';
import { findTool } from '../../../scripts/tools.ts';
import { createFolder } from '../../support/programs.ts';
import { findObstacle, skipWithout } from '../../support/commands.ts';
import { readBlock } from '../../support/proxies.ts';
import { startService } from '../../support/service.ts';

const MODULE = {
  file: 'find-user.mjs', command: [process.execPath], before: '', after: `
const found = [];
for (const token of process.argv.slice(2)) found.push(await findUser(token) ?? null);
console.log(JSON.stringify(found));`,
};

/** The code in `before` and `after` surrounds the program of the guide, and prints the found users. */
const SAMPLES = [
  {
    name: 'Python', file: 'find_user.py', command: ['python3'], skip: skipWithout('python3'), keeps: true,
    before: '', after: 'import sys\nprint(json.dumps([find_user(token) for token in sys.argv[1:]]))\n',
  },
  { ...MODULE, name: 'Node.js', skip: false, keeps: true },
  {
    name: 'Go', file: 'find_user.go', command: ['go', 'run'], skip: skipWithout('go'), keeps: false,
    before: `package main
import ("encoding/json"; "errors"; "fmt"; "net/http"; "net/url"; "os"; "strings"; "time")`,
    after: `func main() {
  found := []*User{}
  for _, token := range os.Args[1:] {
    user, err := findUser(token)
    if err != nil { panic(err) }
    found = append(found, user)
  }
  text, _ := json.Marshal(found)
  fmt.Println(string(text))
}
`,
  },
  { ...MODULE, name: 'oauth4webapi', skip: findObstacle(() => findTool('oauth')), keeps: false },
];

for (const { name, file, command: [program = '', ...words], skip, keeps, before, after } of SAMPLES) {
  const start = async (t: TestContext) => {
    const service = await startService(t);
    service.clock.nowMs = Date.now(); // the programs compare `exp` with the real clock
    const ada = await service.register('ada');
    const wiki = await service.register('wiki');
    const issue = async (as: string, json: object) =>
      String((await service.call('POST /api/v1/tokens', { as, json })).json['token']);
    const folder = createFolder(t);
    writeFileSync(join(folder, file), [before, readBlock('Program', name), after].join('\n'));
    if (name === 'oauth4webapi') {
      symlinkSync(dirname(dirname(dirname(findTool('oauth')))), join(folder, 'node_modules'));
    }
    const env = {
      ...process.env, ROLLCALL: `http://127.0.0.1:${service.port}`, OWN_NAME: 'wiki',
      OWN_TOKEN: await issue(wiki, { scope: 'identity' }), GO111MODULE: 'off',
    };
    const run = async (tokens: readonly string[], others = {}) => {
      const command = [...words, join(folder, file), ...tokens];
      return JSON.parse((await promisify(execFile)(program, command, { env: { ...env, ...others } })).stdout);
    };
    return { service, run, issue: (json: object) => issue(ada, json) };
  };
  test(`the ${name} program finds the user of a token that is valid and for it`, { skip }, async (t) => {
    const { run, issue } = await start(t);
    const found = await run([
      await issue({}), await issue({ audience: ['wiki.example.org'] }),
      await issue({ audience: ['git.example.org', 'wiki.example.org:8443'] }), createToken().text, 'x',
    ]);
    const ids = found.map((user: Record<string, unknown> | null) => user && (user['sub'] ?? user['Sub']));
    assert.deepEqual(ids, ['1', '1', null, null, null]);
  });

  test(`the ${name} program fails if the service is stopped or refuses it`, { skip }, async (t) => {
    const { run, issue } = await start(t);
    const token = await issue({});
    assert.equal((await run([token])).length, 1);
    await assert.rejects(run([token], { ROLLCALL: 'http://127.0.0.1:9' }));
    await assert.rejects(run([token], { OWN_TOKEN: createToken().text }));
  });

  test(`the ${name} program asks ${keeps ? 'once' : 'each time'} for a valid token`, { skip }, async (t) => {
    const { service, run, issue } = await start(t);
    const token = await issue({});
    const countAsked = () => service.logLines.filter((line) => line.includes('/api/v1/introspect')).length;
    await run([token, token, token]);
    assert.equal(countAsked(), keeps ? 1 : 3);
    const invalid = createToken().text;
    await run([invalid, invalid]);
    assert.equal(countAsked(), (keeps ? 1 : 3) + 2);
  });
}

test('each program of the guide has at most 30 lines', () => {
  assert.deepEqual(SAMPLES.filter(({ name }) => readBlock('Program', name).split('\n').length > 30), []);
});
