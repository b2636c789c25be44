import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMINISTRATOR, issueRootToken, ROOT } from '../support/administrator.ts';
import { defaultConfig } from '../support/config.ts';
import { basic, call } from '../support/http-client.ts';
import { createFolder, createInstallation } from '../support/programs.ts';
import { people, times } from '../support/service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

people('a token from at most 5 minutes in the future is valid, a later one not until then', async (world) => {
  const { ada, clock, issueToken, signIn } = world;
  const startedAtMs = clock.nowMs;
  const token = await issueToken(ada);
  for (const [minutes, ms, expected] of [
    [-5, 0, 200], [-5, -1, 401], [0, 0, 200], [10, -1, 200], [10, 0, 401],
  ] as const) {
    clock.nowMs = startedAtMs + minutes * MINUTE_MS + ms;
    assert.deepEqual(await signIn(token, ada), [expected, 200], `${minutes} minutes and ${ms} ms`);
  }
});

people('after a clock decades ahead is corrected, its tokens are invalid and new ones expire', async ({
  ada, clock, issueToken, signIn,
}) => {
  clock.nowMs += 10_000 * DAY_MS;
  const wrong = await issueToken(ada);
  clock.nowMs -= 10_000 * DAY_MS;
  const right = await issueToken(ada);
  assert.deepEqual(await signIn(wrong, right), [401, 200]);
  clock.nowMs += 10 * MINUTE_MS;
  assert.deepEqual(await signIn(right), [401]);
});

people('setting the clock back does not prolong throttling', async ({ ada: as, clock, expect, signIn }) => {
  const attempts = defaultConfig().failuresPerNameMax;
  assert.deepEqual(await signIn(...Array(attempts).fill(basic('ada', 'wrong'))), times(attempts, 401));
  const { headers } = await expect(429, 'GET /api/v1/user', { as });
  assert.equal(headers['retry-after'], '300');
  clock.nowMs -= DAY_MS;
  assert.deepEqual(await signIn(as), [200]);
});

people('no duration in the log is negative', async ({ ada, clock, logLines, signIn }) => {
  logLines.splice(0);
  const answers = Array.from({ length: 20 }, () => signIn(ada));
  clock.nowMs -= DAY_MS;
  await Promise.all(answers);
  const durations = logLines.map((line) => JSON.parse(line)['duration_ms']);
  assert.equal(durations.length, 20);
  assert.ok(durations.every((duration) => duration >= 0), durations.join());
});

const LIBRARY = ['x86_64', 'aarch64']
  .map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

const options = { skip: LIBRARY === undefined && 'libfaketime is not installed (Debian: libfaketime)' };

test('the process survives a clock jump of ten days back, and starts again with it', options, async (t) => {
  const clockFile = join(createFolder(t), 'clock');
  writeFileSync(clockFile, '+0');
  const { start } = createInstallation(t, {
    ...ADMINISTRATOR, LD_PRELOAD: LIBRARY ?? '', FAKETIME_TIMESTAMP_FILE: clockFile, FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  const signIn = async (port: number, as: string) => (await call(port, 'GET /api/v1/user', { as })).status;
  const first = await start();
  const early = await issueRootToken(first.port);
  writeFileSync(clockFile, '-10d');
  assert.equal(await signIn(first.port, early), 401);
  const { json } = await call(first.port, 'POST /api/v1/token', { as: ROOT });
  assert.ok(Date.parse(`${json['expiration_date']}Z`) < Date.now() - 9 * DAY_MS, json['expiration_date']);
  const late = `Bearer ${json['token']}`;
  assert.equal(await signIn(first.port, late), 200);
  assert.equal(await first.stop('SIGTERM'), 0);
  const second = await start();
  assert.equal(await signIn(second.port, late), 200);
  assert.equal(await second.stop('SIGTERM'), 0);
});
