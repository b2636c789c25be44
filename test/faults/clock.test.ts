/** Tests a running service while its clock is set back, by the test or by libfaketime. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runHousekeeping } from '../../src/programs/housekeeping.ts';
import { ADMINISTRATOR, ROOT } from '../support/administrator.ts';
import { defaultConfig } from '../support/config.ts';
import { basic, call } from '../support/http-client.ts';
import { housekeepingOf } from '../support/housekeeping.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { startService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

async function start(t: TestContext) {
  const service = await startService(t);
  const as = await service.register('ada');
  const status = async (credentials: string) => (await service.signIn(credentials))[0];
  return { service, clock: service.clock, as, status };
}

test('a token from at most 5 minutes in the future is valid, a later one not until then', async (t) => {
  const { service, clock, as, status } = await start(t);
  const token = await service.issueToken(as);
  clock.nowMs -= 5 * MINUTE_MS;
  assert.equal(await status(token), 200);
  clock.nowMs -= 1;
  assert.equal(await status(token), 401);
  assert.equal(await status(as), 200);
  clock.nowMs += 15 * MINUTE_MS;
  assert.equal(await status(token), 200);
  clock.nowMs += 1;
  assert.equal(await status(token), 401, 'expired');
});

test('after a clock decades ahead is corrected, its tokens are invalid and new ones expire', async (t) => {
  const { service, clock, as, status } = await start(t);
  clock.nowMs += 10_000 * DAY_MS;
  const wrong = await service.issueToken(as);
  clock.nowMs -= 10_000 * DAY_MS;
  assert.equal(await status(wrong), 401);
  const right = await service.issueToken(as);
  clock.nowMs += 10 * MINUTE_MS - 1;
  assert.equal(await status(right), 200);
  clock.nowMs += 1;
  assert.equal(await status(right), 401);
});

test('a revoked token stays revoked, also after housekeeping', async (t) => {
  const { service, clock, as, status } = await start(t);
  const token = await service.issueToken(as);
  await service.expect(200, 'DELETE /api/v1/token', { as: token });
  clock.nowMs -= MINUTE_MS;
  assert.equal(await status(token), 401);
  await runHousekeeping(housekeepingOf(service));
  assert.equal(await status(token), 401);
});

test('setting the clock back does not prolong throttling', async (t) => {
  const { service, clock, as, status } = await start(t);
  for (let attempt = 1; attempt <= defaultConfig().failuresPerNameMax; attempt += 1) {
    assert.equal(await status(basic('ada', 'wrong')), 401);
  }
  const refusal = await service.call('GET /api/v1/user', { as });
  assert.deepEqual([refusal.status, refusal.headers['retry-after']], [429, '300']);
  clock.nowMs -= DAY_MS;
  assert.equal(await status(as), 200);
});

test('no duration in the log is negative', async (t) => {
  const { service, clock, status, as } = await start(t);
  const answers = Array.from({ length: 20 }, () => status(as));
  clock.nowMs -= DAY_MS;
  await Promise.all(answers);
  const durations = service.logLines
    .map((line) => JSON.parse(line)['duration_ms'])
    .filter((duration) => duration !== undefined);
  assert.equal(durations.length, 21);
  assert.ok(durations.every((duration) => duration >= 0));
});

const LIBRARY = ['x86_64', 'aarch64']
  .map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

test('the process survives a clock jump of ten days back, and starts again with that clock',
  {
    skip: LIBRARY === undefined && 'libfaketime is not installed (Debian: apt-get install libfaketime)',
  }, async (t) => {
    const folder = createFolder(t);
    const clockFile = join(folder, 'clock');
    writeFileSync(clockFile, '+0');
    const environment = {
      DATABASE_URL: `sqlite:${folder}/service.sqlite`, ...ADMINISTRATOR,
      LD_PRELOAD: LIBRARY ?? '', FAKETIME_TIMESTAMP_FILE: clockFile, FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    const server = await startServer(t, environment);
    const issue = async (port: number) => (await call(port, 'POST /api/v1/token', { as: ROOT })).json;
    const { token } = await issue(server.port);
    writeFileSync(clockFile, '-10d');
    assert.equal((await call(server.port, 'GET /api/v1/user', { as: `Bearer ${token}` })).status, 401);
    const issued = await issue(server.port);
    const { expiration_date: expiresAt } = issued;
    assert.ok(Date.parse(`${expiresAt}Z`) < Date.now() - 9 * DAY_MS, expiresAt);
    const signIn = async (port: number, { token }: Record<string, any>) =>
      (await call(port, 'GET /api/v1/user', { as: `Bearer ${token}` })).status;
    assert.equal(await signIn(server.port, issued), 200);
    assert.equal(await server.stop('SIGTERM'), 0);
    const again = await startServer(t, environment);
    assert.equal(await signIn(again.port, issued), 200);
    assert.equal(await again.stop('SIGTERM'), 0);
  });
