/**
 * Tests two servers that write to one file at the same time. Each server must immediately see the writes of
 * the other server. A server with a stale cache of callers would give a wrong response in this test.
 */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { inFull } from '../support/faults.ts';
import { call, type CallOptions } from '../support/http-client.ts';
import { startServer } from '../support/programs.ts';
import { startWithRoot } from '../support/stored-user.ts';

const ROUNDS = inFull(10_000, { short: 320 });
const CLIENTS = 32;

type Place = 'here' | 'there';

test(`each of two servers on one file sees each acknowledged write (${ROUNDS} rounds)`, async (t) => {
  const { environment, as: root, server: here } = await startWithRoot(t);
  const copies = { here, there: await startServer(t, environment) };
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const wrong: string[] = [];
  let checks = 0;

  async function expect(expected: number, place: Place, line: string, options: CallOptions) {
    const { status, text, json } = await call(copies[place].port, line, { agent, ...options });
    checks += 1;
    if (status !== expected) {
      wrong.push(`${status} instead of ${expected} for ${line}: ${text}`);
    }
    return json;
  }

  /** In each round, the reading server commits nothing, because a commit would empty its cache. */
  async function runRound(name: string, writer: Place, reader: Place): Promise<void> {
    const { token } = await expect(201, writer, 'POST /api/v1/token?expiration=86400', { as: root });
    const as = `Bearer ${token}`;
    // The writing server records the use of the token with a commit. Then both servers cache the token.
    await expect(200, writer, 'GET /api/v1/user', { as });
    await expect(200, reader, 'GET /api/v1/user', { as });
    const { id } = await expect(201, writer, 'POST /api/v1/projects', { as, json: { name } });
    await expect(200, reader, `GET /api/v1/projects/${name}`, { as });
    await expect(200, writer, `PATCH /api/v1/projects/${id}`, { as, json: { description: name } });
    const { description } = await expect(200, reader, `GET /api/v1/projects/${id}`, { as });
    assert.equal(description, name);
    await expect(200, writer, `DELETE /api/v1/projects/${id}`, { as });
    await expect(404, reader, `GET /api/v1/projects/${name}`, { as });
    await expect(200, writer, 'DELETE /api/v1/token', { as });
    await expect(401, reader, 'GET /api/v1/user', { as });
    await expect(401, writer, 'GET /api/v1/user', { as });
  }

  for (const [writer, reader] of [['here', 'there'], ['there', 'here']] as const) {
    let round = 0;
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      while (round < ROUNDS / 2) {
        round += 1;
        await runRound(`${writer}-${round}`, writer, reader);
      }
    }));
  }
  t.diagnostic(`${checks} answers, ${wrong.length} of them wrong`);
  assert.deepEqual(wrong.slice(0, 10), []);
});
