/**
 * Entity tags (RFC 9110 §8.8.3), and the preconditions that requests build on them (§13). Leaves out dates:
 * our responses carry no `Last-Modified`, and without one `If-Modified-Since` and `If-Unmodified-Since` must
 * be ignored (§13.1.3, §13.1.4).
 *
 * A field that is neither `*` nor a well-formed list of tags matches nothing. For `If-Match` this is
 * cautious: a guard that we cannot read fails. For `If-None-Match` it is useful: the client gets the content
 * that it asked for.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A tag as it appears on the wire, quotes and any `W/` included. */
export type EntityTag = `"${string}"` | `W/"${string}"`;

/** The parts of a request that conditions depend on. */
export interface ConditionalRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Makes a strong tag: it changes whenever a byte of the content does. */
export function toEntityTag(content: string | Uint8Array): EntityTag {
  return `"${hash('sha256', content, 'base64url')}"`;
}

/**
 * Evaluates `If-Match` and `If-None-Match` in the order of RFC 9110 §13.2.2. Steps 2 and 4 of the RFC are
 * about dates; the caller takes step 5 (`If-Range`) itself, with `isRangeCurrent`.
 *
 * Call this only when the request would succeed without them (§13.2.1), and before changing anything.
 *
 * @param current - The tag of the current representation; absent when the resource does not exist.
 * @returns The decision: proceed, respond 304 (only to GET and HEAD), or respond 412.
 */
export function evaluatePreconditions(
  { method, headers }: ConditionalRequest, current: EntityTag | undefined,
): 'proceed' | 'not-modified' | 'precondition-failed' {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch !== undefined && !matches(ifMatch, current, stronglyEqual)) {
    return 'precondition-failed';
  }
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, current, weaklyEqual)) {
    return method === 'GET' || method === 'HEAD' ? 'not-modified' : 'precondition-failed';
  }
  return 'proceed';
}

/**
 * Tells whether `If-Range` allows a `Range` (RFC 9110 §13.1.5): `If-Range` is absent, or its tag strongly
 * equals the current tag. A date never matches, nor does a list of values, which the types of `node:http`
 * allow here.
 */
export function isRangeCurrent({ headers }: ConditionalRequest, current: EntityTag): boolean {
  const ifRange = headers['if-range'];
  return ifRange === undefined || (typeof ifRange === 'string' && stronglyEqual(ifRange, current));
}

function matches(field: string, current: EntityTag | undefined, equal: typeof weaklyEqual): boolean {
  return current !== undefined
    && (field === '*' || parseEntityTags(field).some((tag) => equal(tag, current)));
}

/**
 * Matches one tag with the commas and spaces before it, up to the next comma or the end. The expression is
 * sticky, and each character can match in one way only. So a list of any length is scanned only once.
 * Empty elements are allowed (RFC 9110 §5.6.1.2); commas inside the quotes belong to the tag.
 */
const LIST_ELEMENT = /[\t ,]*((?:W\/)?"[!\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/gy;

/** @returns No tag if the list is malformed. */
function parseEntityTags(list: string): readonly string[] {
  const tags: string[] = [];
  let end = 0;
  for (const [text, tag] of list.matchAll(LIST_ELEMENT)) {
    tags.push(tag ?? '');
    end += text.length;
  }
  return /^[\t ,]*$/.test(list.slice(end)) ? tags : [];
}

/** Strong comparison (RFC 9110 §8.8.3.2): equal, and neither tag is weak. */
function stronglyEqual(left: string, right: EntityTag): boolean {
  return left === right && !right.startsWith('W/');
}

/** Weak comparison (RFC 9110 §8.8.3.2): the opaque parts are equal, weak or not. */
function weaklyEqual(left: string, right: EntityTag): boolean {
  return left.replace(/^W\//, '') === right.replace(/^W\//, '');
}
