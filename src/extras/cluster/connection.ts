/** Sends one HTTP request to a node, and follows no redirect, which could lead the credentials elsewhere. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';

/** The most sockets to one node; requests beyond this number wait for a free socket. */
const SOCKETS_PER_NODE_MAX = 64;

/** The header field that a node adds if it forwarded the request to the leader and passes on the answer. */
const FORWARDED_HEADER = 'x-rqlite-served-by';

interface RqliteRequest {
  readonly path: string;
  readonly body: string;
  /** The time from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
}

interface RqliteResponse {
  readonly status: number;
  readonly text: string;
  readonly isForwarded: boolean;
}

export function createConnection({ usesTls, credentials }: RqliteLocation) {
  const [Agent, request] = usesTls ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_NODE_MAX });
  const authorization = credentials && { 'Authorization': toBasic(credentials) };
  const headers = { 'Content-Type': 'application/json', ...authorization };
  return {
    /** @throws When no complete answer arrives in time; the node may have carried out the request. */
    post({ host, port }: RqliteNode, { path, body, timeoutMs }: RqliteRequest): Promise<RqliteResponse> {
      return new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(timeoutMs);
        const outgoing = request({ method: 'POST', host, port, path, headers, agent, signal }, (incoming) => {
          const { statusCode: status = 0 } = incoming;
          const isForwarded = incoming.headers[FORWARDED_HEADER] !== undefined;
          text(incoming).then((received) => resolve({ status, text: received, isForwarded }), reject);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    },

    close(): void {
      agent.destroy();
    },
  };
}

/** Basic credentials in UTF-8 (RFC 7617). */
function toBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
