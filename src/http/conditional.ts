/**
 * Entity tags (RFC 9110 §8.8.3), and the preconditions that use them (§13). Leaves out dates: responses have
 * no `Last-Modified`, so `If-Modified-Since` and `If-Unmodified-Since` must be ignored (§13.1.3, §13.1.4).
 *
 * A field that is neither `*` nor a well-formed list of tags matches no tag. So a malformed `If-Match` fails,
 * which is the safe outcome. With a malformed `If-None-Match`, the client gets the content.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A tag as it is sent, with its quotes, and with `W/` if it is weak. */
export type EntityTag = `"${string}"` | `W/"${string}"`;

/** The parts of a request that decide its preconditions. */
export interface ConditionalRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Makes a strong tag. Any change of the content changes the tag. */
export function toEntityTag(content: string | Uint8Array): EntityTag {
  return `"${hash('sha256', content, 'base64url')}"`;
}

/**
 * Evaluates `If-Match` and `If-None-Match` in the order of RFC 9110 §13.2.2. Steps 2 and 4 of the RFC are
 * about dates. For step 5, `If-Range`, the caller uses `isRangeCurrent`.
 *
 * Call this only if the request would succeed without preconditions (§13.2.1), and before any change.
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
 * equals the current tag. A date never matches, and neither does a list. The types of `node:http` allow a
 * list here.
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
 * Matches a tag, and the commas and spaces before the tag. A comma or the end must follow. The expression is
 * sticky, and each character can match in one way only. So a list of any length is scanned only once.
 * Empty elements are allowed (RFC 9110 §5.6.1.2). A comma inside the quotes belongs to the tag.
 */
const LIST_ELEMENT = /[\t ,]*((?:W\/)?"[!\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/gy;

/** @returns No tags if the list is malformed. */
function parseEntityTags(list: string): readonly string[] {
  const tags: string[] = [];
  let end = 0;
  for (const [text, tag] of list.matchAll(LIST_ELEMENT)) {
    tags.push(tag ?? '');
    end += text.length;
  }
  return /^[\t ,]*$/.test(list.slice(end)) ? tags : [];
}

/** Strong comparison (RFC 9110 §8.8.3.2): the tags are equal, and neither is weak. */
function stronglyEqual(left: string, right: EntityTag): boolean {
  return left === right && !right.startsWith('W/');
}

/** Weak comparison (RFC 9110 §8.8.3.2): the opaque parts are equal, weak or not. */
function weaklyEqual(left: string, right: EntityTag): boolean {
  return left.replace(/^W\//, '') === right.replace(/^W\//, '');
}
