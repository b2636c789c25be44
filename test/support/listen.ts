/** Servers for one test. */
import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import type { TestContext } from 'node:test';

/** Listens on a free port until the test ends, then closes all connections. @returns The port. */
export async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    if (server instanceof HttpServer) {
      server.closeAllConnections();
    }
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) {
    throw new Error('Cannot listen: the server has no port');
  }
  return address.port;
}
