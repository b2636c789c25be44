/**
 * Starts a load balancer. It polls the readiness of each copy, and sends requests to the ready copies in
 * turn. If a copy refuses a connection, the balancer tries the next copy.
 */
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { call } from './http-client.ts';
import { listen, passOn } from './listen.ts';

const PROBED_EVERY_MS = 50;

/** @param agentOptions - `keepAlive` is true if the balancer reuses connections to the copies. */
export async function startBalancer(context: TestContext, agentOptions: { readonly keepAlive: boolean }) {
  const agent = new Agent(agentOptions);
  const isReadyByPort = new Map<number, boolean>();
  let turn = 0;

  const prober = setInterval(() => [...isReadyByPort.keys()].forEach(probe), PROBED_EVERY_MS);
  async function probe(port: number): Promise<void> {
    const status = await call(port, 'GET /readyz').then((answer) => answer.status, () => undefined);
    if (isReadyByPort.has(port)) {
      isReadyByPort.set(port, status === 200);
    }
  }

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const ready = [...isReadyByPort].filter(([, isReady]) => isReady).map(([port]) => port);
    turn += 1;
    for (const port of [...ready.slice(turn % ready.length), ...ready.slice(0, turn % ready.length)]) {
      if (await pass({ port, agent }, incoming, outgoing, body)) {
        return;
      }
      isReadyByPort.set(port, false);
    }
    outgoing.writeHead(503).end('no copy is ready');
  });

  context.after(() => {
    clearInterval(prober);
    agent.destroy();
  });
  return {
    port: await listen(context, server),
    /** Adds a copy, and waits until it is ready. */
    async add(port: number): Promise<void> {
      isReadyByPort.set(port, false);
      while (!isReadyByPort.get(port)) {
        await pause(PROBED_EVERY_MS);
      }
    },
    remove: (port: number) => isReadyByPort.delete(port),
  };
}

/** @returns False if the connection was refused. If the connection breaks later, the client gets 502. */
async function pass(
  copy: { readonly port: number; readonly agent: Agent },
  incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer,
): Promise<boolean> {
  try {
    // The field `Connection` concerns only the connection of the client.
    const { connection: _, ...headers } = incoming.headers;
    const { answer, content } = await passOn(incoming, body, { ...copy, headers });
    const type = answer.headers['content-type'] ?? '';
    outgoing.writeHead(answer.statusCode ?? 0, { 'Content-Type': type }).end(content);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') {
      return false;
    }
    outgoing.writeHead(502).end(`a copy was lost: ${code}`);
    return true;
  }
}
