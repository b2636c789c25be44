/** Sends HTTP requests to nodes. No redirect is followed, so that no other server gets the password. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';
import { readAnswer, type Answer } from './messages.ts';

/** Further requests wait until a socket is free. */
const SOCKETS_PER_NODE_MAX = 64;

/** If a node has forwarded the request to the leader, the answer has this header field. */
const FORWARDED_HEADER = 'x-rqlite-served-by';

export type Connection = ReturnType<typeof createConnection>;

export function createConnection({ nodes, usesTls, credentials }: RqliteLocation) {
  const [Agent, request] = usesTls ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_NODE_MAX });
  const common = {
    method: 'POST', agent, headers: { 'Content-Type': 'application/json' },
    ...(credentials && { auth: `${credentials.username}:${credentials.password}` }),
  };
  return {
    nodes,

    /** Never rejects. @param timeoutMs - The maximum time between this call and the end of the answer. */
    post({ host, port }: RqliteNode, path: string, body: string, timeoutMs: number) {
      return new Promise<Answer & { readonly isForwarded?: boolean }>((resolve) => {
        const fail = (error: unknown) => resolve({ kind: 'failed', reason: String(error) });
        const signal = AbortSignal.timeout(timeoutMs);
        const outgoing = request({ ...common, host, port, path, signal }, (incoming) => {
          const { statusCode = 0, headers } = incoming;
          text(incoming).then((received) => resolve({
            ...readAnswer(statusCode, received), isForwarded: headers[FORWARDED_HEADER] !== undefined,
          })).catch(fail);
        });
        outgoing.on('error', fail).end(body);
      });
    },

    close: () => agent.destroy(),
  };
}
