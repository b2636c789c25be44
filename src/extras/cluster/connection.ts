/**
 * One HTTP request to one node of a cluster. Redirects are not followed, as they could lead the credentials elsewhere, and
 * nothing is asked twice: whether a request may be repeated is for others to know.
 */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';

/** More requests to one node at a time wait for a socket. */
const SOCKETS_PER_NODE_MAX = 64;

interface RqliteRequest {
  readonly path: string;
  readonly body: string;
  /** For everything, from the connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

interface RqliteConnection {
  /** @throws When there is no whole answer in time; the node may have carried out the request all the same. */
  post(node: RqliteNode, request: RqliteRequest): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}

export function createConnection({ usesTls, credentials }: RqliteLocation): RqliteConnection {
  const [Agent, request] = usesTls ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_NODE_MAX });
  const headers = { 'Content-Type': 'application/json', ...(credentials && { 'Authorization': toBasic(credentials) }) };

  return {
    post({ host, port }, { path, body, timeoutMs }) {
      return new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(timeoutMs);
        const outgoing = request({ method: 'POST', host, port, path, headers, agent, signal }, (incoming) => {
          text(incoming).then((received) => resolve({ status: incoming.statusCode ?? 0, text: received }), reject);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    },
    close() {
      agent.destroy();
    },
  };
}

/** RFC 7617, in UTF-8. */
function toBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
