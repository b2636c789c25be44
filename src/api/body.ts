/** Turns the body of a request into a value that the schema of the operation accepts. */
import type { IncomingHttpHeaders } from 'node:http';
import { isJsonMediaType, type ReceivedBody } from '../http/body.ts';
import { parseJson } from '../http/text.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import type { Schema, TypedSchema } from '../jsonschema/schema.ts';
import { isRefusal, refuse, type Refusal } from './problems.ts';

export interface BodyRule<Value> {
  readonly bytesMax: number;
  /** @param bytes - The body of the request; empty if the request has no body. */
  readonly read: (bytes: Buffer, headers: IncomingHttpHeaders) => { readonly value: Value } | Refusal;
  /** Describes the body in the API document. Absent for GET: OpenAPI 3.0 cannot describe a body of GET. */
  readonly content?: {
    readonly mediaType: 'application/json' | 'application/x-www-form-urlencoded';
    readonly schema: Schema;
    readonly isRequired: boolean;
  };
}

/** Enough for two passwords of 1,024 bytes, even if JSON escapes make the passwords three times as long. */
export const DEFAULT_BODY_BYTES_MAX = 8_192;

/** The rule for a body that is a JSON object. If the body is optional, a missing body counts as `{}`. */
export function jsonBody<Value>(
  schema: TypedSchema<Value>, { isOptional = false, bytesMax = DEFAULT_BODY_BYTES_MAX } = {},
): BodyRule<Value> {
  const accept = acceptMembers(schema);
  return {
    bytesMax,
    content: { mediaType: 'application/json', schema: schema.json, isRequired: !isOptional },
    read(bytes, headers) {
      const json = bytes.length === 0 && isOptional ? { value: {} } : readJson(bytes, headers);
      return isRefusal(json) ? json : accept(json.value);
    },
  };
}

/** Checks a JSON object, and copies only the members that the schema names. */
export function acceptMembers<Value>({ json }: TypedSchema<Value>) {
  const validate = compileSchema(json);
  const names = Object.keys(json.properties ?? {});
  return (value: unknown): { readonly value: Value } | Refusal<'invalidBody'> => {
    const complaints = validate(value);
    if (complaints.length > 0) {
      return refuse('invalidBody', complaints);
    }
    const given = value as Readonly<Record<string, unknown>>; // the schema requires an object
    const members = names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]);
    return { value: Object.fromEntries(members) as Value };
  };
}

export function readJson(
  bytes: Buffer, headers: IncomingHttpHeaders,
): { readonly value: unknown } | Refusal<'malformedBody' | 'contentNotJson'> {
  if (bytes.length === 0) {
    return refuse('malformedBody', 'the request has no body; send a JSON object');
  }
  const { 'content-type': contentType, 'sec-fetch-site': site, origin } = headers;
  const parsed = parseJson(bytes);
  if ('reason' in parsed) {
    const isForm = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType ?? '');
    return refuse('malformedBody', isForm ? 'it is a form; send JSON as application/json' : parsed.reason);
  }
  // Without a preflight, a page of another origin can send a form, or a body without a content type. The
  // browser adds remembered Basic credentials. So a browser must declare the content type.
  const isFromProgram = origin === undefined && site !== 'cross-site';
  const isJson = contentType === undefined ? isFromProgram : isJsonMediaType(contentType);
  return isJson ? parsed : refuse('contentNotJson');
}

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
    ? refuse('malformedBody', 'the connection ended before the whole body had arrived')
    : read(received, headers);
}
