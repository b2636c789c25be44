/**
 * Starts three nodes of a database cluster as local processes on the loopback address. The nodes end when the
 * process that started them ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findTool } from './tools.js';

const SIZE = 3;
const READY_POLL_MS = 50;
const READY_TIMEOUT_MS = 600_000;

/**
 * Flags for tests. With these flags, elections take tenths of a second; on a real network, they need seconds.
 */
export const HASTY = [
  '-raft-timeout', '300ms', '-raft-election-timeout', '300ms', '-raft-leader-lease-timeout', '200ms',
];

/**
 * Flags for tests without elections. With these long timeouts, even late heartbeats on a busy machine start
 * no election.
 */
export const PATIENT = [
  '-raft-timeout', '3s', '-raft-election-timeout', '3s', '-raft-leader-lease-timeout', '2s',
];

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {number} port - The port on which the node answers HTTP.
 * @property {string} databaseFile - The SQLite file of the node.
 * @property {(...moreFlags: string[]) => void} start
 * @property {() => number | undefined} pid
 * @property {(signal: NodeJS.Signals) => void} send - `SIGSTOP` freezes the node and `SIGCONT` thaws it.
 * @property {(signal: NodeJS.Signals) => Promise<void>} end - Sends the node a signal that ends it, and waits
 *   until the node has ended.
 */

/**
 * @typedef {object} Nodes
 * @property {readonly Node[]} all
 * @property {string} url - The `DATABASE_URL` of the cluster.
 * @property {() => Promise<void>} ready - Waits until every node is part of the cluster.
 * @property {() => Promise<Node>} findLeader - Waits until the cluster has a leader.
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a new cluster and waits until it is ready.
 *
 * @param {string} folder - A new or empty folder for the data and the logs of the nodes.
 * @param {readonly string[]} flags - Additional flags of rqlited.
 * @param {(raftPorts: readonly number[]) => Promise<readonly number[]>} expose - Maps the ports at which the
 *   nodes find each other. A test uses `expose` to put a simulated network between the nodes.
 * @returns {Promise<Nodes>}
 */
export async function startNodes(folder, flags = [], expose = async (raftPorts) => raftPorts) {
  const ports = await findFreePorts(2 * SIZE);
  const [httpPorts, raftPorts] = [ports.slice(0, SIZE), ports.slice(SIZE)];
  const exposedPorts = await expose(raftPorts);
  const addresses = exposedPorts.map((port) => `127.0.0.1:${port}`);
  const clusterFlags = ['-fk', '-bootstrap-expect', String(SIZE), '-join', addresses.join()];
  const all = httpPorts.map((port, index) => createNode(`node-${index + 1}`, port, folder, [
    ...clusterFlags, '-http-addr', `127.0.0.1:${port}`,
    '-raft-addr', `127.0.0.1:${raftPorts[index]}`, '-raft-adv-addr', addresses[index] ?? '', ...flags,
  ]));
  const nodes = {
    all,
    url: `rqlite://${httpPorts.map((port) => `127.0.0.1:${port}`).join(',')}`,
    async ready() {
      await Promise.all(all.map(({ name, port }) => poll(`${name} to be ready`, () => isReady(port))));
    },
    findLeader: () => poll('a leader', () => findLeaderOf(all)),
    async stop() {
      await Promise.all(all.map((node) => node.end('SIGKILL')));
    },
  };
  // This handler must run first, because a later handler removes the folder.
  process.prependOnceListener('exit', () => all.forEach((node) => node.send('SIGKILL')));
  all.forEach((node) => node.start());
  try {
    await nodes.ready();
  } catch (error) {
    await nodes.stop(); // running nodes would keep this process alive
    throw error;
  }
  return nodes;
}

/**
 * @param {string} name
 * @param {number} port
 * @param {string} folder
 * @param {readonly string[]} flags
 * @returns {Node}
 */
function createNode(name, port, folder, flags) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  return {
    name,
    port,
    databaseFile: join(folder, name, 'db.sqlite'),
    start(...moreFlags) {
      const log = openSync(join(folder, `${name}.log`), 'a');
      const programArguments = ['-node-id', name, ...flags, ...moreFlags, join(folder, name)];
      child = spawn(findTool('rqlited'), programArguments, { stdio: ['ignore', log, log] });
      closeSync(log); // the node has its own handle of the log
    },
    pid: () => child?.pid,
    send(signal) {
      child?.kill(signal);
    },
    async end(signal) {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
    },
  };
}

/** @param {number} port */
async function isReady(port) {
  const url = `http://127.0.0.1:${port}/readyz?timeout=1s`;
  return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok || undefined;
}

/**
 * Finds the leader of the latest term. A node that lost its leadership while it was frozen may still report
 * itself as leader, with an older term.
 *
 * @param {readonly Node[]} nodes
 * @returns {Promise<Node | undefined>}
 */
async function findLeaderOf(nodes) {
  const states = await Promise.allSettled(nodes.map(async (node) => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/status`, { signal: AbortSignal.timeout(500) });
    const { store } =
      /** @type {{ store: { raft: { state: string, term: number } } }} */ (await answer.json());
    return { node, ...store.raft };
  }));
  return states
    .flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    .filter(({ state }) => state === 'Leader')
    .sort((left, right) => right.term - left.term)[0]?.node;
}

/**
 * @template T
 * @param {string} what - A name for the awaited state, for the message after a timeout.
 * @param {() => Promise<T | undefined>} ask - Returns `undefined` or throws while the state is not reached.
 * @returns {Promise<T>}
 */
async function poll(what, ask) {
  const endsAtMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    const answer = await ask().catch(() => undefined); // the node may not listen yet
    if (answer !== undefined) {
      return answer;
    }
    await pause(READY_POLL_MS);
  }
  throw new Error(`Waited ${READY_TIMEOUT_MS} ms in vain for ${what}`);
}

/**
 * @param {number} count
 * @returns {Promise<readonly number[]>} Different ports that were free a moment ago.
 */
async function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map(
    (server) => Number(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
  );
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
