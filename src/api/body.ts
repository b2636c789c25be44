/** Turns the body of a request into the value that the schema of its operation accepts. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ReceivedBody } from '../http/body.ts';
import { parseJson } from '../http/json.ts';
import { isJsonMediaType } from '../http/media-types.ts';
import { compileSchema, type Validate } from '../jsonschema/compile.ts';
import type { Schema } from '../jsonschema/schema.ts';
import type { Members, ObjectOf, TypedSchema } from '../jsonschema/typed.ts';
import { isRefusal, refuse, type Refusal } from './problems.ts';

/** The body of an operation. */
export interface BodyRule<Value> {
  /** As much as the largest legitimate body needs. */
  readonly bytesMax: number;
  /** @param bytes - Empty if the request has no body. */
  readonly read: (bytes: Buffer, headers: IncomingHttpHeaders) => { readonly value: Value } | Refusal;
  /** Absent where the API document cannot show the body. */
  readonly content?: {
    readonly mediaType: 'application/json' | 'application/x-www-form-urlencoded';
    readonly schema: Schema;
    readonly isRequired: boolean;
  };
}

/** A rule for a member that a schema cannot express. */
export interface MemberRule {
  readonly keyword: string;
  /** @returns Completes "it …"; `undefined` if the text obeys the rule. */
  readonly findFault: (text: string) => string | undefined;
}

/**
 * The default limit: room for two passwords of 1 024 bytes. Many programs write characters beyond ASCII as
 * escapes, which makes a text up to three times as long.
 */
export const SMALL_BODY_BYTES_MAX = 8_192;

interface JsonOptions {
  /** Rules for text members, by name. */
  readonly rules?: Readonly<Record<string, MemberRule>>;
  /** A request without a body is treated like an empty object. */
  readonly isOptional?: boolean;
  readonly bytesMax?: number;
}

/** A JSON object. Members that the schema does not name are ignored. */
export function jsonBody<M extends Members>(
  schema: TypedSchema<ObjectOf<M>>,
  { rules, isOptional = false, bytesMax = SMALL_BODY_BYTES_MAX }: JsonOptions = {},
): BodyRule<ObjectOf<M>> {
  const accept = acceptMembers(schema, rules);
  return {
    bytesMax,
    content: { mediaType: 'application/json', schema: schema.json, isRequired: !isOptional },
    read(bytes, headers) {
      const json = bytes.length === 0 && isOptional ? { value: {} } : readJson(bytes, headers);
      return isRefusal(json) ? json : accept(json.value);
    },
  };
}

/**
 * Checks an object, and copies only own members that the schema names, so that nothing else can reach a
 * handler.
 */
export function acceptMembers<Value>(
  schema: TypedSchema<Value>, rules?: JsonOptions['rules'],
): (value: unknown) => { readonly value: Value } | Refusal<'invalidBody'> {
  const validate = compileMembers(schema, rules);
  const names = Object.keys(schema.json.properties ?? {});
  return (value) => {
    const complaints = validate(value);
    if (complaints.length > 0) {
      return refuse('invalidBody', complaints);
    }
    const given = value as Readonly<Record<string, unknown>>; // the schema requires an object
    const members = names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]);
    return { value: Object.fromEntries(members) as Value };
  };
}

/** Compiles the schema of an object together with rules for its text members. */
export function compileMembers(
  { json }: TypedSchema<unknown>, rules: JsonOptions['rules'] = {},
): Validate {
  const validate = compileSchema(json);
  return (value) => {
    const complaints = [...validate(value)];
    for (const [name, { keyword, findFault }] of Object.entries(rules)) {
      const pointer = `/${name}`;
      const isValid = complaints.every((complaint) => !['', pointer].includes(complaint.pointer));
      const member = isValid && (value as Readonly<Record<string, unknown>>)[name];
      const message = typeof member === 'string' ? findFault(member) : undefined;
      complaints.push(...(message === undefined ? [] : [{ pointer, keyword, message }]));
    }
    return complaints;
  };
}

/** Reads any JSON value. */
export function readJson(
  bytes: Buffer, headers: IncomingHttpHeaders,
): { readonly value: unknown } | Refusal<'malformedBody' | 'contentNotJson'> {
  if (bytes.length === 0) {
    return refuse('malformedBody', 'there is none; send a JSON object');
  }
  const parsed = parseJson(bytes);
  if (parsed.kind === 'malformed') {
    const isForm = FORM.test(headers['content-type'] ?? '');
    return refuse('malformedBody', isForm ? 'it is a form; send JSON as application/json' : parsed.reason);
  }
  return isDeclaredAsJson(headers) ? parsed : refuse('contentNotJson');
}

/** Many HTTP clients send forms by default. */
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * A page of another origin can make a browser send forms, and bodies without a type, without a preflight. A
 * browser that remembers Basic credentials attaches them. So JSON must be declared; only programs other than
 * browsers may leave the type out.
 */
function isDeclaredAsJson(headers: IncomingHttpHeaders): boolean {
  const contentType = headers['content-type'];
  const isCrossSite = headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site';
  return contentType === undefined ? !isCrossSite : isJsonMediaType(contentType);
}

/** @returns The value, or why the body is refused. */
export function readBody<Value>(
  { bytesMax, read }: BodyRule<Value>, received: ReceivedBody, headers: IncomingHttpHeaders,
): { readonly value: Value } | Refusal {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return refuse('contentCoded'); // a compressed body could expand to any size
  }
  if (received === 'too-large') {
    return refuse('bodyTooLarge', bytesMax);
  }
  return received === 'aborted'
    ? refuse('malformedBody', 'the connection ended too early')
    : read(received, headers);
}
