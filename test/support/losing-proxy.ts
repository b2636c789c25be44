/**
 * A network that loses responses: it forwards requests to a node, and breaks connections instead of
 * responding.
 */
import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

interface LosingProxy {
  readonly port: number;
  /** So far: `reads` counts requests to `/db/query`, `writes` those to `/db/execute`. */
  readonly requests: { reads: number; writes: number };
  /** The number of the next responses to writes to lose. */
  answersToLose: number;
  /** The number of the next responses to reads to lose. */
  readAnswersToLose: number;
  /** The number of the next writes to hold back, neither forwarded nor answered. */
  requestsToDelay: number;
  /** Forwards the requests that were held back, and waits until the node has processed them. */
  deliverDelayed(): Promise<void>;
}

/** @param port - The port of the node. */
export async function startLosingProxy(context: TestContext, port: number): Promise<LosingProxy> {
  const delayed: (() => Promise<unknown>)[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const isWrite = incoming.url?.startsWith('/db/execute') === true;
    proxy.requests[isWrite ? 'writes' : 'reads'] += 1;
    if (isWrite && proxy.requestsToDelay > 0) {
      proxy.requestsToDelay -= 1;
      delayed.push(() => pass(incoming, body));
      incoming.socket.destroy();
      return;
    }
    const { status, content } = await pass(incoming, body);
    const counter = isWrite ? 'answersToLose' : 'readAnswersToLose';
    if (proxy[counter] > 0) {
      proxy[counter] -= 1;
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

  const ownPort = await listen(context, server);
  const proxy: LosingProxy = {
    port: ownPort,
    requests: { reads: 0, writes: 0 },
    answersToLose: 0,
    readAnswersToLose: 0,
    requestsToDelay: 0,
    async deliverDelayed() {
      await Promise.all(delayed.splice(0).map((deliver) => deliver()));
    },
  };
  return proxy;
}
