/** The listener responds to `/wait` when the test calls `release`. */
import type { IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createListener, LISTENER_LIMITS } from '../../src/http/listener.ts';
import type { Reply } from '../../src/http/message.ts';
import { listen } from './listen.ts';
import { PATIENT } from './patient.ts';

export const FIELDS = 'Host: x\r\n\r\n';
export const CLOSE = 'Host: x\r\nConnection: close\r\n\r\n';
export const MIB = 1024 * 1024;

export function get(path: string, fields = FIELDS): string {
  return `GET ${path} HTTP/1.1\r\n${fields}`;
}

export async function startListener(
  t: TestContext,
  { limits = {}, reply = {}, lifeCycle = { stage: 'serving' }, tls }: {
    limits?: Partial<typeof LISTENER_LIMITS>; reply?: Partial<Reply>; lifeCycle?: { stage: string };
    tls?: Parameters<typeof createListener>[2];
  } = {},
) {
  const begun: string[] = [];
  const waitsMs: number[] = [];
  const answered: string[] = [];
  const cut: number[] = [];
  const waiting: (() => void)[] = [];
  const { server, sockets } = createListener({ ...LISTENER_LIMITS, ...PATIENT, ...limits }, {
    async answer({ url = '' }: IncomingMessage, arrivedAtMs: number) {
      begun.push(url);
      waitsMs.push(performance.now() - arrivedAtMs);
      if (url.startsWith('/slow')) {
        blockFor(2);
      }
      if (url.startsWith('/wait')) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      answered.push(url);
      return { status: 200, headers: {}, body: toBody(url), ...reply };
    },
    refuseUnread: (status) => ({ status, headers: {}, body: `<refused ${status}>` }),
    lifeCycle,
    isTrustedProxy: undefined,
    log: (_level, _message, { bytes }) => cut.push(Number(bytes)),
  }, tls);
  return {
    server, sockets,
    port: await listen(t, server),
    /** `begun` lists the targets of all requests. `answered` lists the targets of the answered requests. */
    begun,
    answered,
    /** The time from the arrival of each request until the listener began to process the request. */
    waitsMs,
    /** The memory, in bytes, of each connection that the listener closed to free memory. */
    cut,
    release: () => waiting.shift()?.(),
    connections: promisify(server.getConnections.bind(server)),
  };
}

/** A request for `/text/8` gets 8 MiB of text. A request for `/file/8` gets 8 MiB in a `Buffer`. */
function toBody(url: string): string | Buffer {
  const [, kind = '', mib] = url.split('/');
  const content = ['text', 'file'].includes(kind) ? 'x'.repeat(Number(mib) * MIB) : `<${url}>`;
  return kind === 'file' ? Buffer.from(content) : content;
}

export function blockFor(durationMs: number): void {
  for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;);
}
