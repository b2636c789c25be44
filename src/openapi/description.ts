/** What has to be said of an operation beyond its route, so that a client can be written from the document alone. */
import type { HttpProblem } from '../http/problem.ts';
import type { Schema } from '../jsonschema/schema.ts';
import type { HeaderName } from './headers.ts';

export type Tag = 'Service' | 'Tokens' | 'Users' | 'Projects' | 'Audit trail';

export interface Parameter {
  readonly in: 'query' | 'header' | 'path';
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** An answer that is no problem. */
export interface Answer {
  readonly status: 200 | 201 | 204 | 206 | 304;
  readonly description: string;
  /** Besides those of every answer. */
  readonly headers?: readonly HeaderName[];
  /** The `Location` or `Link` of the example, without `BASE_PATH`, where it is that of this operation alone. */
  readonly headerExamples?: Partial<Record<HeaderName, string>>;
  /** Absent for an answer without content; several where it is of one of several types, the most special first. */
  readonly content?: Content | readonly Content[];
}

export interface Content {
  readonly mediaType: string;
  /** `binary` is bytes of any kind. */
  readonly schema: Schema | 'binary';
  /** By name, with a sentence each. */
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface OperationDescription {
  readonly tag: Tag;
  /** One or more paragraphs in CommonMark. */
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: {
    /** The name of its schema in the document. */
    readonly name: string;
    readonly examples: Readonly<Record<string, Example>>;
    /** A body that the schema refuses, to show what is answered. */
    readonly refused: unknown;
  };
  readonly answers: readonly Answer[];
  /** Those that follow neither from the route nor from the parameters. */
  readonly problems?: readonly HttpProblem[];
  /** Credentials that are not those of a user, where the operation is public. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** An answer in JSON, with one example. */
export function jsonContent(schema: Schema, value: unknown, summary = 'As it is answered'): Content {
  return { mediaType: 'application/json', schema, examples: { answer: { summary, value } } };
}
