/** Unknown tokens: a network that sends many soon costs a cluster no entry in its log, and harms nobody. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createToken } from '../../src/auth/token.ts';
import type { Consistency } from '../../src/database/database.ts';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { startService } from '../support/service.ts';

const FAILURES_MAX = 5;
const OTHER_NETWORK = { 'X-Forwarded-For': '192.0.2.1' };

async function start(t: TestContext) {
  const database = await openTestDatabase(t);
  const reads = { linearizable: 0, recent: 0 };
  const service = await startService(t, {
    failuresPerAddressMax: FAILURES_MAX, trustedProxies: parseTrustedProxies('127.0.0.1'),
  }, withMethods(database, {
    read(statement, consistency: Consistency = 'linearizable') {
      reads[consistency] += Number(/ FROM tokens/.test(statement.sql));
      return database.read(statement, consistency);
    },
  }));
  const forge = async (token = createToken()) =>
    (await service.call('GET /api/v1/user', { as: `Bearer ${token}` })).status;
  return { service, reads, forge };
}

test('of 50 unknown tokens of a network, 5 cost a read that sees all writes, and all are 401', async (t) => {
  const { reads, forge } = await start(t);
  for (let count = 0; count < 50; count += 1) {
    assert.equal(await forge(), 401);
  }
  assert.deepEqual(reads, { linearizable: FAILURES_MAX, recent: 50 - FAILURES_MAX });
});

test('in a network beyond its limit, valid tokens work, unused ones and new ones', async (t) => {
  const { service, forge } = await start(t);
  const password = await service.register('ada');
  const unused = await service.issueToken(password);
  for (let count = 0; count < 20; count += 1) {
    await forge();
  }
  const fresh = await service.issueToken(password);
  for (const as of [unused, fresh, unused]) {
    assert.equal((await service.call('GET /api/v1/user', { as })).status, 200);
  }
});

test('beyond the limit, the same unknown token costs no read for a second', async (t) => {
  const { service, reads, forge } = await start(t);
  for (let count = 0; count < 20; count += 1) {
    await forge();
  }
  const token = createToken();
  await forge(token);
  const before = { ...reads };
  assert.equal(await forge(token), 401);
  assert.deepEqual(reads, before);
  service.clock.nowMs += 1_001;
  assert.equal(await forge(token), 401);
  assert.deepEqual(reads, { ...before, recent: before.recent + 1 });
});

test('unknown tokens of one network change nothing for another, and are logged once', async (t) => {
  const { service, reads, forge } = await start(t);
  for (let count = 0; count < 20; count += 1) {
    await forge();
  }
  const before = reads.linearizable;
  await service.call('GET /api/v1/user', { as: `Bearer ${createToken()}`, headers: OTHER_NETWORK });
  assert.equal(reads.linearizable, before + 1);
  const warnings = service.logLines.filter((line) => line.includes('many unknown tokens'));
  assert.deepEqual(warnings.map((line) => JSON.parse(line).address), ['127.0.0.1']);
});
