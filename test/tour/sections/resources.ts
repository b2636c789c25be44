/** Specification: "Resources and their fields", and "States and transitions". */
import type { Section } from '../sentence.ts';

const REGISTRATION = 'POST /api/v1/users answers 201 with username, email, id and date, the place of the user, and no password';
const USERS_LIST = 'GET /api/v1/users lists every user with id, username, email, date, role and projects, and no password';
const USER_READ = 'GET /api/v1/users/{username_or_id} answers username, email and projects, each with its owner';
const CREATION = 'POST /api/v1/projects answers 201 with the project and the summary of its owner, who is the caller by default';
const PROJECTS_LIST = 'GET /api/v1/projects lists the projects of all users to every user, with page, items_per_page and Count';
const TOKEN = 'POST /api/v1/token answers 201 with a token and its end, ten minutes ahead, without a zone designator';
const OTHERS_TOKENS = 'DELETE /api/v1/token revokes the tokens of the user whom an administrator names, case ignored';

export const resources: readonly Section[] = [
  {
    number: '2.1',
    title: 'User',
    sentences: [
      {
        says: 'id: an integer that the service assigns; a path to a single user takes it.',
        source: { 'stores/schema.ts': 'CREATE TABLE users (\n     id INTEGER PRIMARY KEY AUTOINCREMENT' },
        tests: { 'api/04-registration.test.ts': REGISTRATION, 'api/05-users.test.ts': 'GET /api/v1/users/2 finds grace.h@x' },
      },
      {
        says: 'username: a text, unique among users, given when the user is created.',
        source: { 'stores/schema.ts': 'username_key TEXT NOT NULL UNIQUE', 'stores/users.ts': 'ON CONFLICT (username_key) DO NOTHING' },
        tests: { 'api/04-registration.test.ts': ['POST /api/v1/users is 422 for "ada" when "ada" exists', 'of eight parallel registrations of one username one is 201 and seven are 422'] },
      },
      {
        says: 'password: given when the user is created, never returned.',
        source: { 'stores/representations.ts': ['const USER = {', 'export const CREATED_USER'] },
        tests: { 'api/04-registration.test.ts': REGISTRATION, 'api/05-users.test.ts': [USERS_LIST, USER_READ] },
      },
      {
        says: 'email: a text in the format email, given when the user is created.',
        source: { 'schemas/users.ts': "format: 'email'" },
        tests: { 'api/04-registration.test.ts': ['the email "a@b.example" of 11 characters is 201', 'the email "nobody" of 6 characters is 400'] },
      },
      {
        says: 'date_created: a date and time in ISO 8601, set by the service.',
        source: { 'handlers/users.ts': 'isAdmin: false, dateCreated: toTimestamp(services.clock())', 'model/clock.ts': 'new Date(instantMs).toISOString()' },
        tests: { 'api/04-registration.test.ts': [REGISTRATION, 'members that the service does not know give no rights and are not stored'] },
      },
      {
        says: 'projects: those that the user runs; the read of a single user returns them.',
        source: { 'stores/users.ts': 'SELECT head FROM projects WHERE owner_id = users.id ORDER BY id' },
        tests: { 'api/05-users.test.ts': USER_READ },
      },
      {
        says: 'A summary of a user, as owner of a project and in answers to a creation, is an object with username and email.',
        source: { 'stores/representations.ts': ['export const USER_SUMMARY', 'export const CREATED_USER'] },
        tests: { 'api/06-projects.test.ts': CREATION, 'api/04-registration.test.ts': REGISTRATION },
      },
      {
        says: 'An administrator is a kind of user.',
        source: { 'stores/users.ts': "isAdmin: integer(row, 'is_admin') === 1" },
        tests: { 'api/12-who-am-i.test.ts': 'GET /api/v1/user tells an administrator their role, and which token they signed in with' },
      },
      {
        says: 'What sets administrators apart is the right to revoke the tokens of others.',
        source: { 'handlers/tokens.ts': "caller.user.isAdmin ? readText(request.query, 'username') : undefined" },
        tests: { 'api/03-tokens.test.ts': OTHERS_TOKENS },
      },
      {
        says: 'Left open: further fields of an administrator. Here: the same fields as of every user, with is_admin true.',
        source: { 'stores/representations.ts': 'is_admin: {' },
        tests: { 'api/05-users.test.ts': USERS_LIST },
      },
    ],
  },
  {
    number: '2.2',
    title: 'Project',
    sentences: [
      {
        says: 'name: a text, given when the project is created.',
        source: { 'schemas/projects.ts': "required: ['name']" },
        tests: { 'api/06-projects.test.ts': [CREATION, 'a project name that is no string is 400'] },
      },
      {
        says: 'description: a text, given when the project is created.',
        source: { 'schemas/projects.ts': 'const descriptionSchema' },
        tests: { 'api/06-projects.test.ts': [CREATION, 'a description of 2000 characters is 201'] },
      },
      {
        says: 'date_created: a moment in ISO 8601, returned in lists of projects.',
        source: { 'stores/representations.ts': 'const PROJECT = {' },
        tests: { 'api/06-projects.test.ts': PROJECTS_LIST },
      },
      {
        says: "owner: the summary of a user in answers, the owner's username in the request that creates the project.",
        source: { 'stores/representations.ts': 'export const PROJECT_HEAD', 'schemas/projects.ts': '/** A username; absent means the caller. */' },
        tests: { 'api/06-projects.test.ts': [CREATION, 'the owner may be named, case ignored, and a description may be left out'] },
      },
    ],
  },
  {
    number: '2.3',
    title: 'Token',
    sentences: [
      {
        says: 'token: an opaque text that the service issues.',
        source: { 'auth/token.ts': "randomBytes(RANDOM_BYTES).toString('base64url')" },
        tests: { 'auth/token.test.ts': 'A new token has a prefix, 43 characters of 256 bits, and 6 characters of a checksum' },
      },
      {
        says: 'expiration_date: the moment at which the token ends, in ISO 8601 without a zone designator.',
        source: { 'handlers/tokens.ts': 'return timestamp.slice(0, -1)', 'stores/tokens.ts': "text(row, 'expires_at') > now" },
        tests: { 'api/03-tokens.test.ts': [TOKEN, 'a token is valid until its last millisecond and not at its expiration'] },
      },
    ],
  },
  {
    number: '2.4',
    title: 'Other response shapes',
    sentences: [
      {
        says: 'The list of users is an object with an array "users".',
        source: { 'handlers/users.ts': "toListReply('users'" },
        tests: { 'api/05-users.test.ts': USERS_LIST },
      },
      {
        says: 'Its items have username, date_created and projects; what else they have is left open. Here: id, email and is_admin.',
        source: { 'stores/representations.ts': 'export const LISTED_USER_HEAD' },
        tests: { 'api/05-users.test.ts': USERS_LIST },
      },
      {
        says: 'The list of projects is an object with an array "projects".',
        source: { 'handlers/projects.ts': "toListReply('projects'" },
        tests: { 'api/06-projects.test.ts': PROJECTS_LIST },
      },
      {
        says: 'Revoking a token answers an object whose token_status is "deleted".',
        source: { 'handlers/tokens.ts': "jsonReply(200, { token_status: 'deleted' })" },
        tests: { 'api/03-tokens.test.ts': 'DELETE /api/v1/token with a token revokes that token at once, and no other' },
      },
      {
        says: 'The liveness route answers an object with "message", a fixed greeting.',
        source: { 'handlers/liveness.ts': 'const GREETING =' },
        tests: { 'api/01-liveness.test.ts': 'GET / answers 200 with a message, without authentication' },
      },
      {
        says: 'Left open: lengths, characters and other limits of these fields. Here: those of the schemas.',
        source: { 'schemas/names.ts': ['maxLength: 64', 'maxLength: 255'], 'schemas/users.ts': 'maxLength: 254', 'schemas/projects.ts': 'maxLength: 2_000' },
        tests: {
          'api/04-registration.test.ts': ['a username of 64 characters is 201', 'a username of 65 characters is 400', 'a password of 1025 bytes is 400'],
          'api/06-projects.test.ts': ['a project name of 256 characters is 400', 'a description of 2001 characters is 400'],
        },
      },
    ],
  },
  {
    number: '3',
    title: 'States and transitions',
    sentences: [
      {
        says: 'Only tokens are shown to have a life of several states.',
        source: { 'stores/tokens.ts': "const IS_VALID = 'revoked_at IS NULL AND expires_at > ?'" },
        tests: { 'api/03-tokens.test.ts': 'a token is valid until its last millisecond and not at its expiration' },
      },
      {
        says: 'Issued: POST /api/v1/token by an authenticated caller makes a token that is valid until expiration_date; the 201 has the token.',
        source: { 'handlers/tokens.ts': 'toTimestamp(nowMs + lifetimeSeconds * 1000)' },
        tests: {
          'api/03-tokens.test.ts': [TOKEN, 'a token is valid until its last millisecond and not at its expiration'],
          'api/02-authentication.test.ts': 'POST /api/v1/token without credentials is 401 with both challenges',
        },
      },
      {
        says: 'Revoked: DELETE /api/v1/token by an authenticated caller, on their own token, or by an administrator on that of a named user; the answer says "deleted".',
        source: {
          'stores/tokens.ts': 'const REVOKE_FAMILY',
          'handlers/tokens.ts': 'await tokens.revokeAllOf(user, origin)',
        },
        tests: {
          'api/03-tokens.test.ts': ['DELETE /api/v1/token with a token revokes that token at once, and no other', OTHERS_TOKENS],
          'api/02-authentication.test.ts': 'DELETE /api/v1/token without credentials is 401 with both challenges',
        },
      },
      {
        says: 'Left open: states of users and projects, and other changes of state. Here: a user can be disabled, and an expired token is refused like an unknown one.',
        source: { 'stores/tokens.ts': 'WHERE digest = ? AND revoked_at IS NULL AND disabled = 0' },
        tests: { 'api/16-access.test.ts': 'a disabled user is refused with each of their tokens too' },
      },
    ],
  },
];
