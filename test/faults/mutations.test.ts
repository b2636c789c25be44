/** `SEED=… npm run test:faults` repeats the requests of a run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFull } from '../support/faults.ts';
import { startWithRoot, storeUser } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { createRandom, createRequest } from '../support/mutations.ts';
import { exchangeRaw } from '../support/raw-http.ts';

const REQUESTS = inFull(100_000, { short: 5_000 });
/** Some requests revoke tokens, so the test creates new tokens after every `RENEWED_EVERY` requests. */
const RENEWED_EVERY = 500;
const CONNECTIONS = 32;
/** If a client closes its sending side, the service treats the connection as lost, and responds with 503. */
const BUSY = /HTTP\/1\.1 503 [^]*?problems\.html#busy/g;
/** This timeout is shorter than the timeout of the test, so that the error message can show the request. */
const ANSWER_MS_MAX = 600_000;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);

test(`${REQUESTS} random requests (SEED=${seed}) get no 5xx, and cause no crash`, async (t) => {
  const { environment, server, as: root } = await startWithRoot(t, { METRICS: 'on' });
  const issue = async (as: string) =>
    (await call(server.port, 'POST /api/v1/token?expiration=86400', { as })).json['token'];
  const other = storeUser(environment, 'other');
  const credentials = { token: await issue(root), spare: await issue(other), password: other };

  const random = createRandom(seed);
  const statuses = new Map<string, number>();
  let remaining = REQUESTS;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (remaining > 0) {
      remaining -= 1;
      if (remaining % RENEWED_EVERY === 0) {
        Object.assign(credentials, { token: await issue(root), spare: await issue(other) });
      }
      const bytes = createRequest(random, credentials);
      const request = `SEED=${seed} ${JSON.stringify(bytes.toString('latin1'))}`;
      const answer = await exchangeRaw(server.port, bytes, { keepsSending: false, timeoutMs: ANSWER_MS_MAX })
        .catch((cause: unknown) => assert.fail(`${request}: ${cause}`));
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'cut off';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      assert.doesNotMatch(answer.replace(BUSY, ''), /(^|\n)HTTP\/1\.1 5/, request);
    }
  }));

  const answers = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
  t.diagnostic(`SEED=${seed}; answers: ${answers.join(', ')}`);
  assert.equal((await call(server.port, 'GET /api/v1/user', { as: root })).json['username'], 'root');
  assert.deepEqual(server.logLines.filter((line) => JSON.parse(line).level === 'error'), []);
  assert.ok((statuses.get('200') ?? 0) > REQUESTS / 10, 'hardly any request reached the handlers');
  assert.equal(await server.stop('SIGTERM'), 0);
});
