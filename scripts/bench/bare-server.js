/**
 * The yardstick of the benchmark: `node:http` with one answer, whatever the request. The parent process sends
 * a message with an answer, which replaces the previous answer. This process sends `listening` and `ready`
 * back.
 *
 * Plain JavaScript, so that nothing but Node.js itself is in the process.
 */
import { createServer } from 'node:http';

/** @type {{ status: number, headers: Record<string, string>, body: Uint8Array }} */
let answer = { status: 503, headers: {}, body: new Uint8Array() };

/** The default of the service. Both send it in the field `Keep-Alive`, and all bytes must be equal. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (_incoming, outgoing) => {
  outgoing.writeHead(answer.status, answer.headers);
  outgoing.end(answer.body);
});

process.on('message', (message) => {
  answer = /** @type {typeof answer} */ (message);
  process.send?.({ kind: 'ready' });
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ kind: 'listening', port });
});
