import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { HASTY, startNodes, type Node, type Nodes } from '../../scripts/nodes.ts';
import { parseDatabaseUrl, type RqliteLocation } from '../../src/database/location.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { skipWithoutCluster } from './database.ts';
import { testUnless } from './each.ts';

export const clusterTest = testUnless(skipWithoutCluster);

export async function startCluster(
  context: TestContext, expose?: Parameters<typeof startNodes>[2],
): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
  const nodes = await startNodes(folder, HASTY, expose);
  context.after(async () => {
    await nodes.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return nodes;
}

export function locationOf(url: string): RqliteLocation {
  const location = parseDatabaseUrl(url);
  assert(location?.driver === 'rqlite');
  return location;
}

export async function openThrough(context: TestContext, ...nodes: readonly Pick<Node, 'port'>[]) {
  const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const database = await openRqlite(locationOf(`rqlite://${places.join(',')}`));
  context.after(() => database.close());
  return database;
}

/** With `level=none`, the node does not ask other nodes. */
export async function readNode({ port }: Node, sql: string): Promise<readonly (readonly unknown[])[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/db/query?level=none`, {
    method: 'POST', body: JSON.stringify([sql]),
  });
  const { results } = await answer.json() as { results: { values?: unknown[][] }[] };
  return results[0]?.values ?? [];
}
