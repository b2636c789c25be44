import assert from 'node:assert/strict';
import { once } from 'node:events';
import { clusterTest } from '../support/cluster.ts';
import { findProcesses, launchMarked, untilNoneIsLeft } from '../support/npm-scripts.ts';

clusterTest('it prints the leader, also after the leader was killed, and stops with npm', async (t) => {
  const { process: npm, mark, logLines, untilLine } = launchMarked(t, ['npm', 'run', 'cluster']);
  const [leader = ''] = /node-\d/.exec(await untilLine('leader: node')) ?? [];
  const line = logLines.map((text) => new RegExp(`^  ${leader} .* pid (\\d+)$`).exec(text)).find(Boolean);
  process.kill(Number(line?.[1]), 'SIGKILL');
  await untilLine('leader: node', 2);
  assert.ok(findProcesses(mark).length >= 6);
  const closed = once(npm, 'close');
  npm.kill('SIGTERM');
  await untilNoneIsLeft(mark);
  await closed;
});
