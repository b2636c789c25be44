/** A network that loses answers: stands before a node, passes requests on, and breaks the connection instead of answering. */
import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

interface LosingProxy {
  readonly port: number;
  /** How many of the next answers to `/db/execute` and `/db/request` are lost. */
  answersToLose: number;
  /** How many of the next requests to these are kept back, neither passed on nor answered. */
  requestsToDelay: number;
  /** Passes on what was kept back, and waits until the node has dealt with it. */
  deliverDelayed(): Promise<void>;
}

/** @param port - Of the node. */
export async function startLosingProxy(context: TestContext, port: number): Promise<LosingProxy> {
  const delayed: (() => Promise<unknown>)[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const isWrite = /^\/db\/(execute|request)/.test(incoming.url ?? '');
    if (isWrite && proxy.requestsToDelay > 0) {
      proxy.requestsToDelay -= 1;
      delayed.push(() => pass(incoming, body));
      incoming.socket.destroy();
      return;
    }
    const { status, content } = await pass(incoming, body);
    if (isWrite && proxy.answersToLose > 0) {
      proxy.answersToLose -= 1;
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(status).end(content);
  });

  async function pass({ method, url, headers }: IncomingMessage, body: Buffer) {
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }).end(body);
    const [answer] = await once(outgoing, 'response') as [IncomingMessage];
    return { status: answer.statusCode ?? 0, content: await buffer(answer) };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const proxy: LosingProxy = {
    port: (server.address() as AddressInfo).port,
    answersToLose: 0,
    requestsToDelay: 0,
    async deliverDelayed() {
      await Promise.all(delayed.splice(0).map((deliver) => deliver()));
    },
  };
  return proxy;
}
