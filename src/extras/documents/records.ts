/** Schemas of the records in replies. SQL writes their JSON. Tests compare every reply with its schema. */
import {
  array, boolean, integer, object, optional, text, wordOf, type Schema, type TypedSchema,
} from '../../jsonschema/schema.ts';
import { AUDIT_ACTIONS } from '../../model/audit.ts';
import { PROJECT_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX } from '../../model/name.ts';
import { TOKEN_SCOPES } from '../../model/token.ts';

/** The id of an example request. */
export const REQUEST_ID = '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52';

const id = (example: number, description = 'The service assigns the id. No other record gets this id.') =>
  integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, example });

const timestamp = (example: string, description = 'A time in UTC, with milliseconds.') =>
  text({ format: 'date-time', description, example });

/** Requests have no nullable members, so the validator does not know `nullable`, a keyword of OpenAPI 3.0. */
const nullable = ({ json }: TypedSchema<unknown>, keywords: Schema = {}) =>
  ({ json: { ...json, ...keywords, nullable: true } });

/** The specification asks for an expiration date without a zone designator. */
const expirationDate = text({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}$',
  description: 'The expiry in UTC, with milliseconds, without a zone designator. Add `Z` before you parse.',
  example: '2026-01-31T13:10:00.000',
});

const email = text({ maxLength: 254, format: 'email', example: 'ada@example.org' });

/** The rules for new usernames are not in this schema, because a username can be older than the rules. */
const username = text({ minLength: 1, maxLength: USERNAME_LENGTH_MAX, example: 'ada' });

export const userSummary = object({ username, email }, { description: 'The owner of a project.' });

export const project = object({
  id: id(1),
  name: text({ minLength: 1, maxLength: PROJECT_NAME_LENGTH_MAX, example: 'notes' }),
  description: text({ description: 'May be empty.', example: 'On the Analytical Engine' }),
  date_created: timestamp('2026-01-31T12:05:00.000Z'),
  owner: userSummary,
});

const userMembers = {
  id: id(2),
  username,
  email,
  date_created: timestamp('2026-01-31T12:00:00.000Z'),
  is_admin: boolean({ example: false }),
  disabled: boolean({ example: false }),
  invited: optional(boolean({ example: false }), {
    description: 'Whether the user has no password yet. Only administrators see this value.',
  }),
  projects_total: integer({ minimum: 0, example: 1 }),
  projects: array(project, {
    description: 'The oldest projects of the user. The array has at most 256 KiB; in a list of users, 4 KiB.',
  }),
};

export const user = object(userMembers);
export const createdUser = object({
  username, email, id: userMembers.id, date_created: userMembers.date_created,
});

const tokenScope = wordOf(TOKEN_SCOPES, {
  description:
    '`read_only` allows GET, introspection, and revoking the token. ' +
    '`set_password` is for password links. ' +
    '`identity` allows `GET /api/v1/user`, verification, introspection, and revoking the token.',
});

const audience = array(text(), { example: ['wiki.example.org'] });

const tokenMembers = {
  id: id(7, 'Identifies the token in paths. The id is not secret.'),
  name: text({ maxLength: 100, description: 'May be empty.', example: 'laptop' }),
  last_four: text({ maxLength: 4, description: 'The last four characters of the token.', example: 'NNYw' }),
  scope: tokenScope,
  audience: nullable(audience, {
    description: 'Only programs on these hosts accept the token; `null` means all hosts.', example: null,
  }),
  date_created: timestamp('2026-01-31T12:10:00.000Z'),
  expiration_date: expirationDate,
  last_used: nullable(
    timestamp('2026-01-31T12:20:00.000Z', 'The last use, exact to a minute; `null` before the first use.'),
  ),
};

export const tokenRecord = object({
  ...tokenMembers,
  username: optional(username, {
    description: 'The owner of the token, shown only with `all_users=true`.',
    example: undefined,
  }),
}, { description: 'A token without its secret text.' });

export const tokenText = text({
  pattern: '^rollcall_[A-Za-z0-9_-]{49}$',
  description: 'The token, which is shown only in this response. Treat the token like a password.',
  example: 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
});

export const issuedToken = object({ token: tokenText, expiration_date: expirationDate });
export const createdToken = object({ token: tokenText, ...tokenMembers });

export const caller = object({
  ...userMembers,
  projects_total: optional(userMembers.projects_total),
  projects: optional(userMembers.projects),
  role: wordOf(['user', 'administrator']),
  sign_in: wordOf(['password', 'token']),
  token: nullable(tokenRecord, { description: 'The token of this request, or `null`.', example: null }),
});

export const passwordLink = object({
  link: text({
    description: 'The path of the link, shown only once. Everybody who has the link can set the password.',
    example: '/static/console/#/password/2/ada/rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
  }),
  expiration_date: expirationDate,
});

/** The response to an introspection (RFC 7662 §2.2). For an invalid token, only `active` is sent. */
export const introspection = object({
  active: boolean({ description: 'Whether the token is valid now.', example: true }),
  sub: optional(text({ description: 'The id of the user.', example: '2' })),
  username: optional(username),
  email: optional(email),
  scope: optional(tokenScope),
  token_type: optional(wordOf(['Bearer'])),
  aud: optional(audience, { description: 'Only programs on these hosts may accept the token.' }),
  exp: optional(integer({ description: 'Time of expiry, in seconds since 1970.', example: 1_769_865_000 })),
  iat: optional(integer({ description: 'Time of issue, in seconds since 1970.', example: 1_769_861_400 })),
});

export const auditEvent = object({
  id: id(12, 'A later event has a larger id.'),
  date_created: timestamp('2026-01-31T12:05:00.000Z'),
  action: wordOf(AUDIT_ACTIONS, { example: 'project.create' }),
  resource: object({
    type: wordOf(['user', 'project', 'token', 'service'], { example: 'project' }),
    id: nullable(integer({ example: 1 })),
    name: text({ description: 'The name at the time of the event, or an empty string.', example: 'notes' }),
  }, { description: 'The resource that was changed.' }),
  details: text({ description: 'The change, without secrets, or an empty string.', example: '' }),
  user: nullable(object({ id: integer({ minimum: 1, example: 2 }), username: text({ example: 'ada' }) }), {
    description: 'The user who made the change, with the username at that time; `null` if nobody signed in.',
  }),
  sign_in: wordOf(['password', 'token', 'none', 'program'], {
    description: '`program` means a command of the operator, or the service itself.',
  }),
  token_id: nullable(integer({ example: 7 }), { example: null }),
  request_id: text({ description: 'The id of the request, or an empty string.', example: REQUEST_ID }),
  address: text({ description: 'The address of the client, or an empty string.', example: '192.0.2.7' }),
});
