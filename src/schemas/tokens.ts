import type { Schema } from '../jsonschema/schema.ts';

/** The body of `POST /api/v1/tokens`; everything may be left out, the body too. */
interface NewTokenBody {
  readonly name: string;
  /** A lifetime in seconds; absent means the default. */
  readonly expiration: number | undefined;
  readonly scope: 'full' | 'read_only';
}

/** @param lifetimeSecondsMax - The longest lifetime that can be asked for. */
export function createNewTokenSchema(lifetimeSecondsMax: number): Schema {
  return {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        maxLength: 100,
        pattern: '^[^\\p{Cc}]*$',
        title: 'text without control characters',
        description: 'What its owner calls it, without control characters; empty when absent.',
      },
      expiration: {
        type: 'integer',
        minimum: 1,
        maximum: lifetimeSecondsMax,
        description: 'Lifetime in seconds; absent for that of `POST /api/v1/token`.',
      },
      scope: {
        type: 'string',
        enum: ['full', 'read_only'],
        description: 'A `read_only` token may do what GET does; absent for `full`.',
      },
    },
  };
}

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toNewTokenBody(body: unknown): NewTokenBody {
  const { name = '', expiration, scope = 'full' } = (body ?? {}) as Partial<NewTokenBody>;
  return { name, expiration, scope };
}
