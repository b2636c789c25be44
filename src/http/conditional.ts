/**
 * Entity tags (RFC 9110 §8.8.3) and preconditions (§13). Preconditions with dates are ignored, because no
 * response has a `Last-Modified`.
 */
import { hash } from 'node:crypto';
import type { HttpRequest } from './message.ts';

export type EntityTag = `"${string}"`;

export function toEntityTag(content: string | Uint8Array): EntityTag {
  return `"${hash('sha256', content, 'base64url')}"`;
}

/** Evaluates the preconditions of a request that has passed all other checks (RFC 9110 §13.2.2). */
export function evaluatePreconditions(
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>, current: EntityTag,
): 'proceed' | 'not-modified' | 'precondition-failed' {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  // `If-Match` needs strong comparison (RFC 9110 §8.8.3.2), so a weak tag never matches.
  if (ifMatch !== undefined && !matches(ifMatch, [current])) {
    return 'precondition-failed';
  }
  // A proxy can compress a response and make the tag weak, so `If-None-Match` needs weak comparison.
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, [current, `W/${current}`])) {
    return method === 'GET' || method === 'HEAD' ? 'not-modified' : 'precondition-failed';
  }
  return 'proceed';
}

/**
 * Matches an entity tag, and the commas and spaces before the tag, because a list can have empty elements
 * (RFC 9110 §5.6.1.2). There is only one way to match each character, so a long list is scanned only once.
 */
const LIST_ELEMENT = /[\t ,]*((?:W\/)?"[!\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/gy;

/** A malformed list matches no tag, so a bad `If-Match` is refused, and a bad `If-None-Match` is ignored. */
function matches(list: string, tags: readonly string[]): boolean {
  let [end, isFound] = [0, false];
  for (const [text, tag = ''] of list.matchAll(LIST_ELEMENT)) {
    end += text.length;
    isFound ||= tags.includes(tag);
  }
  return list === '*' || (isFound && /^[\t ,]*$/.test(list.slice(end)));
}
