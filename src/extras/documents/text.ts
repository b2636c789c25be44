/**
 * The form of the sentences about operations. The compiler takes the names from the operations, and finds a
 * sentence that is missing.
 */
import type { NamedOperation } from '../../api/operation.ts';
import type { TypedSchema } from '../../jsonschema/typed.ts';

/** A section of the API document. */
export type Tag = 'Tokens' | 'Users' | 'Projects' | 'Programs' | 'Audit trail' | 'Service';

/** The sentences about a parameter, or about a member of a body. */
export interface Sentences {
  /** Text in CommonMark. Absent if the name says enough, or the title of the schema. */
  readonly description?: string;
  readonly example?: unknown;
}

/** One response in the API document. */
export interface ResponseText {
  readonly status: number;
  readonly description: string;
  /** The names of its header fields, besides those of every response. */
  readonly headers?: readonly string[];
  /** Examples of fields whose value depends on the operation, without `BASE_PATH`. */
  readonly headerExamples?: Readonly<Record<string, string>>;
  /** The content by media type, the most specific type first; absent without content. */
  readonly content?: Readonly<Record<string, ContentText>>;
}

export interface ContentText {
  /** `binary` is bytes of any kind. */
  readonly schema: TypedSchema<unknown> | 'binary';
  readonly example?: unknown;
}

type ReplyText = Pick<ResponseText, 'description' | 'headers' | 'headerExamples'>;

/** The sentences about one operation, without its types. */
export interface OperationText {
  readonly tag: Tag;
  /** A few words in the imperative. */
  readonly summary: string;
  /** Text in CommonMark. */
  readonly description: string;
  readonly path?: Readonly<Record<string, Sentences>>;
  readonly query?: Readonly<Record<string, Sentences>>;
  /** The name of the body's schema, its members, and an example if the members do not make one. */
  readonly body?: {
    readonly name: string;
    readonly members: Readonly<Record<string, Sentences>>;
    readonly example?: object;
  };
  readonly reply?: ReplyText & { readonly schema?: TypedSchema<unknown> };
  /** The items of a list. */
  readonly item?: TypedSchema<unknown>;
  readonly responses?: readonly ResponseText[];
}

type Named<Part extends string, Name> =
  [Name] extends [never] ? object : { readonly [Each in Part]: Readonly<Record<Name & string, Sentences>> };

type BodyText<Name> = [Name] extends [never] ? object : {
  readonly body: NonNullable<OperationText['body']>
    & { readonly members: Readonly<Record<Name & string, Sentences>> };
};

interface ReplyTexts {
  readonly record: { readonly reply: ReplyText & { readonly schema: TypedSchema<unknown> } };
  readonly changed: ReplyTexts['record'];
  readonly created: ReplyTexts['record'] & {
    readonly reply: { readonly headerExamples: { readonly Location: string } };
  };
  readonly words: { readonly reply: ReplyText };
  readonly list: { readonly item: TypedSchema<unknown> };
  readonly custom: { readonly responses: readonly ResponseText[] };
}

/** The sentences about operations, by their ids. */
export type TextsOf<Operations> = {
  readonly [Id in keyof Operations]:
    Operations[Id] extends NamedOperation<infer Path, infer Query, infer Body, infer Kind>
      ? Pick<OperationText, 'tag' | 'summary' | 'description'> & Named<'path', Path> & Named<'query', Query>
        & BodyText<Body> & ReplyTexts[Kind & keyof ReplyTexts]
      : never;
};

/** The settings that the sentences mention. */
export interface TextSettings {
  readonly registration: 'open' | 'closed';
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

export const lifetimeText = ({ tokenLifetimeSeconds, tokenLifetimeSecondsMax }: TextSettings): Sentences => ({
  description: `Lifetime in seconds, ${tokenLifetimeSeconds} unless given.`,
  example: Math.min(3_600, tokenLifetimeSecondsMax),
});

export const userInPathTexts = {
  username_or_id: {
    description: 'A username, case ignored, or the id of a user: an integer is an id.', example: 'ada',
  },
};

export const searchTexts = {
  contains: {
    description:
      'Only names that contain this text. Case is ignored. Overrides `starts_with` and `ends_with`.',
    example: 'ad',
  },
  starts_with: { description: 'Only names that start with this text. Case is ignored.', example: 'a' },
  ends_with: {
    description: 'Only names that end with this text, without overlapping `starts_with`. Case is ignored.',
    example: 'a',
  },
};

export const SORT: Sentences = {
  description:
    'The sort key, `id` unless given. A leading minus sorts in descending order. Case is ignored, and ties ' +
    'are sorted by id.',
  example: 'id',
};

export const pagingTexts = {
  page: { description: 'The number of the page, 1 unless given. A page after the last one is empty.' },
  items_per_page: { description: 'The size of a page: 1000 unless given, and at most.' },
};
