/**
 * Tests the sections "POST /api/v1/token" and "DELETE /api/v1/token" of the specification, and the lifetime
 * of a token.
 */
import assert from 'node:assert/strict';
import { api, atOnce, basic, inTurn, people, times } from '../support/service.ts';

const ISSUE = 'POST /api/v1/token';
const REVOKE = 'DELETE /api/v1/token';

// spec 2.3-2, 3-2, 4.2-3, 4.2-5, 8-6
people('POST /api/v1/token is 201 with a token for ten minutes, a date without a zone', async (world) => {
  const { headers, json } = await world.expect(201, ISSUE, { as: world.ada });
  assert.equal(headers['location'], '/api/v1/token');
  assert.match(json['token'], /^rollcall_[\w-]{49}$/);
  assert.equal(json['expiration_date'], '2026-01-01T00:10:00.000');
});

// spec 4.2-4
people('POST /api/v1/token ignores its body, even a malformed one', async ({ ada: as, expect }) => {
  const { json } = await expect(201, ISSUE, { as, body: '{"expiration":' });
  assert.equal(json['expiration_date'], '2026-01-01T00:10:00.000');
});

people('a token may issue another token, and many may be valid at the same time', async (world) => {
  const first = await world.issueToken(world.ada);
  const second = await world.issueToken(first);
  assert.notEqual(first, second);
  assert.deepEqual(await world.signIn(first, second), [200, 200]);
});

for (const line of [ISSUE, 'POST /api/v1/tokens']) {
  api(`of 20 concurrent ${line} with a token, only as many as tokens may make are 201`, {
    tokensPerUserMax: 6, // with tokens, a user can issue only 5 of the 6 tokens
  }, async ({ call, expect, registerWithToken }) => {
    const as = await registerWithToken('ada');
    const issued: string[] = [];
    const issue = async () => {
      const answer = await call(line, { as, json: {} });
      if (answer.status === 201) {
        issued.push(`Bearer ${answer.json['token']}`);
      } else {
        assert.equal(answer.json['type'], '/static/problems.html#too-many-tokens');
      }
      return answer;
    };
    assert.deepEqual(await atOnce(20, issue), [...times(4, 201), ...times(16, 422)]);
    await expect(200, REVOKE, { as: issued[0] });
    assert.deepEqual(await inTurn(2, issue), [201, 422]);
  });
}

people('a thief who issues tokens with a stolen one does not keep the owner from signing in', {
  tokensPerUserMax: 10,
}, async ({ ada, call, issueToken }) => {
  const stolen = await issueToken(ada);
  const issue = (as: string) => call('POST /api/v1/tokens', { as, json: {} });
  assert.deepEqual(await inTurn(10, () => issue(stolen)), [...times(8, 201), 422, 422]);
  assert.deepEqual(await inTurn(2, () => issue(ada)), [201, 422]);
});

for (const [title, line, json] of [
  ['POST /api/v1/token', `${ISSUE}?expiration=31536000`, undefined],
  ['POST /api/v1/tokens', 'POST /api/v1/tokens', { expiration: 31_536_000 }],
] as const) {
  people(`${title} for a year, with a token of 10 seconds, is 201 for 10 seconds`, async (world) => {
    const as = await world.issueToken(world.ada, '?expiration=10');
    world.clock.nowMs += 4_000;
    const answer = await world.expect(201, line, { as, json });
    assert.equal(answer.json['expiration_date'], '2026-01-01T00:00:10.000');
    world.clock.nowMs += 6_000;
    assert.deepEqual(await world.signIn(`Bearer ${answer.json['token']}`), [401]);
  });
}

for (const [title, line, isOwner] of [
  ['DELETE /api/v1/token with its parent', REVOKE, false],
  ['DELETE /api/v1/tokens/1', 'DELETE /api/v1/tokens/1', true],
  ['DELETE /api/v1/tokens', 'DELETE /api/v1/tokens', true],
] as const) {
  people(`${title} revokes the tokens issued with the token, and their descendants`, async (world) => {
    const parent = await world.issueToken(world.ada);
    const child = await world.issueToken(parent);
    const grandchild = await world.issueToken(child);
    assert.deepEqual(await world.signIn(grandchild), [200]);
    await world.expect(200, line, { as: isOwner ? world.ada : parent });
    assert.deepEqual(await world.signIn(parent, child, grandchild), [401, 401, 401]);
  });
}

// spec 2.3-2, 3-2, 4.2-2
people('a token is valid a millisecond before its expiration, and expired at that moment', async (world) => {
  const as = await world.issueToken(world.ada, '?expiration=1');
  world.clock.nowMs += 999;
  assert.deepEqual(await world.signIn(as), [200]);
  world.clock.nowMs += 1;
  assert.deepEqual(await world.signIn(as), [401]);
});

for (const [expiration, status] of [
  ['1', 201], ['31536000', 201], ['007', 201],
  ['0', 400], ['31536001', 400], ['-1', 400], ['+1', 400], ['1.5', 400], ['1e3', 400], ['', 400],
  ['ten', 400], [' 1', 400],
  ['9'.repeat(400), 400], ['0x10', 400], ['NaN', 400], ['٣', 400], ['1&expiration=2', 400],
] as const) {
  // spec 4.2-2, 7-8
  people(`expiration=${expiration.slice(0, 20)} answers ${status}`, async ({ ada: as, expect }) => {
    const encoded = expiration.replace('+', '%2B').replace(' ', '%20').replace('٣', '%D9%A3');
    const { json } = await expect(status, `${ISSUE}?expiration=${encoded}`, { as });
    assert.equal(/"expiration"/.test(json['detail']), status === 400);
  });
}

/**
 * `after`: the statuses of sign-ins with two tokens of ada, one of eve and one of root, after the revocation.
 */
for (const [by, query, status, after] of [
  ['a token of ada', '', 200, [401, 200, 200, 200]],
  ['the password of ada', '', 200, [401, 401, 200, 200]],
  ['a token of root', '?username=ADA', 200, [401, 401, 200, 200]],
  ['a token of root', '?username=nobody', 404, [200, 200, 200, 200]],
  ['a token of ada', '?username=eve', 200, [401, 200, 200, 200]],
  ['a token of ada', '?username=nobody', 200, [401, 200, 200, 200]],
] as const) {
  // spec 3-3, 4.3-3, 4.3-4, 4.3-5, 4.3-6, 4.3-7, 5-6, 7-4
  people(`DELETE /api/v1/token${query} with ${by} is ${status}; then tokens: ${after}`, async (world) => {
    const { ada, eve, expect, issueToken, root } = world;
    const [first, second] = [await issueToken(ada), await issueToken(ada)];
    const [ofEve, ofRoot] = [await issueToken(eve), await issueToken(root)];
    const as = { 'a token of ada': first, 'the password of ada': ada, 'a token of root': ofRoot }[by];
    const { json } = await expect(status, `${REVOKE}${query}`, { as });
    assert.equal(json['token_status'], status === 200 ? 'deleted' : undefined);
    assert.deepEqual(await world.signIn(first, second, ofEve, ofRoot), after);
    await expect(200, REVOKE, { as: ada }); // ada can revoke all tokens even if none is left
  });
}

for (const password of ['unused', 'x', 'ada-password']) {
  // spec 5-2
  people(`a token as username with the password "${password}" signs in until revoked`, async (world) => {
    const as = basic((await world.issueToken(world.ada)).replace('Bearer ', ''), password);
    assert.equal((await world.call('GET /api/v1/user', { as })).json['sign_in'], 'token');
    await world.expect(200, REVOKE, { as });
    assert.deepEqual(await world.signIn(as), [401]);
  });
}
