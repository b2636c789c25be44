/**
 * Entity tags (RFC 9110 §8.8.3), and the preconditions that use them (§13). Dates are left out: responses
 * have no `Last-Modified`, so `If-Modified-Since` and `If-Unmodified-Since` must be ignored (§13.1.3,
 * §13.1.4).
 *
 * A field that is neither `*` nor a well-formed list of tags matches no tag. So a request with a malformed
 * `If-Match` is refused, which is safe. If `If-None-Match` is malformed, the client gets the content.
 */
import { hash } from 'node:crypto';
import type { HttpRequest } from './message.ts';

/** A strong tag as it is sent, with its quotes. */
export type EntityTag = `"${string}"`;

/** The parts of a request that decide its preconditions. */
export type ConditionalRequest = Pick<HttpRequest, 'method' | 'headers'>;

/** Makes a strong tag. Any change of the content changes the tag. */
export function toEntityTag(content: string | Uint8Array): EntityTag {
  return `"${hash('sha256', content, 'base64url')}"`;
}

/**
 * Evaluates `If-Match` and `If-None-Match` in the order of RFC 9110 §13.2.2. Steps 2 and 4 of §13.2.2 concern
 * dates. Step 5, `If-Range`, concerns only static files.
 *
 * Call this function before any change, and only if the request would succeed without preconditions
 * (§13.2.1).
 *
 * @param current - The tag of the current representation.
 * @returns The decision: proceed, respond 304 (only to GET and HEAD), or respond 412.
 */
export function evaluatePreconditions(
  { method, headers }: ConditionalRequest, current: EntityTag,
): 'proceed' | 'not-modified' | 'precondition-failed' {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  // Strong comparison (RFC 9110 §8.8.3.2): a weak tag of the client never matches.
  if (ifMatch !== undefined && !matches(ifMatch, [current])) {
    return 'precondition-failed';
  }
  // Weak comparison: the tag of the client may be weak. Proxies make tags weak when they compress.
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, [current, `W/${current}`])) {
    return method === 'GET' || method === 'HEAD' ? 'not-modified' : 'precondition-failed';
  }
  return 'proceed';
}

function matches(field: string, tags: readonly string[]): boolean {
  return field === '*' || parseEntityTags(field).some((tag) => tags.includes(tag));
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
