/** A request and its answer as values. Only `send.ts` and `listener.ts` know how they lie on the wire. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from './query.ts';

export interface HttpRequest {
  /** As in the answer and in the log. */
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The values of the route's `{…}` segments, decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  /** The client's network address. */
  readonly address: string;
  /** False once the connection is closed. */
  readonly isWanted: () => boolean;
  /** A JSON value that the route's schema has accepted; `undefined` where there is no body. */
  readonly body: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };

/** @param value - Anything that `JSON.stringify` can write. */
export function jsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return jsonTextReply(status, JSON.stringify(value), headers);
}

/** @param text - JSON already. */
export function jsonTextReply(status: number, text: string, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body: text };
}

/** @returns How many bytes of body go over the wire; none for HEAD, 204 and 304 (RFC 9110 §6.4.1). */
export function bodyBytesOf({ status, body }: Reply, method?: string): number {
  return method === 'HEAD' || status === 204 || status === 304 ? 0 : Buffer.byteLength(body);
}
