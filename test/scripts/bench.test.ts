import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, toUsername } from '../../scripts/bench/fill.ts';
import { createReader } from '../../scripts/bench/http.ts';
import { measureWorkload, median } from '../../scripts/bench/measure.ts';
import { startService } from '../../scripts/bench/service.ts';
import { createWorkloads, issueTokens, WORKLOAD_NAMES } from '../../scripts/bench/workloads.ts';
import { each } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';

test('the service answers every workload as expected', async (t) => {
  const databaseUrl = `sqlite:${createFolder(t)}/service.sqlite`;
  await fill(databaseUrl, 1_000);
  const service = await startService(databaseUrl, [], { nodes: [], leader: undefined });
  t.after(() => service.stop());
  const workloads = createWorkloads(1_000, await issueTokens(service.port));
  for (const name of WORKLOAD_NAMES) {
    await t.test(name, async () => {
      const effort = { rounds: 1, seconds: 0.1, connections: 2 };
      const result = await measureWorkload({ name, workload: workloads[name], service, ...effort });
      assert.ok(result.figures.rate > 0);
    });
  }
});

each('all of {0} users have different names', [1_000, 100_000], (userCount) => {
  const names = Array.from({ length: userCount }, (_, index) => toUsername(index, userCount));
  assert.equal(new Set(names).size, userCount);
});

const SHORT = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

each('a response {0} is complete at its last byte', [
  ['in one chunk', [SHORT], [200]],
  ['byte by byte', [...SHORT], [...Array(SHORT.length - 1).fill(undefined), 200]],
  ['without content', ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'], [200]],
  ['of status 304', ['HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n'], [304]],
  ['after other responses', [SHORT, SHORT], [200, 200]],
], ([, chunks, expected]) => {
  const read = createReader();
  assert.deepEqual(chunks.map((chunk) => read(Buffer.from(chunk))), expected);
});

each('"{0}" is no response that can be framed', [
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
  'SSH-2.0-OpenSSH\r\n\r\n',
], (text) => {
  assert.throws(() => createReader()(Buffer.from(text)), /Cannot frame/);
});

test('the median of two numbers is their mean', () => {
  assert.deepEqual([[], [3], [9, 1], [9, 1, 2]].map(median), [NaN, 3, 5, 2]);
});
