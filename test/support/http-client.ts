/** Sends requests with `node:http`, even requests that `fetch` would refuse. */
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Idle connections do not keep the process running. */
export const KEEP_ALIVE = new Agent({ keepAlive: true });

export interface CallOptions {
  readonly as?: string | undefined;
  readonly json?: unknown;
  readonly form?: string | undefined;
  readonly body?: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Without an agent, each request opens a new connection. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Record<string, any>;
}

/** @param line - The method and the target, such as `GET /api/v1/users`. */
export function toMessage(line: string, { as, json, form, body, headers = {} }: CallOptions = {}) {
  const [method = '', target = ''] = line.split(/ (.*)/s);
  const content = json === undefined ? form ?? body : JSON.stringify(json);
  const fields = {
    ...(as !== undefined && { 'Authorization': as }),
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(content !== undefined && { 'Content-Length': String(Buffer.byteLength(content)) }),
    ...headers,
  };
  return { method, target, fields, content };
}

export function call(port: number, line: string, options: CallOptions = {}): Promise<Answer> {
  const { method, target: path, fields, content } = toMessage(line, options);
  const { agent = false } = options;
  return new Promise((resolve, reject) => {
    const message = { host: '127.0.0.1', port, method, path, headers: fields, agent };
    const outgoing = request(message, async (incoming) => {
      const bytes = await buffer(incoming);
      const text = bytes.toString('utf8');
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        bytes,
        text,
        get json() {
          return JSON.parse(text);
        },
      });
    });
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}

/** HTTP Basic credentials (RFC 7617). */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
