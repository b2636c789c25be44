/** A request and its reply as values. Only `send.ts` writes a reply to a connection. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Query } from './target.ts';

export interface HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** If true, the `X-Forwarded-*` fields can be trusted. */
  readonly isFromTrustedProxy: boolean;
  /** False after the connection has closed. A client that has closed only its sending side can still read. */
  readonly isWanted: () => boolean;
}

export type Headers = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if the status is 204 or 304. */
  readonly body: string | Buffer;
  /** If true, the connection is closed, because the next bytes may not be a request (RFC 9112 §6.1). */
  readonly closesConnection?: boolean;
}

export function jsonReply(status: number, json: string, headers?: Headers): Reply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body: json };
}

/** @param field - The `X-Request-Id` of a proxy. Only trusted proxies may choose request ids. */
export function toRequestId(field?: string | string[]): string {
  return typeof field === 'string' && /^[A-Za-z0-9._:=@+/-]{1,128}$/.test(field) ? field : randomUUID();
}

/** False only if the request has no content (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
