/** Sentences about parameters and members of bodies, by name. A test finds missing and unused sentences. */

/** Texts in CommonMark, some with an example. Without an example, the first allowed value is shown. */
export type Sentences = Readonly<Record<string, string | readonly [text: string, example: unknown]>>;

/** If a name has a special meaning in an operation, `texts.ts` has another sentence for this operation. */
export const sentences: Sentences = {
  username_or_id: ['The username or id of a user. An integer is always an id. Case is ignored.', 'ada'],
  project_name_or_id: ['The name or id of a project. An integer is always an id. Case is ignored.', 'notes'],
  token_id: ['The id of a token. Lists of tokens show the id. Do not send the token itself.', 7],
  filename: ['The path of a file. Do not encode the `/` between folders, or no file is found.', 'index.html'],

  page: 'The number of the page. The default is 1. A page after the last page is empty.',
  items_per_page: 'The maximum number of items on a page. The default is 1000. Larger values count as 1000.',
  sort: 'The default is `id`. A minus sign reverses the order. Case is ignored. Equal keys are sorted by id.',
  contains: ['Finds only names that contain this text. Ignores case, `starts_with` and `ends_with`.', 'ad'],
  starts_with: ['Finds only names that start with this text. Case is ignored.', 'a'],
  ends_with: ['Finds only names that end with this text, not overlapping `starts_with`. Ignores case.', 'a'],
  role: 'Finds only users with this role.',
  state: 'Finds only users in this state. Only administrators may list `invited` users (without a password).',
  last_four: ['Finds only tokens that end with these four characters. Upper and lower case differ.', 'NNYw'],
  long_lived: '`true` leaves out tokens with a lifetime of a day or less, such as sessions of the console.',
  all_users: '`true` lists the tokens of all users: only for administrators, and only without `username`.',
  action: 'Finds only events of this kind.',
  user_id: ['Finds only changes by or to the user with this id, even if the user was renamed or deleted.', 2],
  since: ['Finds only events at or after this time (RFC 3339, with any offset).', '2026-01-31T00:00:00Z'],

  owned_projects: 'With the default, `refuse`, a user who owns projects is not deleted.',
  new_owner: ['The user who gets the projects: required with `transfer`, refused without `transfer`.', 'ada'],
  username:
    'Letters, digits and marks of one script, and the characters `. _ @ + -`. ' +
    'Latin may be mixed with Japanese, Chinese or Korean. ' +
    'Invisible characters, integers, `.`, `..` and the form of a token are refused. ' +
    'The username must be unique. Upper and lower case are stored, but comparisons ignore case.',
  password: 'At most 1024 bytes in UTF-8, without NUL characters, and not in the form of a token.',
  current_password: 'Your current password, if you change your own password.',
  email: 'Shown to every signed-in user; with `DIRECTORY=closed`, only to the user and administrators.',
  is_admin: 'Whether the user is an administrator. Only administrators may send this member.',
  disabled: 'Whether the user is prevented from signing in. Only administrators may send this member.',

  name:
    'Control and invisible characters, white space at either end, integers, `.` and `..` are refused. ' +
    'The name must be unique among all projects; case is ignored.',
  description: 'Invisible characters are refused, except tab, line break, joiners and variation selectors.',
  owner: 'The username of the owner. Only administrators may name another user.',

  expiration: 'The lifetime of the token in seconds. The default is {lifetime}.',
  scope: 'The default is `full`. Use `identity` for a token that you give to a program.',
  audience:
    'Up to 10 hosts: the token is valid only for programs on these hosts. Name ports except 80 and 443. ' +
    'At this service, a token with an `audience` can only revoke itself. ' +
    'Without `audience`, the token is valid for every program and for this service.',
  token: 'The token to introspect.',
  token_type_hint: 'This hint is ignored, because all tokens have the same type.',
};
