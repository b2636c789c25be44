/**
 * The nodes reach each other through proxies, which can cut each direction separately. All nodes share the
 * address 127.0.0.1, so a proxy reads `/proc` to find the node that opened a connection.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Node, Nodes } from '../../scripts/nodes.ts';
import { startCluster } from './cluster.ts';
import { listen } from './listen.ts';

type Flow = Readonly<Record<'from' | 'to', number> & Record<'source' | 'target', Socket>>;

export async function startClusterOnNetwork(context: TestContext) {
  const flows = new Set<Flow>();
  const cuts = new Set<string>();
  let started: Nodes | undefined;

  function findSender(socket: Socket): number {
    const inode = findInode({ localPort: socket.remotePort ?? 0, remotePort: socket.localPort ?? 0 });
    return started?.all.findIndex((node) => hasSocket(node.pid() ?? 0, inode)) ?? -1;
  }

  function carry(flow: Flow): void {
    flows.add(flow);
    flow.source.on('data', (data) => !cuts.has(`${flow.from} ${flow.to}`) && flow.target.write(data));
    flow.source.on('close', () => {
      flows.delete(flow);
      flow.target.destroy();
    });
    flow.source.on('error', () => {}); // after an error, the handler of `close` closes the target
  }

  function expose(raftPort: number, to: number): Promise<number> {
    const server = createServer((incoming) => {
      const outgoing = connect(raftPort, '127.0.0.1');
      const from = findSender(incoming);
      carry({ from, to, source: incoming, target: outgoing });
      carry({ from: to, to: from, source: outgoing, target: incoming });
    });
    return listen(context, server);
  }

  const nodes = await startCluster(context, (ports) => Promise.all(ports.map(expose)));
  started = nodes;
  // Closes the first connections, because their senders are unknown. Then the nodes reconnect.
  flows.forEach(({ source }) => source.destroy());
  await nodes.ready();
  return {
    nodes,
    network: {
      /** Drops the data that the first node sends to the second node, until `heal` is called. */
      cut: (from: Node, to: Node) => cuts.add(`${nodes.all.indexOf(from)} ${nodes.all.indexOf(to)}`),
      heal(): void {
        const cutFlows = [...flows].filter(({ from, to }) => cuts.has(`${from} ${to}`));
        cuts.clear();
        cutFlows.forEach(({ source }) => source.destroy());
      },
    },
  };
}

/** @returns The inode of the socket that connects the two ports on 127.0.0.1 (proc_net_tcp(5)). */
function findInode(ports: { readonly localPort: number; readonly remotePort: number }): string | undefined {
  const [localAddress, remoteAddress] = [ports.localPort, ports.remotePort]
    .map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').map((line) => line.trim().split(/\s+/));
  return rows.find(([, local, remote]) => local === localAddress && remote === remoteAddress)?.[9];
}

function hasSocket(pid: number, inode: string | undefined): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(`${folder}/${name}`) === `socket:[${inode}]`;
    } catch {
      return false; // the file was closed after `readdirSync` listed it
    }
  });
}
