/** Receives the body of a request and turns it into a value that the operation's schema accepts. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { hasBody, receiveBody, type ReceivedBody } from '../http/body.ts';
import { parseJson } from '../http/json.ts';
import { isJsonMediaType } from '../http/media-types.ts';
import { parseQuery } from '../http/target.ts';
import type { Validate } from '../jsonschema/compile.ts';
import type { Members, ObjectOf, TypedSchema } from '../jsonschema/typed.ts';
import type { BodyRule, Operation } from './operation.ts';
import { refuse, type Refusal } from './problems.ts';

/**
 * The default limit: room for two passwords of 1 024 bytes. Many programs write characters beyond ASCII as
 * escapes, which makes a text up to three times as long.
 */
export const SMALL_BODY_BYTES_MAX = 8_192;

/** A required body. */
export function requiredBody<M extends Members>(
  name: string, schema: TypedSchema<ObjectOf<M>>, bytesMax = SMALL_BODY_BYTES_MAX,
): BodyRule<ObjectOf<M>> {
  return {
    presence: 'required', format: 'json', name, schema, bytesMax,
    pick: (body) => pickMembers(schema, body ?? {}), // absent if it is optional
  };
}

/** An optional body. A request without a body is treated like an empty object. */
export function optionalBody<M extends Members>(
  name: string, schema: TypedSchema<ObjectOf<M>>,
): BodyRule<ObjectOf<M>> {
  return { ...requiredBody(name, schema), presence: 'optional' };
}

/** A required form. Each of its parameters is a text. */
export function requiredForm<M extends Members>(
  name: string, schema: TypedSchema<ObjectOf<M>>,
): BodyRule<ObjectOf<M>> {
  return { ...requiredBody(name, schema), format: 'form' };
}

/** Copies only own members that the schema names, so that nothing else can reach a handler. */
function pickMembers<Value>({ json }: TypedSchema<Value>, body: unknown): Value {
  // The schema has accepted the body, and requires an object.
  const given = body as Readonly<Record<string, unknown>>;
  const names = Object.keys(json.properties ?? {}).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Value;
}

const CONTENT_WORDS = { json: 'JSON object', form: 'form' };

/** Receives a body under the limit of its operation, or discards it if the operation takes none. */
export async function receive(
  incoming: IncomingMessage, { body }: Pick<Operation, 'body'>,
): Promise<ReceivedBody | undefined> {
  if (body !== undefined) {
    return receiveBody(incoming, body.rule.bytesMax);
  }
  if (hasBody(incoming)) {
    incoming.resume();
  }
  return undefined;
}

/** @returns The value, `undefined` for a missing optional body, or why the body is refused. */
export function readBody(
  incoming: IncomingMessage,
  { rule, validate, validateAnonymous = validate }: NonNullable<Operation['body']>,
  received: ReceivedBody,
): { readonly value: unknown } | Refusal {
  if ((incoming.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return refuse('contentCoded'); // a compressed body could expand to any size
  }
  switch (received.kind) {
    case 'too-large':
      return refuse('bodyTooLarge', rule.bytesMax);
    case 'aborted':
      return refuse('malformedBody', 'the connection ended too early');
    case 'received':
      if (received.bytes.length === 0) {
        return rule.presence === 'optional'
          ? { value: undefined }
          : refuse('malformedBody', `there is none; send a ${CONTENT_WORDS[rule.format]}`);
      }
  }
  const accept = incoming.headers.authorization === undefined ? validateAnonymous : validate;
  if (rule.format === 'form') {
    return readForm(incoming, received.bytes, accept);
  }
  const parsed = parseJson(received.bytes);
  if (parsed.kind === 'malformed') {
    return refuse(
      'malformedBody', isForm(incoming) ? 'it is a form; send JSON as application/json' : parsed.reason,
    );
  }
  if (!isDeclaredAsJson(incoming)) {
    return refuse('contentNotJson');
  }
  const complaints = accept(parsed.value);
  return complaints.length > 0 ? refuse('invalidBody', complaints) : { value: parsed.value };
}

/**
 * Reads a form. A parameter that occurs twice is refused (RFC 6749 §3.1), because two recipients could choose
 * different values. No text of the form is quoted, since it may be a secret.
 */
function readForm(
  { headers }: IncomingMessage, bytes: Buffer, validate: Validate,
): { readonly value: unknown } | Refusal {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')) {
    return refuse('contentNotForm');
  }
  const parameters = isUtf8(bytes) ? parseQuery(bytes.toString('utf8')) : undefined;
  if (parameters === undefined) {
    return refuse('malformedBody', 'it is not a form in percent-encoded UTF-8');
  }
  if ([...parameters.values()].some(({ length }) => length > 1)) {
    return refuse('malformedBody', 'a parameter occurs more than once');
  }
  const value = Object.fromEntries([...parameters].map(([name, [text]]) => [name, text]));
  const complaints = validate(value);
  return complaints.length > 0 ? refuse('invalidBody', complaints) : { value };
}

/** True for a form, which many HTTP clients send by default. */
function isForm({ headers }: IncomingMessage): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers['content-type'] ?? '');
}

/**
 * A page of another origin can make a browser send forms, and bodies without a type, without a preflight. A
 * browser that remembers Basic credentials attaches them. So JSON must be declared; only programs other than
 * browsers may leave the type out.
 */
function isDeclaredAsJson({ headers }: IncomingMessage): boolean {
  const contentType = headers['content-type'];
  const isCrossSite = headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site';
  return contentType === undefined ? !isCrossSite : isJsonMediaType(contentType);
}

/**
 * Refuses a member of a body that breaks a rule which a schema cannot express.
 *
 * @param fault - Completes "it …"; `undefined` if the member obeys the rule.
 */
export function refuseMember(
  name: string, keyword: string, fault: string | undefined,
): Refusal<'invalidBody'> | undefined {
  return fault === undefined
    ? undefined
    : refuse('invalidBody', [{ pointer: `/${name}`, keyword, message: fault }]);
}
