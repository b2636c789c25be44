/** Sends one HTTP request to a node, and follows no redirect, which could lead the credentials elsewhere. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';

/** The most sockets to one node; requests beyond this number wait for a free socket. */
const SOCKETS_PER_NODE_MAX = 64;

/** The header field that a node adds if it forwarded the request to the leader and passes on the answer. */
const FORWARDED_HEADER = 'x-rqlite-served-by';

interface Response {
  readonly status: number;
  readonly text: string;
  readonly isForwarded: boolean;
}

export function createConnection({ usesTls, credentials }: RqliteLocation) {
  const [Agent, request] = usesTls ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_NODE_MAX });
  const common = {
    method: 'POST', agent, headers: { 'Content-Type': 'application/json' },
    ...(credentials && { auth: `${credentials.username}:${credentials.password}` }),
  };
  return {
    /**
     * @param timeoutMs - The time from connecting to the last byte of the answer.
     * @throws When no complete answer arrives in time; the node may have carried out the request.
     */
    post({ host, port }: RqliteNode, path: string, body: string, timeoutMs: number): Promise<Response> {
      return new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(timeoutMs);
        const outgoing = request({ ...common, host, port, path, signal }, (incoming) => {
          const { statusCode: status = 0, headers } = incoming;
          const isForwarded = headers[FORWARDED_HEADER] !== undefined;
          text(incoming).then((received) => resolve({ status, text: received, isForwarded }), reject);
        });
        outgoing.on('error', reject).end(body);
      });
    },

    close(): void {
      agent.destroy();
    },
  };
}
