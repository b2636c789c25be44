/**
 * Reads the id of the trace that a request is part of, from the `traceparent` field (W3C Trace Context §3.2).
 * The log contains the id, so that log lines of several services can be correlated. Left out are
 * `tracestate`, and spans of our own.
 */

/**
 * `version-traceid-parentid-flags`; versions after 00 may continue after another dash. Upper case is
 * forbidden.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;

/** @returns `undefined` when the field is absent or malformed. A request is never refused for it. */
export function parseTraceId(field: string | string[] | undefined): string | undefined {
  if (typeof field !== 'string') {
    return undefined;
  }
  const [, version, traceId, continuation] = TRACEPARENT.exec(field) ?? [];
  return version === '00' && continuation !== '' ? undefined : traceId;
}
