/** Sentences about parameters and members of bodies, by name. A test finds missing and unused sentences. */

/** Texts in CommonMark, some with an example. Without an example, the first allowed value is shown. */
export type Sentences = Readonly<Record<string, string | readonly [text: string, example: unknown]>>;

/** If a name has a special meaning in an operation, `texts.ts` has another sentence for this operation. */
export const sentences: Sentences = {
  username_or_id: ['The username or the id of a user. An integer is always an id. Case is ignored.', 'ada'],
  project_name_or_id: [
    'The name or the id of a project. An integer is always an id. Case is ignored.', 'notes',
  ],
  token_id: ['The id of a token. Lists of tokens show the id. Do not send the token itself.', 7],
  filename: [
    'The path of a file in the static folder. ' +
    'Do not encode the `/` between folders, as some generated clients do: no file would be found.',
    'index.html',
  ],

  page: 'The number of the page. The default is 1. A page after the last page is empty.',
  items_per_page: 'The maximum number of items on a page. The default is 1000. Larger values count as 1000.',
  sort:
    'The key to sort by. The default is `id`. A leading minus sign means descending order. ' +
    'Sorting ignores case. Items with equal keys are sorted by id.',
  contains: [
    'Finds only names that contain this text. Case is ignored. ' +
    'If `contains` is given, `starts_with` and `ends_with` have no effect.',
    'ad',
  ],
  starts_with: ['Finds only names that start with this text. Case is ignored.', 'a'],
  ends_with: [
    'Finds only names that end with this text. Case is ignored. ' +
    'In a found name, the texts of `starts_with` and `ends_with` do not overlap.',
    'a',
  ],
  role: 'Finds only users with this role.',
  state:
    'Finds only users in this state. An `invited` user has not set a password yet. ' +
    'Only administrators may list invited users.',
  last_four: ['Finds only tokens that end with these four characters. Upper and lower case differ.', 'NNYw'],
  long_lived: '`true` leaves out tokens with a lifetime of a day or less, such as sessions of the console.',
  all_users:
    '`true` lists the tokens of all users. ' +
    'Only administrators may send `all_users`, and only without `username`.',
  action: 'Finds only events of this kind.',
  user_id: ['Finds only changes by or to the user with this id, even if the user was renamed or deleted.', 2],
  since: ['Finds only events at or after this time (RFC 3339, with any offset).', '2026-01-31T00:00:00Z'],

  owned_projects:
    'What happens to the projects of the deleted user. ' +
    'With the default, `refuse`, a user who owns projects is not deleted.',
  new_owner: [
    'The user who gets the projects of the deleted user. ' +
    'With `owned_projects=transfer`, `new_owner` is required; in all other requests, `new_owner` is refused.',
    'ada',
  ],
  username:
    'Letters, digits and marks of one script, and the characters `. _ @ + -`. ' +
    'Latin may be mixed with Japanese, Chinese or Korean. ' +
    'Invisible characters, integers, `.`, `..` and the form of a token are refused. ' +
    'The username must be unique. Upper and lower case are stored, but comparisons ignore case.',
  password: 'At most 1024 bytes in UTF-8, without NUL characters, and not in the form of a token.',
  current_password: 'Your current password, if you change your own password.',
  email:
    'An email address, which every signed-in user can see. ' +
    'With `DIRECTORY=closed`, only the user and administrators can see the email address.',
  is_admin: 'Whether the user is an administrator. Only administrators may send this member.',
  disabled: 'Whether the user is prevented from signing in. Only administrators may send this member.',

  name:
    'Control characters, invisible characters, and white space at either end are refused. ' +
    'Integers, `.` and `..` are refused as names. ' +
    'The name must be unique among all projects; case is ignored.',
  description: 'Invisible characters are refused, except tab, line break, joiners and variation selectors.',
  owner: 'The username of the owner. Only administrators may name another user.',

  expiration: 'The lifetime of the token in seconds. The default is {lifetime}.',
  scope: 'The default is `full`. Use `identity` for a token that you give to a program.',
  audience:
    'The hosts of the programs for which the token is valid: up to 10 names. ' +
    'Name the port of a host, unless the port is 80 or 443. ' +
    '`/api/v1/verify` accepts the token only for these hosts. ' +
    'At this service, a token with an `audience` can only revoke itself. ' +
    'Without `audience`, the token is valid for every program and for this service.',
  token: 'The token to introspect.',
  token_type_hint: '`token_type_hint` is ignored, because all tokens have the same type.',
};
