/** Brings the body of a request from bytes to a JSON value that the route's schema accepts, or refuses it. */
import type { IncomingMessage } from 'node:http';
import { hasBody, isJsonMediaType, parseJson, receiveBody, type ReceivedBody } from './http/body.ts';
import { compileSchema, type Validate } from './jsonschema/compile.ts';
import type { Schema } from './jsonschema/schema.ts';
import { problems } from './problems.ts';

/** What a route says of its body. */
interface BodyDescription {
  readonly presence: 'required' | 'optional';
  readonly schema: Schema;
  readonly bodyBytesMax?: number;
}

interface BodyRule {
  readonly presence: 'required' | 'optional';
  readonly validate: Validate;
  /** The limit under which the body is received. */
  readonly bodyBytesMax: number;
}

/** @param bodyBytesMax - For all routes; one may be stricter. */
export function createBodyRule(body: BodyDescription, bodyBytesMax: number): BodyRule {
  const { presence, schema, ...own } = body;
  return {
    presence,
    validate: compileSchema(schema),
    bodyBytesMax: Math.min(own.bodyBytesMax ?? bodyBytesMax, bodyBytesMax),
  };
}

/** A body on its way, and what it must be. */
export interface IncomingBody {
  readonly rule: BodyRule;
  readonly receiving: Promise<ReceivedBody>;
}

/** Receives a body under its rule, or discards it when there is none. */
export function beginBody(incoming: IncomingMessage, rule: BodyRule | undefined): IncomingBody | undefined {
  if (rule !== undefined) {
    return { rule, receiving: receiveBody(incoming, rule.bodyBytesMax) };
  }
  if (hasBody(incoming)) {
    incoming.resume();
  }
  return undefined;
}

/**
 * @returns The value, or `undefined` when there is no body and none is required.
 * @throws HttpProblem when the body is missing, too large, coded, not JSON, not declared as JSON, or of the wrong form.
 */
export async function readBody(incoming: IncomingMessage, body: IncomingBody): Promise<unknown> {
  const { rule, receiving } = body;
  refuseContentCoding(incoming);
  const received = await receiving;
  switch (received.kind) {
    case 'too-large':
      throw problems.bodyTooLarge(rule.bodyBytesMax);
    case 'aborted':
      throw problems.malformedBody('the connection ended before it did');
    case 'received':
      return received.bytes.length === 0 && rule.presence === 'optional'
        ? undefined
        : readJson(incoming, received.bytes, rule);
  }
}

function readJson(incoming: IncomingMessage, bytes: Buffer, { validate }: BodyRule): unknown {
  if (bytes.length === 0) {
    throw problems.malformedBody('there is none; send a JSON object');
  }
  const parsed = parseJson(bytes);
  if (parsed.kind === 'malformed') {
    refuseForm(incoming);
    throw problems.malformedBody(parsed.reason);
  }
  refuseOtherMediaType(incoming);
  const complaints = validate(parsed.value);
  if (complaints.length > 0) {
    throw problems.invalidBody(complaints);
  }
  return parsed.value;
}

/** Many HTTP clients send forms unless they are told otherwise. */
function refuseForm({ headers }: IncomingMessage): void {
  if (/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers['content-type'] ?? '')) {
    throw problems.malformedBody('it is a form; send JSON as application/json');
  }
}

/** A compressed body could unfold to any size, and this service's bodies are small. */
function refuseContentCoding({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    throw problems.unsupportedMediaType('The body must be sent without a content coding');
  }
}

/**
 * A page of another origin can make a browser send forms, and bodies without a type, without asking first; a browser that
 * remembers Basic credentials attaches them. So JSON must be declared, and may go undeclared only where no browser is.
 */
function refuseOtherMediaType({ headers }: IncomingMessage): void {
  const contentType = headers['content-type'];
  const isCrossSite = headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site';
  const isAccepted = contentType === undefined ? !isCrossSite : isJsonMediaType(contentType);
  if (!isAccepted) {
    throw problems.unsupportedMediaType('The body must be declared as application/json');
  }
}
