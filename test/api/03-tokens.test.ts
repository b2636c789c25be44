import assert from 'node:assert/strict';
import { answers, atOnce, inTurn, people, times } from '../support/service.ts';

const ISSUE = 'POST /api/v1/token';
const REVOKE = 'DELETE /api/v1/token';

// spec 2.3-2, 3-2, 4.2-3, 4.2-4, 4.2-5, 8-6
people('POST /api/v1/token is 201 with a token for ten minutes, a date without a zone', async (world) => {
  for (const body of [undefined, '{"expiration":']) { // the service ignores the body
    const { headers, json } = await world.expect(201, ISSUE, { as: world.ada, body });
    assert.equal(headers['location'], '/api/v1/token');
    assert.match(json['token'], /^rollcall_[\w-]{49}$/);
    assert.equal(json['expiration_date'], '2026-01-01T00:10:00.000');
  }
});

people.each('of 20 concurrent {0} with a stolen token, only 8 are 201; the owner can sign in', [
  ISSUE, 'POST /api/v1/tokens',
], async ({ ada, call, clock, expect, issueToken }, line) => {
  const stolen = await issueToken(ada);
  const issued: string[] = [];
  const issue = (as: string) => async () => {
    const answer = await call(line, { as, json: {} });
    if (answer.status === 201) {
      issued.push(`Bearer ${answer.json['token']}`);
    } else {
      assert.equal(answer.json['type'], '/static/problems.html#too-many-tokens');
    }
    return answer;
  };
  assert.deepEqual(await atOnce(20, issue(stolen)), [...times(8, 201), ...times(12, 422)]);
  assert.deepEqual(await inTurn(2, issue(ada)), [201, 422]);
  await expect(200, REVOKE, { as: issued[0] });
  clock.nowMs += 599_999;
  assert.deepEqual(await inTurn(2, issue(ada)), [201, 422]);
  clock.nowMs += 1; // nine of the ten tokens have expired
  assert.deepEqual(await inTurn(10, issue(ada)), [...times(9, 201), 422]);
}, { tokensPerUserMax: 10 });

// spec 2.3-2, 3-2, 4.2-2
people.each('a token of 10 seconds expires then, and so does a token that it issues with {0}', [
  [`${ISSUE}?expiration=31536000`, undefined], ['POST /api/v1/tokens', { expiration: 31_536_000 }],
], async (world, [line, json]) => {
  const as = await world.issueToken(world.ada, '?expiration=10');
  const shorter = await world.expect(201, 'POST /api/v1/token?expiration=9', { as });
  assert.equal(shorter.json['expiration_date'], '2026-01-01T00:00:09.000');
  world.clock.nowMs += 4_000;
  const answer = await world.expect(201, line, { as, json });
  assert.equal(answer.json['expiration_date'], '2026-01-01T00:00:10.000');
  for (const [laterMs, status] of [[5_999, 200], [1, 401]] as const) {
    world.clock.nowMs += laterMs;
    assert.deepEqual(await world.signIn(as, `Bearer ${answer.json['token']}`), [status, status]);
  }
});

people.each('{0} with {1} revokes that token, the tokens issued with it, and their descendants', [
  [REVOKE, 'a token'], ['DELETE /api/v1/tokens/1', 'a password'], ['DELETE /api/v1/tokens', 'a password'],
  ['DELETE /api/v1/tokens', 'a token'],
], async ({ ada, eve, expect, issueToken, signIn }, [line, by]) => {
  const parent = await issueToken(ada);
  const child = await issueToken(parent);
  const grandchild = await issueToken(child);
  const tokens = [parent, child, grandchild, await issueToken(eve)];
  assert.deepEqual(await signIn(...tokens), times(4, 200));
  await expect(200, line, { as: by === 'a token' ? parent : ada });
  assert.deepEqual(await signIn(...tokens), [401, 401, 401, 200]);
});

people('a token that revokes itself revokes 500 descendants, but no parent or sibling', async (world) => {
  const parent = await world.issueToken(world.ada);
  const [revoked, sibling] = [await world.issueToken(parent), await world.issueToken(parent)];
  const niece = await world.issueToken(sibling);
  let last = revoked;
  for (let count = 1; count <= 500; count += 1) {
    last = await world.issueToken(last);
  }
  await world.expect(200, REVOKE, { as: revoked });
  assert.deepEqual(await world.signIn(parent, sibling, niece, revoked, last), [200, 200, 200, 401, 401]);
});

// spec 4.2-2, 7-8
answers('POST /api/v1/token?expiration=*', [
  ...['1', '31536000', '007'].map((value) => ['ada', value, undefined, 201] as const),
  ...[
    '0', '31536001', '-1', '%2B1', '1.5', '1e3', '', 'ten', '%201', '9'.repeat(400), '0x10', 'NaN', '%D9%A3',
    '1&expiration=2',
  ].map((value) => ['ada', value, undefined, 400] as const),
], {
  async check(_, { json, status }) {
    assert.equal(/"expiration"/.test(json['detail']), status === 400);
  },
});

// spec 3-3, 4.3-3, 4.3-4, 4.3-5, 4.3-6, 4.3-7, 5-6, 7-4
people.each('DELETE /api/v1/token{1} with {0} is {2}; then tokens of ada, ada, eve, root: {3}', [
  ['a token of ada', '', 200, [401, 200, 200, 200]],
  ['the password of ada', '', 200, [401, 401, 200, 200]],
  ['a token of root', '?username=ADA', 200, [401, 401, 200, 200]],
  ['a token of root', '?username=nobody', 404, [200, 200, 200, 200]],
  ['a token of root', '?username=', 404, [200, 200, 200, 200]],
  ['a token of ada', '?username=', 200, [401, 200, 200, 200]],
  ['a token of ada', '?username=eve', 200, [401, 200, 200, 200]],
  ['a token of ada', '?username=nobody', 200, [401, 200, 200, 200]],
], async ({ ada, eve, expect, issueToken, root, signIn }, [by, query, status, after]) => {
  const [first, second] = [await issueToken(ada), await issueToken(ada)];
  const [ofEve, ofRoot] = [await issueToken(eve), await issueToken(root)];
  const as = { 'a token of ada': first, 'the password of ada': ada, 'a token of root': ofRoot }[by];
  const { json } = await expect(status, `${REVOKE}${query}`, { as });
  assert.equal(json['token_status'], status === 200 ? 'deleted' : undefined);
  assert.deepEqual(await signIn(first, second, ofEve, ofRoot), after);
  await expect(200, REVOKE, { as: ada }); // succeeds even if ada has no token left
});
