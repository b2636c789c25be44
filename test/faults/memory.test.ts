import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { ROOT } from '../support/administrator.ts';
import { inFull } from '../support/faults.ts';
import { startWithRoot } from '../support/filled-file.ts';
import { call, KEEP_ALIVE, type CallOptions } from '../support/http-client.ts';
import { measuredTest, readMib } from '../support/process-use.ts';
import type { RunningServer } from '../support/programs.ts';
import { exchangeRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const WARM_UP = inFull(20_000, { short: 1_000 });
const REQUESTS = inFull(200_000, { short: 6_000 });
/** SQLite's cache can take 32 MiB. In the long test, leaking 560 bytes per request would exceed the limit. */
const GROWTH_MIB_MAX = 96;
const CONNECTIONS = 32;
const DESCRIPTORS_MORE_MAX = 4;

measuredTest(`memory after ${REQUESTS} mixed requests is at most ${GROWTH_MIB_MAX} MiB above that ` +
  `after ${WARM_UP}, and no descriptor is left open`,
  async (t) => {
    const { server, port, as } = await startWithRoot(t);
    const descriptors = countDescriptors(server);

    const ask = async (line: string, options: CallOptions) =>
      (await call(port, line, { ...options, agent: KEEP_ALIVE })).status;

    async function round(number: number): Promise<void> {
      const name = `project-${number}`;
      const statuses = [
        await ask('POST /api/v1/projects', { as, json: { name, description: 'x'.repeat(1_000) } }),
        await ask(`DELETE /api/v1/projects/${name}`, { as }),
        await ask('GET /api/v1/users?contains=o', { as: ROOT }),
        await ask(`GET /api/v1/users/nobody-${number}`, { as }),
        await ask('GET /api/v1/user', { as: `Bearer rollcall_${number}` }),
        await ask('POST /api/v1/users', { json: { username: number } }),
        (await call(port, 'GET /static/index.html', { // without `agent`, the request opens a new connection
          headers: { 'Accept-Encoding': `gzip, x-${number}` },
        })).status,
      ];
      await exchangeRaw(port, `GET /${number} HTTP/9\r\n\r\n`);
      assert.deepEqual(statuses, [201, 200, 200, 404, 401, 400, 200]);
    }

    let rounds = 0;
    async function answer(requests: number): Promise<number> {
      await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
        while (rounds < requests / 8) {
          rounds += 1;
          await round(rounds);
        }
      }));
      return readMib(server.process.pid ?? 0, 'VmRSS');
    }

    const before = await answer(WARM_UP);
    const after = await answer(REQUESTS);
    KEEP_ALIVE.destroy();
    // the server closes each connection a little later than the client
    await until(() => countDescriptors(server) <= descriptors + DESCRIPTORS_MORE_MAX, 50);
    t.diagnostic(
      `${before.toFixed(1)} MiB after ${WARM_UP} requests, ${after.toFixed(1)} MiB after ${REQUESTS}`,
    );
    assert.ok(after - before < GROWTH_MIB_MAX);
  });

function countDescriptors({ process: { pid } }: RunningServer): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
