/** Forwards each request to a node, but breaks some connections instead of responding. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

export async function startLosingProxy(context: TestContext, port: number) {
  const delayed: (() => Promise<unknown>)[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const isWrite = incoming.url?.startsWith('/db/execute') === true;
    proxy.writes += isWrite ? 1 : 0;
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

  async function pass({ method, url: path, headers }: IncomingMessage, body: Buffer) {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }).end(body);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    assert(answer !== undefined);
    return { answer, content: await buffer(answer) };
  }

  const proxy = {
    port: await listen(context, server),
    /** The number of requests to `/db/execute` so far. */
    writes: 0,
    /** The proxy forwards the next `answersToLose` writes to the node, but does not return the responses. */
    answersToLose: 0,
    readAnswersToLose: 0,
    /** The proxy holds back the next `requestsToDelay` writes until `deliverDelayed` is called. */
    requestsToDelay: 0,
    async deliverDelayed(): Promise<void> {
      await Promise.all(delayed.splice(0).map((deliver) => deliver()));
    },
  };
  return proxy;
}
