import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { each } from '../support/each.ts';
import { basic, call as send, KEEP_ALIVE as agent } from '../support/http-client.ts';
import { BEHIND_PROXY, startService, type TestService } from '../support/service.ts';
import { sql } from '../support/sql.ts';

const BYTES_A_DAY_MAX = 250_000_000;
const CHANGES_A_DAY = 24 * 20_000;
const BYTES_A_CHANGE_MAX = Math.floor(BYTES_A_DAY_MAX / CHANGES_A_DAY);

const WARM_UP = 100;
const MEASURED = 300;

const headers = {
  'X-Forwarded-For': '2001:db8:1111:2222:3333:4444:5555:6666', 'X-Request-Id': 'r'.repeat(128),
};

/** Each character of the name has four bytes. */
function toLongName(length: number, number: number): string {
  const digits = Array.from(String(number), (digit) => String.fromCodePoint(0x10430 + Number(digit)));
  return '\u{10428}'.repeat(length - digits.length) + digits.join('');
}

async function start(t: TestContext) {
  const service = await startService(t, { changesPerUserMax: 0, ...BEHIND_PROXY });
  const username = toLongName(64, 0);
  const as = basic(username, `${username}-password`);
  await service.register(username);
  const call = async (line: string, json?: object, credentials = as) => {
    const answer = await send(service.port, line, { as: credentials, headers, agent, ...(json && { json }) });
    assert.ok(answer.status < 300, `${line}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const { token } = await call('POST /api/v1/token?expiration=1000000');
  const callByToken = (line: string, json?: object) => call(line, json, `Bearer ${token}`);
  await callByToken('POST /api/v1/projects', { name: 'x' });
  return { service, call: callByToken, callBasic: call };
}

async function sizeOf({ database }: TestService): Promise<number> {
  const [row] = await database.read(sql(`
    SELECT (page_count - freelist_count) * page_size AS size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`));
  return Number(row?.['size']);
}

type Loop = (world: Awaited<ReturnType<typeof start>>) => (number: number) => Promise<unknown>;
type Row = readonly [title: string, changes: number, loop: Loop];

each<Row>(`to {0} in a loop adds less than ${BYTES_A_CHANGE_MAX} bytes a change`, [
  ['rename a project', 1, ({ call }) => (number) =>
    call('PATCH /api/v1/projects/1', { name: toLongName(255, number) })],
  ['rename a project to quotes', 1, ({ call }) => (number) =>
    call('PATCH /api/v1/projects/1', { name: String(number).padEnd(64, '"') })],
  ['create and delete a project', 2, ({ call }) => async (number) => {
    const { id } = await call('POST /api/v1/projects', { name: toLongName(255, number) });
    await call(`DELETE /api/v1/projects/${id}`);
  }],
  ['change the email address', 1, ({ call }) => (number) =>
    call('PATCH /api/v1/users/1', { email: `${number}@${'x'.repeat(60)}.example` })],
  ['change the username', 1, ({ callBasic }) => async (number) => {
    const as = basic(toLongName(64, number), `${toLongName(64, 0)}-password`);
    await callBasic('PATCH /api/v1/users/1', { username: toLongName(64, number + 1) }, as);
  }],
  ['issue and revoke a token', 2, ({ call }) => async (number) => {
    const { id } = await call('POST /api/v1/tokens', { name: toLongName(100, number) });
    await call(`DELETE /api/v1/tokens/${id}`);
  }],
  ['issue tokens that expire', 1, ({ call, service }) => async (number) => {
    await call('POST /api/v1/tokens', { name: toLongName(100, number), expiration: 1 });
    service.clock.nowMs += 1_000;
  }],
], async ([, changes, loop], t) => {
  const world = await start(t);
  const act = loop(world);
  for (let number = 0; number < WARM_UP; number += 1) {
    await act(number);
  }
  const before = await sizeOf(world.service);
  for (let number = WARM_UP; number < WARM_UP + MEASURED; number += 1) {
    await act(number);
  }
  const bytes = ((await sizeOf(world.service)) - before) / MEASURED / changes;
  t.diagnostic(`${bytes.toFixed(0)} bytes a change, ${(bytes * CHANGES_A_DAY / 1e6).toFixed(0)} MB a day`);
  assert.ok(bytes < BYTES_A_CHANGE_MAX, `${bytes} bytes`);
});
