/**
 * Sends one HTTP request to one node of a cluster, or two on the same connection. Redirects are not followed,
 * because they could lead the credentials elsewhere. Nothing is retried, because only the caller knows
 * whether a request may be sent again.
 */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';

/** The most sockets to one node; further requests wait for a free one. */
const SOCKETS_PER_NODE_MAX = 64;

/** Set by a node that forwarded the request to the leader and passes on the answer. */
const FORWARDED_HEADER = 'x-rqlite-served-by';
const VERSION_HEADER = 'x-rqlite-version';

export interface RqliteRequest {
  readonly path: string;
  readonly body: string;
  /** The time limit from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
}

export interface RqliteResponse {
  readonly status: number;
  readonly text: string;
  /** True if another node gave the answer. */
  readonly isForwarded: boolean;
  /** The version of rqlite. */
  readonly version: string;
}

interface RqliteConnection {
  /**
   * @throws When no complete answer arrives in time. The node may have carried out the request all the same.
   */
  post(node: RqliteNode, request: RqliteRequest): Promise<RqliteResponse>;

  /**
   * Posts a request, and perhaps a second request on the same connection.
   *
   * @param read - Reads the first answer, and makes the second request, or `undefined` for none.
   * @returns What was read, and the second answer when it arrives, which never rejects. It is `undefined`
   *   without a second request, if that failed, or if the connection was lost in between: the second request
   *   might have reached another process at the same address.
   * @throws As `post`, for the first request.
   */
  postInTurn<First>(
    node: RqliteNode,
    request: RqliteRequest,
    read: (response: RqliteResponse) => readonly [First, RqliteRequest | undefined],
  ): Promise<readonly [First, Promise<RqliteResponse | undefined>]>;

  close(): void;
}

export function createConnection({ usesTls, credentials }: RqliteLocation): RqliteConnection {
  const [Agent, request] = usesTls ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
  const shared = new Agent({ keepAlive: true, maxSockets: SOCKETS_PER_NODE_MAX });
  const lines: HttpAgent[] = [];
  const idleLines: HttpAgent[] = [];
  const authorization = credentials && { 'Authorization': toBasic(credentials) };
  const headers = { 'Content-Type': 'application/json', ...authorization };

  function postWith(agent: HttpAgent, { host, port }: RqliteNode, { path, body, timeoutMs }: RqliteRequest) {
    return new Promise<RqliteResponse & { readonly socket: Socket }>((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const outgoing = request({ method: 'POST', host, port, path, headers, agent, signal }, (incoming) => {
        const { statusCode: status = 0, socket } = incoming;
        const isForwarded = incoming.headers[FORWARDED_HEADER] !== undefined;
        const version = String(incoming.headers[VERSION_HEADER] ?? 'of unknown version');
        text(incoming)
          .then((received) => resolve({ status, text: received, isForwarded, version, socket }))
          .catch(reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** @returns An agent with at most one connection to a node. */
  function createLine(): HttpAgent {
    const line = new Agent({ keepAlive: true, maxSockets: 1 });
    lines.push(line);
    return line;
  }

  return {
    post: (node, parts) => postWith(shared, node, parts),
    async postInTurn(node, request, read) {
      const line = idleLines.pop() ?? createLine();
      const release = () => void idleLines.push(line);
      try {
        const response = await postWith(line, node, request);
        const [first, next] = read(response);
        const second = next && postWith(line, node, next).catch(() => undefined);
        const answered = Promise.resolve(second).finally(release);
        return [first, answered.then((answer) => answer?.socket === response.socket ? answer : undefined)];
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      [shared, ...lines].forEach((agent) => agent.destroy());
    },
  };
}

/** Encodes credentials for HTTP Basic (RFC 7617), in UTF-8. */
function toBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
