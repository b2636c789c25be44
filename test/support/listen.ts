import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { TestContext } from 'node:test';

/** Closes the server and all connections when the test ends. @returns The port. */
export async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    if (server instanceof HttpServer) {
      server.closeAllConnections();
    }
  });
  // `address()` returns an object, not a path, because the server listens on a port
  return (server.address() as AddressInfo).port;
}

const foundPorts = new Set<number>();

/** In one process, this function never returns the same port twice. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return foundPorts.size < foundPorts.add(port).size ? port : findFreePort();
}
