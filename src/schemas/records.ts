/**
 * What answers are made of, as the handlers and the stores make it; the API tests hold every answer against these schemas.
 * All members that are required here are always there.
 */
import type { Schema } from '../jsonschema/schema.ts';

/** Greater integers are not exact in JavaScript, so there are none. */
const idSchema: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Assigned by the service, and never used again.',
};

const timestampSchema: Schema = { type: 'string', format: 'date-time', description: 'UTC, with milliseconds.' };

/** The specification wants this one without a zone designator. */
const expirationDateSchema: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}$',
  description: 'When the token ends: UTC, with milliseconds and without a zone designator.',
};

const usernameSchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'In the case in which it was written.',
};
const emailSchema: Schema = { type: 'string', maxLength: 254, format: 'email' };

export const userSummarySchema: Schema = {
  type: 'object',
  description: 'What a project shows of its owner.',
  required: ['username', 'email'],
  properties: { username: usernameSchema, email: emailSchema },
};

export const projectSchema: Schema = {
  type: 'object',
  required: ['id', 'name', 'description', 'date_created', 'owner'],
  properties: {
    id: idSchema,
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'Unique across the service, case ignored.' },
    description: { type: 'string', description: 'May be empty.' },
    date_created: timestampSchema,
    owner: userSummarySchema,
  },
};

const listedUserProperties = {
  id: idSchema,
  username: usernameSchema,
  email: emailSchema,
  date_created: timestampSchema,
  is_admin: { type: 'boolean', description: 'Whether the user is an administrator.' },
  projects_total: { type: 'integer', minimum: 0, description: 'How many projects the user owns.' },
  projects: {
    type: 'array',
    items: projectSchema,
    description: 'The first projects of the user, by ascending id: at most 1000, and at most 100 in a list.',
  },
} as const satisfies Schema['properties'];

const userProperties = {
  ...listedUserProperties,
  disabled: { type: 'boolean', description: 'Whether the user is kept from signing in.' },
} as const satisfies Schema['properties'];

export const listedUserSchema: Schema = {
  type: 'object',
  description: 'A user as lists show them.',
  required: Object.keys(listedUserProperties),
  properties: listedUserProperties,
};

export const userSchema: Schema = { type: 'object', required: Object.keys(userProperties), properties: userProperties };

export const createdUserSchema: Schema = {
  type: 'object',
  required: ['username', 'email', 'id', 'date_created'],
  properties: { username: usernameSchema, email: emailSchema, id: idSchema, date_created: timestampSchema },
};

const tokenRecordProperties = {
  id: { ...idSchema, description: 'Names the token in paths; it is no secret.' },
  name: { type: 'string', maxLength: 100, description: 'What its owner calls it; may be empty.' },
  last_four: {
    type: 'string',
    maxLength: 4,
    description: 'The end of its text, to recognise it by; empty for a token of an early version.',
  },
  scope: { type: 'string', enum: ['full', 'read_only'], description: 'A `read_only` token may do what GET does.' },
  date_created: timestampSchema,
  expiration_date: expirationDateSchema,
  last_used: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the token was last used, exact to a minute; `null` when it has not been.',
  },
} as const satisfies Schema['properties'];

export const tokenRecordSchema: Schema = {
  type: 'object',
  description: 'What is known of a token, without the token.',
  required: Object.keys(tokenRecordProperties),
  properties: tokenRecordProperties,
};

const tokenTextSchema: Schema = {
  type: 'string',
  pattern: '^rollcall_[A-Za-z0-9_-]{49}$',
  description: 'The token itself, which is shown this once. Treat it as opaque, and as a password.',
};

export const issuedTokenSchema: Schema = {
  type: 'object',
  required: ['token', 'expiration_date'],
  properties: { token: tokenTextSchema, expiration_date: expirationDateSchema },
};

export const createdTokenSchema: Schema = {
  type: 'object',
  required: ['token', ...Object.keys(tokenRecordProperties)],
  properties: { token: tokenTextSchema, ...tokenRecordProperties },
};

export const callerSchema: Schema = {
  type: 'object',
  required: [...Object.keys(userProperties), 'role', 'sign_in', 'token'],
  properties: {
    ...userProperties,
    role: { type: 'string', enum: ['user', 'administrator'], description: 'What the caller may do.' },
    sign_in: { type: 'string', enum: ['password', 'token'], description: 'How the caller signed in.' },
    token: {
      ...tokenRecordSchema,
      type: ['object', 'null'],
      description: 'The token in use; `null` after signing in with a password.',
    },
  },
};
