/** A request and its reply as values. Only `send.ts` and `listener.ts` know how they are serialised. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from './query.ts';

export interface HttpRequest {
  /** The request id, as in the response and in the log. */
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
}

type Headers = Readonly<Record<string, string>>;

interface ReplyHead {
  readonly status: number;
  readonly headers: Headers;
  /** Close the connection after this reply: the next bytes might not be a request (RFC 9112 §6.1). */
  readonly closesConnection?: boolean;
}

/** Text that is generated while it is sent: each slice when the client has taken the previous slice. */
export type Slices = AsyncIterable<string>;

/** A reply whose length is known. */
export interface WholeReply extends ReplyHead {
  readonly body: string | Buffer;
}

interface SlicedReply extends ReplyHead {
  readonly body: Slices;
}

export type Reply = WholeReply | SlicedReply;

export function isWhole(reply: Reply): reply is WholeReply {
  return typeof reply.body === 'string' || Buffer.isBuffer(reply.body);
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };

/** @param value - Anything that `JSON.stringify` can write. */
export function jsonReply(status: number, value: unknown, headers?: Headers): WholeReply {
  return jsonTextReply(status, JSON.stringify(value), headers);
}

/** @param text - Text that is JSON already. */
export function jsonTextReply(status: number, text: string, headers?: Headers): WholeReply {
  return {
    status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body: text,
  };
}

/** False for responses that never have content: to HEAD, 204 and 304 (RFC 9110 §6.4.1). */
export function hasContent({ status }: Reply, method: string | undefined): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

/** @returns The number of body bytes that are sent. */
export function bodyBytesOf(reply: WholeReply, method?: string): number {
  return hasContent(reply, method) ? Buffer.byteLength(reply.body) : 0;
}
