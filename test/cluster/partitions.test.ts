/**
 * During failures of the network, clients read and write registers. A register is a row with a version. Some
 * clients use all nodes, and other clients use one node each.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Node } from '../../scripts/nodes.ts';
import { DatabaseUnavailableError, type Database } from '../../src/database/database.ts';
import { openThrough } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { testUnless } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { startClusterOnNetwork } from '../support/partitions.ts';
import { findContradictions, type Operation } from '../support/register-history.ts';
import { sql } from '../support/sql.ts';
import { until } from '../support/until.ts';

const ROUNDS = inFull(5, { short: 1 });
/** During this time, the nodes elect a new leader, and the old leader notices its isolation. */
const PARTITION_MS = 2_500;
const CALM_MS = 500;
const REGISTERS = 4;
/** If four or more reads wait, the driver sends an empty write (a barrier) before the reads. */
const READS_AT_ONCE = 8;
const CLIENTS_PER_NODE = 2;
const RETRY_PAUSE_MS = 20;

const onNetwork = testUnless(skipWithoutCluster || (process.platform !== 'linux' && 'there is no /proc'));

/** The pair `[0, 1]` cuts the connection from node 0 to node 1. Node 0 is the leader. */
onNetwork.each('While {0}, and afterwards, the history of registers is linearizable', [
  ['the leader is alone', [[0, 1], [1, 0], [0, 2], [2, 0]], true],
  ['the leader receives nothing', [[1, 0], [2, 0]], true],
  ['no node receives from the leader', [[0, 1], [0, 2]], true],
  ['the leader and one follower are disconnected', [[0, 1], [1, 0]], false],
  ['a follower is alone', [[1, 0], [0, 1], [1, 2], [2, 1]], false],
], async (t, [, cuts, deposesLeader]) => {
  const { nodes, network } = await startClusterOnNetwork(t);
  const everywhere = await openThrough(t, ...nodes.all);
  await everywhere.write([
    sql('CREATE TABLE registers (id INTEGER PRIMARY KEY, version INTEGER, writer TEXT) STRICT'),
    ...Array.from({ length: REGISTERS }, (_, id) => sql("INSERT INTO registers VALUES (?, 0, '')", id)),
  ]);
  const databases = [everywhere, ...await Promise.all(nodes.all.map((node) => openThrough(t, node)))];
  const load = startLoad(databases);
  t.after(() => load.stop());
  for (let round = 1; round <= ROUNDS; round += 1) {
    await pause(CALM_MS);
    const leader = await nodes.findLeader();
    const followers = nodes.all.filter((node) => node !== leader) as [Node, Node];
    const ordered = [leader, ...followers] as const;
    cuts.forEach(([from, to]) => network.cut(ordered[from], ordered[to]));
    await pause(PARTITION_MS);
    if (deposesLeader) {
      await until(async () => (await nodes.findLeader()) !== leader, RETRY_PAUSE_MS);
    }
    network.heal();
    await load.writesAreBack();
  }
  const histories = await load.stop();
  const operations = histories.flat();
  const writes = operations.filter(({ kind }) => kind === 'write');
  t.diagnostic(`${operations.length} operations, ${writes.length} of them writes`);
  for (const history of histories) {
    assert.deepEqual(findContradictions(history), []);
  }
});

function startLoad(databases: readonly Database[]) {
  const histories: Operation[][] = Array.from({ length: REGISTERS }, () => []);
  let isStopping = false;
  let writes = 0;

  async function run(database: Database, client: string): Promise<void> {
    for (let index = 0; !isStopping; index += 1) {
      const id = index % REGISTERS;
      try {
        const ids = Array.from({ length: READS_AT_ONCE }, (_, offset) => (id + offset) % REGISTERS);
        const [version = 0] = await Promise.all(ids.map((other) => read(database, other)));
        await write(database, id, { version, writer: `${client} ${index}` });
      } catch (error) {
        assert(error instanceof DatabaseUnavailableError, String(error));
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  async function read(database: Database, id: number): Promise<number> {
    const beganAt = performance.now();
    const [row] = await database.read(sql('SELECT version, writer FROM registers WHERE id = ?', id));
    const [version, writer] = [Number(row?.['version']), String(row?.['writer'])];
    histories[id]?.push({ kind: 'read', version, writer, beganAt, endedAt: performance.now() });
    return version;
  }

  async function write(
    database: Database, id: number, { version, writer }: Pick<Operation, 'version' | 'writer'>,
  ): Promise<void> {
    const beganAt = performance.now();
    const { counts: [count] } = await database.change([
      sql(
        'UPDATE registers SET version = version + 1, writer = ? WHERE id = ? AND version = ?',
        writer, id, version,
      ),
    ]);
    if (count === 1) {
      writes += 1;
      const endedAt = performance.now();
      histories[id]?.push({ kind: 'write', version: version + 1, writer, beganAt, endedAt });
    }
  }

  const clients = databases.flatMap((database, node) => {
    return Array.from({ length: CLIENTS_PER_NODE }, (_, index) => run(database, `client ${node}-${index}`));
  });
  return {
    async writesAreBack(): Promise<void> {
      const enough = writes + 2 * clients.length;
      await until(() => writes >= enough, RETRY_PAUSE_MS);
    },
    async stop(): Promise<readonly (readonly Operation[])[]> {
      isStopping = true;
      await Promise.all(clients);
      return histories;
    },
  };
}
