/** `npm run cluster`, which starts its own cluster. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { skipWithoutCluster } from '../support/database.ts';
import { findProcesses, launch, untilNoneIsLeft } from '../support/npm-scripts.ts';

const options = { skip: skipWithoutCluster };

test('it prints the leader, also after the leader was killed, and stops with npm', options, async (t) => {
  const { child, mark, lines, untilLogged } = await launch(t, ['npm', 'run', 'cluster'], {}, 'leader: node');
  const [leader = ''] = /node-\d/.exec(lines.find((line) => line.includes('leader: ')) ?? '') ?? [];
  const pid = lines.map((line) => new RegExp(`^  ${leader} .* pid (\\d+)$`).exec(line)?.[1]).find(Boolean);
  process.kill(Number(pid), 'SIGKILL');
  await untilLogged('leader: node', 2);
  assert.ok(findProcesses(mark).length >= 6);
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await untilNoneIsLeft(mark);
  await closed;
});
