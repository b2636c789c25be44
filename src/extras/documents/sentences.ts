/** Sentences about parameters and members of bodies, by name. A test finds missing and unused sentences. */

/** Texts in CommonMark, some with an example. If there is no example, the document shows an allowed value. */
export type Sentences = Readonly<Record<string, string | readonly [text: string, example: unknown]>>;

/** The usual meaning of each parameter and member. Special meanings of an operation are in `texts.ts`. */
export const sentences: Sentences = {
  username_or_id: ['The username or id of a user. An integer is an id. Case does not matter.', 'ada'],
  project_name_or_id: ['The name or id of a project. An integer is an id. Case does not matter.', 'notes'],
  token_id: ['The id of a token, as in lists of tokens. Do not send the text of the token.', 7],
  filename: ['The path of a file. Send the `/` between folders without percent-encoding.', 'index.html'],

  page: 'The number of the page. The default is 1. A page after the last page is empty.',
  items_per_page: 'The maximum number of items on a page. The default is 1000. Larger values count as 1000.',
  sort:
    'The list is sorted by this key. The default is `id`. A minus sign before the key reverses the order. ' +
    'Names are sorted without regard to case. Items with equal sort keys are sorted by id.',
  contains: ['Finds names that contain this text, and ignores `starts_with` and `ends_with`.', 'ad'],
  starts_with: ['Finds only names that start with this text, in upper or lower case.', 'a'],
  ends_with: [
    'Finds only names that end with this text. In a name, `starts_with` and `ends_with` do not overlap.', 'a',
  ],
  role: 'Finds only users with this role.',
  state: 'Finds users in this state. Only administrators may list `invited` users, who have no password.',
  last_four: ['Finds only tokens that end with these four characters. Case matters.', 'NNYw'],
  long_lived: 'With `true`, the list has only tokens with a lifetime of more than a day.',
  all_users: 'With `true`, administrators see all tokens. Do not combine this parameter with `username`.',
  action: 'Finds only events with this action.',
  user_id: ['Finds changes that this user made, and changes to this user, who may be deleted by now.', 2],
  since: ['Finds only events at or after this time (RFC 3339, with any offset).', '2026-01-31T00:00:00Z'],

  owned_projects: 'With `refuse`, the default, the service does not delete a user who owns projects.',
  new_owner: ['The user who gets the projects. `owned_projects=transfer` needs this parameter.', 'ada'],
  username:
    'Letters, digits and marks of one script, and the characters `. _ @ + -`. ' +
    'Japanese, Chinese or Korean characters may be mixed with Latin letters. ' +
    'Invisible characters are refused. A username may not be an integer, a token, `.` or `..`. ' +
    'A username must be unique. Usernames that differ only in case count as equal.',
  password: 'At most 1024 bytes in UTF-8. NUL characters and texts that look like a token are refused.',
  current_password: 'Your current password; required if you change your own password.',
  email: 'Signed-in users can read all email addresses, unless `DIRECTORY=closed` hides other users.',
  is_admin: 'Whether the user is an administrator. Only administrators may change this member.',
  disabled: 'Whether the user is prevented from signing in. Only administrators may change this member.',

  name:
    'Control characters, direction controls, and white space at either end are refused. ' +
    'The name may not be an integer, `.` or `..`. ' +
    'The name must be unique, regardless of case and of invisible characters.',
  description: 'Control characters (except tab and line break), U+202D and U+202E are refused.',
  owner: 'The username of the owner. Only administrators may name another user.',

  expiration: 'The lifetime of the token in seconds. The default is {lifetime}.',
  scope: 'The default is `full`. Use `identity` for a token that you give to a program.',
  audience:
    'Up to 10 hosts. Only programs on these hosts accept the token. Add the port unless it is 80 or 443. ' +
    'At this service, a token with an `audience` can only revoke itself. ' +
    'Without `audience`, the token is valid for every program and for this service.',
  token: 'The token to introspect.',
  token_type_hint: 'The service ignores this hint, because all tokens have the same type.',
};
