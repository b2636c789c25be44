/** The types of requests, replies and the log. Only `pipeline.ts` writes a reply to a connection. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from './router.ts';

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
}

/** Logs facts about connections and certificates. The app itself logs the requests. */
export type Log = (
  level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, string | number>>,
) => void;
