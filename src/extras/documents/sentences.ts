/**
 * The sentences about parameters, and about members of bodies, by their names. A test finds missing and
 * unused sentences.
 */

/** A text in CommonMark, and perhaps an example. */
export type Sentences = Readonly<Record<string, string | readonly [text: string, example: unknown]>>;

/** An operation that means something else by a name has a sentence of its own in `texts.ts`. */
export const sentences: Sentences = {
  username_or_id: ['A username, case ignored, or the id of a user: an integer is an id.', 'ada'],
  project_name_or_id: ['The name of a project, case ignored, or its id: an integer is an id.', 'notes'],
  token_id: ['The id of a token, as lists show it; not the token itself.', 7],
  filename: [
    'The path of a file in the static folder, with `/` between its parts. If a client that is generated ' +
    'from this document encodes `/`, no file is found.',
    'index.html',
  ],

  page: 'The number of the page, 1 unless given. A page after the last one is empty.',
  items_per_page: 'The size of a page: 1000 unless given. A larger number counts as 1000.',
  sort: [
    'The sort key, `id` unless given. A leading minus sorts in descending order. Case is ignored, and ties ' +
    'are sorted by id.',
    'id',
  ],
  contains: [
    'Only names that contain this text. Case is ignored. Overrides `starts_with` and `ends_with`.', 'ad',
  ],
  starts_with: ['Only names that start with this text. Case is ignored.', 'a'],
  ends_with: [
    'Only names that end with this text, without overlapping `starts_with`. Case is ignored.', 'a',
  ],
  role: ['Only users with this role.', 'administrator'],
  state: [
    'Only users who are not disabled (`enabled`), only disabled users, or, for administrators, only users ' +
    'who have not set a password yet (`invited`).',
    'enabled',
  ],
  last_four: ['Only tokens that end with these four characters. Case matters.', 'NNYw'],
  long_lived: [
    'Whether to leave out tokens that were created for a day or less, such as sessions of the console.',
    'true',
  ],
  all_users: [
    'Whether to list the tokens of all users, for administrators. Not with `username`.', 'true',
  ],
  action: ['Only events of this kind.', 'project.create'],
  user_id: ['Only changes by or to this user, under any name, also after a deletion.', 2],
  since: ['Only events from this moment on (RFC 3339, any offset).', '2026-01-31T00:00:00Z'],

  owned_projects: [
    'Whether to `delete` or `transfer` the projects of the user. `refuse`, unless given, keeps a user who ' +
    'has some.',
    'refuse',
  ],
  new_owner: [
    'The user who gets the projects. Required with `owned_projects=transfer`, and only there.', 'ada',
  ],
  username: [
    'Letters, digits and marks of one script, and `. _ @ + -`; nothing invisible; not an integer, `.` or ' +
    '`..`, and not in the form of a token. Latin may be mixed with Japanese, Chinese or Korean. Unique; ' +
    'case is kept, and ignored in comparisons.',
    'ada',
  ],
  password: [
    'At most 1024 bytes in UTF-8, without NUL, and not in the form of a token.',
    'a long phrase only Ada knows',
  ],
  current_password: ['Required to change your own password.', 'the one before'],
  email: [
    'An email address. Signed-in users can see it: with `DIRECTORY=closed` only administrators.',
    'ada@example.org',
  ],
  is_admin: 'Whether the user is an administrator. Only administrators may send this.',
  disabled: 'Whether the user is kept from signing in. For administrators.',

  name: [
    'Without control and invisible characters, and without white space at either end; not an integer, `.` ' +
    'or `..`. Unique across the service, case ignored.',
    'notes',
  ],
  description: [
    'No invisible characters but tab, line break, joiners and variation selectors.',
    'On the Analytical Engine',
  ],
  owner: 'The username of the owner. Only administrators may name another user.',

  expiration: 'The lifetime in seconds, {lifetime} unless given.',
  scope: ['`full` unless given. `identity` is for a token that you give to a program.', 'full'],
  audience: [
    'The programs that the token is for: up to 10 host names, each with its port unless that is 80 or 443. ' +
    '`/api/v1/verify` then accepts the token only for these, and this service only to revoke it. Without ' +
    'this member, the token is for every program and for this service.',
    ['wiki.example.org'],
  ],
  token: ['The token to introspect.', 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw'],
  token_type_hint: 'Ignored: there is one type of tokens.',
};
