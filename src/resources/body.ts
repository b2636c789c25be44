/** The body of a request, from bytes to a JSON value that the operation's schema accepts. */
import type { IncomingMessage } from 'node:http';
import { isJsonMediaType, parseJson, type ReceivedBody } from '../http/body.ts';
import type { Members, ObjectOf, TypedSchema } from '../jsonschema/typed.ts';
import type { BodyRule, Operation } from './operation.ts';
import { refuse, type Refusal } from './problems.ts';

/**
 * Room for two passwords of 1 024 bytes. Many programs write characters beyond ASCII as escapes, which makes a text up to
 * three times as long.
 */
export const SMALL_BODY_BYTES_MAX = 8_192;

/** A body that must be there. */
export function requiredBody<M extends Members>(
  name: string, schema: TypedSchema<ObjectOf<M>>, bytesMax = SMALL_BODY_BYTES_MAX,
): BodyRule<ObjectOf<M>> {
  return { presence: 'required', name, schema, bytesMax, pick: (body) => pickMembers(schema, body) };
}

/** A body that may be left out, which is the same as one without members. */
export function optionalBody<M extends Members>(
  name: string, schema: TypedSchema<ObjectOf<M>>, bytesMax = SMALL_BODY_BYTES_MAX,
): BodyRule<ObjectOf<M>> {
  return { presence: 'optional', name, schema, bytesMax, pick: (body) => pickMembers(schema, body ?? {}) };
}

/** Own members alone, and only those that the schema names, so that nothing else can reach a handler. */
function pickMembers<Value>({ json }: TypedSchema<Value>, body: unknown): Value {
  const given = body as Readonly<Record<string, unknown>>; // the schema has accepted it, and asks for an object
  const names = Object.keys(json.properties ?? {}).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Value;
}

type ReadBody = { readonly value: unknown } | Refusal;

/** @returns The value, `undefined` when there is none and none is required, or why it is refused. */
export function readBody(
  incoming: IncomingMessage,
  { rule, validate }: NonNullable<Operation['body']>,
  { received, bytesMax }: { readonly received: ReceivedBody | undefined; readonly bytesMax: number },
): ReadBody {
  if ((incoming.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return refuse('contentCoded'); // a compressed body could unfold to any size
  }
  switch (received?.kind) {
    case 'too-large':
      return refuse('bodyTooLarge', bytesMax);
    case undefined:
    case 'aborted':
      return refuse('malformedBody', 'the connection ended too early');
    case 'received':
      if (received.bytes.length === 0) {
        return rule.presence === 'optional' ? { value: undefined } : refuse('malformedBody', 'it is empty');
      }
  }
  const parsed = parseJson(received.bytes);
  if (parsed.kind === 'malformed') {
    return refuse('malformedBody', parsed.reason);
  }
  if (!isDeclaredAsJson(incoming)) {
    return refuse('contentNotJson');
  }
  const complaints = validate(parsed.value);
  return complaints.length > 0 ? refuse('invalidBody', complaints) : { value: parsed.value };
}

/**
 * A page of another origin can make a browser send forms, and bodies without a type, without asking first; a browser that
 * remembers Basic credentials attaches them. So JSON must be declared, and may be undeclared only where no browser is.
 */
function isDeclaredAsJson({ headers }: IncomingMessage): boolean {
  const contentType = headers['content-type'];
  const isCrossSite = headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site';
  return contentType === undefined ? !isCrossSite : isJsonMediaType(contentType);
}
