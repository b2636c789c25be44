/**
 * Simulates a network that loses responses. The proxy forwards requests to a node, and breaks connections
 * instead of responding.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen, passOn } from './listen.ts';

/** @param port - The port of the node. */
export async function startLosingProxy(context: TestContext, port: number) {
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
    const { answer, content } = await pass(incoming, body);
    const counter = isWrite ? 'answersToLose' : 'readAnswersToLose';
    if (proxy[counter] > 0) {
      proxy[counter] -= 1;
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 0).end(content);
  });

  const pass = (incoming: IncomingMessage, body: Buffer) => passOn(incoming, body, { port, agent: false });

  const proxy = {
    port: await listen(context, server),
    /**
     * The numbers of requests so far. `reads` counts requests to `/db/query`; `writes` counts requests to
     * `/db/execute`.
     */
    requests: { reads: 0, writes: 0 },
    /** The number of upcoming responses to writes that the proxy loses. */
    answersToLose: 0,
    /** The number of upcoming responses to reads that the proxy loses. */
    readAnswersToLose: 0,
    /** The number of upcoming writes that the proxy holds back. */
    requestsToDelay: 0,
    /** Forwards the requests that were held back, and waits until the node has processed them. */
    async deliverDelayed(): Promise<void> {
      await Promise.all(delayed.splice(0).map((deliver) => deliver()));
    },
  };
  return proxy;
}
