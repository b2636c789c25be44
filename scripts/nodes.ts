/**
 * Starts three nodes of a database cluster as local processes on the loopback address. The nodes end when the
 * process that started them ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findTool } from './tools.ts';

const SIZE = 3;
const READY_POLL_MS = 50;
const READY_TIMEOUT_MS = 600_000;

/** With these flags of rqlited, an election takes tenths of a second, not seconds. */
export const HASTY = [
  '-raft-timeout', '300ms', '-raft-election-timeout', '300ms', '-raft-leader-lease-timeout', '200ms',
];

/** With these flags of rqlited, a busy machine causes no elections. */
export const PATIENT = [
  '-raft-timeout', '3s', '-raft-election-timeout', '3s', '-raft-leader-lease-timeout', '2s',
];

export type Node = ReturnType<typeof createNode>;
export type Nodes = Awaited<ReturnType<typeof startNodes>>;

/** A test can put a simulated network between nodes. @returns The ports at which nodes find each other. */
type Expose = (raftPorts: readonly number[]) => Promise<readonly number[]>;

/** @param folder - A new or empty folder for the data and the logs of the nodes. */
export async function startNodes(
  folder: string, flags: readonly string[] = [], expose: Expose = async (raftPorts) => raftPorts,
) {
  const ports = await findFreePorts(2 * SIZE);
  const [httpPorts, raftPorts] = [ports.slice(0, SIZE), ports.slice(SIZE)];
  const exposedPorts = await expose(raftPorts);
  const addresses = exposedPorts.map((port) => `127.0.0.1:${port}`);
  const clusterFlags = ['-fk', '-bootstrap-expect', String(SIZE), '-join', addresses.join()];
  const create = (port: number, index: number) => createNode(`node-${index + 1}`, port, folder, [
    ...clusterFlags, '-http-addr', `127.0.0.1:${port}`,
    '-raft-addr', `127.0.0.1:${raftPorts[index]}`, '-raft-adv-addr', addresses[index] ?? '', ...flags,
  ]);
  const all = httpPorts.map(create) as [Node, Node, Node];
  const nodes = {
    all,
    /** For the setting `DATABASE_URL`. */
    url: `rqlite://${httpPorts.map((port) => `127.0.0.1:${port}`).join(',')}`,
    ready: () => Promise.all(all.map((node) => poll(`${node.name} to be ready`, node.isReady))),
    findLeader: () => poll('a leader', () => findLeaderOf(all)),
    stop: () => Promise.all(all.map((node) => node.end('SIGKILL'))),
  };
  // This handler of `exit` must run first, because a later handler removes the folder of the nodes.
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

function createNode(name: string, port: number, folder: string, flags: readonly string[]) {
  const logFile = join(folder, `${name}.log`);
  let child: ChildProcess | undefined;
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  return {
    name,
    /** For HTTP, not for Raft. */
    port,
    databaseFile: join(folder, name, 'db.sqlite'),
    start(...moreFlags: readonly string[]): void {
      const log = openSync(logFile, 'a');
      const programArguments = ['-node-id', name, ...flags, ...moreFlags, join(folder, name)];
      child = spawn(findTool('rqlited'), programArguments, { stdio: ['ignore', log, log] });
      closeSync(log); // the node has its own handle of the log file
    },
    pid: () => child?.pid,
    /** @throws Error if the node has ended, for example because another process has taken the node's port. */
    async isReady(): Promise<true | undefined> {
      if (!isRunning()) {
        throw new Error(`${name} has ended: ${readFileSync(logFile, 'utf8').trim().split('\n').at(-1)}`);
      }
      const url = `http://127.0.0.1:${port}/readyz?timeout=1s`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      return answer?.ok || undefined; // a node that is not listening yet sends no answer
    },
    send: (signal: NodeJS.Signals) => child?.kill(signal),
    async end(signal: NodeJS.Signals): Promise<void> {
      if (child !== undefined && isRunning()) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
    },
  };
}

/**
 * Finds the leader of the latest term. Each election begins a new term. A leader that was frozen during the
 * election sometimes still reports itself as leader of the old term.
 */
async function findLeaderOf(nodes: readonly Node[]): Promise<Node | undefined> {
  const states = await Promise.allSettled(nodes.map(async (node) => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/status`, { signal: AbortSignal.timeout(500) });
    const { store } = await answer.json() as { store: { raft: { state: string; term: number } } };
    return { node, ...store.raft };
  }));
  return states
    .flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    .filter(({ state }) => state === 'Leader')
    .sort((left, right) => right.term - left.term)[0]?.node;
}

/** @param ask - Until there is a value, `ask` returns `undefined`. */
async function poll<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  const endsAtMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    const answer = await ask();
    if (answer !== undefined) {
      return answer;
    }
    await pause(READY_POLL_MS);
  }
  throw new Error(`Waited ${READY_TIMEOUT_MS} ms in vain for ${what}`);
}

async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
