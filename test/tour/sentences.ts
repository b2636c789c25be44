/**
 * This table paraphrases the specification. The number 4.3-6 stands for the sixth sentence in section 4.3.
 * Section 4.3 is `DELETE /api/v1/token`, the third part of section 4, "Endpoints". The table omits sentences
 * that only announce or repeat other sentences. A comment like `// spec 4.3-6` above a test names the
 * sentences that the test checks.
 *
 * Without `to`, a row links to the only line in `src/` that contains the value of `from`. With `to`, a search
 * for the value of `to` begins at this line, and the row links to the first match.
 */
export type Sentence = readonly [number: string, says: string, from: string, to?: string];

export const sections: Readonly<Record<string, readonly Sentence[]>> = {
  'The service': [
    ['1-2', 'Request and response bodies are JSON.', 'const parsed = parseJson(bytes);'],
    ['1-3', 'The service has one base address, {base_url}, which may contain a prefix.', '(basePath + path)'],
    ['1-5', 'The liveness routes / and /index confirm that the service runs.', 'greetAtIndex: greet('],
    ['1-6', 'A route below /static/ serves files to browsers.', "path: '/static/{filename}'"],
    ['1-7', 'The whole service permits requests from other origins (CORS).', "'Access-Control-Allow-Origin'"],
    ['1-8', '/ and /index accept GET and OPTIONS.', 'greetWithOptions: greet('],
  ],
  User: [
    ['2.1-1', 'The service assigns each user an integer id. The path of a user may contain this id.',
      'function idOrName', '{ id: Number(segment)'],
    ['2.1-2', 'The username is a string, unique among users, given on creation.', 'username_key TEXT'],
    ['2.1-3', 'The password is given on creation and never returned.', 'const USER_HEAD ='],
    ['2.1-4', 'The email is a string in the format email, given on creation.', 'const email'],
    ['2.1-5', 'date_created is an ISO 8601 timestamp, set by the service.', 'toISOString() as Timestamp'],
    ['2.1-6', 'Reading a single user returns the projects that the user owns.', 'const LONG ='],
    ['2.1-7', 'The summary of a user is an object with username and email.', 'const userSummary'],
    ['2.1-10', 'No administrator-only fields are specified; here, all users have the same fields.',
      'const USER_HEAD =', 'is_admin:'],
  ],
  Project: [
    ['2.2-1', 'The name of a project is a string, given on creation.', 'name: newProjectName'],
    ['2.2-2', 'The description is a string, given on creation.', 'optional(newDescription)'],
    ['2.2-3', 'date_created is an ISO 8601 timestamp, returned in lists of projects.', "name: text('name'),"],
    ['2.2-4', 'The owner is a user summary in responses, and a username on creation.', 'optionalMembers ='],
  ],
  Token: [
    ['2.3-1', 'A token is an opaque string that the service issues.', 'const tokenText = text({', 'pattern:'],
    ['2.3-2', 'expiration_date says when the token expires, in ISO 8601 without a zone designator.',
      'const expirationDate', 'pattern:'],
  ],
  'Other responses': [
    ['2.4-2', 'Listed users have username, date_created and projects; here they also have id and email.',
      'projects: array('],
    ['2.4-6', 'The limits of fields are not specified; here the schemas set them.',
      'const newUsername', 'maxLength: USERNAME_LENGTH_MAX'],
  ],
  'States and transitions': [
    ['3-2', 'POST /api/v1/token makes a token that is valid until expiration_date.', 'WHERE digest = +? AND'],
    ['3-3', 'DELETE /api/v1/token revokes the token of the caller, or of a user whom an administrator names.',
      'const revokeWhere =', 'DELETE FROM tokens WHERE'],
    ['3-4', 'Other states of users are not specified; here, a disabled user cannot sign in.',
      'AND disabled = 0'],
  ],
  Endpoints: [
    ['4-2', 'page and items_per_page are integers in the query.', 'const listQuery =', 'page: integer('],
    ['4-3', 'Lists return the headers page, items_per_page and Count.', "'Count': String(found.count)"],
  ],
  'GET / and GET /index (also OPTIONS)': [
    ['4.1-1', 'The request has no body and needs no authentication.', "greet: greet('GET', '/'"],
    ['4.1-2', 'The response is 200, an object whose "message" is a fixed string.', 'const GREETING'],
  ],
  'POST /api/v1/token': [
    ['4.2-2', 'The query may contain "expiration", an integer.', 'query: { expiration: newLifetime('],
    ['4.2-3', 'Without "expiration", the default lifetime applies.', 'query.expiration ??'],
    ['4.2-4', 'The request has no body.', 'query: { expiration: newLifetime('],
    ['4.2-5', 'The response is 201, an object with token and expiration_date.', "created('/api/v1/token')"],
    ['4.2-6', 'The token belongs to the authenticated user.', '{ query, caller: { user: { id: userId } }'],
  ],
  'DELETE /api/v1/token': [
    ['4.3-3', 'Without the parameter "username", the current token of the caller is revoked.',
      'await tokens.revoke(token'],
    ['4.3-4', 'An administrator who gives a username revokes the token of that user.', 'revokeAllOf({ name'],
    ['4.3-5', 'The response is 404 if no user has this name.', 'revokeAllOf(ref', "guard('noSuchUser'"],
    ['4.3-6', 'Ordinary users revoke their own token; the parameter "username" is ignored.',
      '&& user.isAdmin'],
    ['4.3-7', 'The response is 200, an object whose token_status is "deleted".', "token_status: 'deleted'"],
  ],
  'GET /api/v1/users': [
    ['4.4-2', 'The parameter "contains" is a substring of the username, empty by default.', 'instr('],
    ['4.4-3', 'The parameter "starts_with" is a prefix of the username, empty by default.', ', ${before}) ='],
    ['4.4-4', 'The parameter "ends_with" is a suffix of the username, empty by default.', '1) = ${suffix}'],
    ['4.4-7', 'With "contains", the pattern is %<contains>%; "starts_with" and "ends_with" are ignored.',
      "search: contains === ''"],
    ['4.4-8', 'Without "contains", the pattern is <starts_with>% followed by %<ends_with>.', "contains: '',"],
    ['4.4-9', 'Without "contains", "starts_with" and "ends_with", all users match.', 'before + after > 0'],
    ['4.4-10', 'Users are ordered by id; a page has items_per_page users from its offset on.',
      'const start = Math.min('],
    ['4.4-11', 'The response is 200, an object with an array "users"; Count is the length of the array.',
      "replies: list('users')"],
    ['4.4-12', 'The offset is not specified. It is (page - 1) * items_per_page; invalid numbers get 400.',
      '(number - 1) * sizeMax'],
    ['4.4-13', 'The specification does not say whether case matters; here, case is ignored.',
      'function toNameKey', 'toLowerCase()'],
  ],
  'POST /api/v1/users': [
    ['4.5-1', 'The body is JSON with the strings username, password and email.', '({ username: newUsername'],
    ['4.5-2', 'A JSON schema validates the body. Only the API document shows the limits.',
      'function newPassword', 'minLength,'],
    ['4.5-3', 'The response is 201, an object with the username and the email of the new user.',
      'const CREATED_USER'],
    ['4.5-4', 'The name of the JSON member for the username is unclear; here, it is "username".',
      'const CREATED_USER'],
    ['4.5-6', 'No authentication is needed, unless REGISTRATION=closed is set.', "registration === 'open' ?"],
  ],
  'GET /api/v1/users/{username_or_id}': [
    ['4.6-3', 'An integer in the path is an id; any other text is a username.', '$/.test(segment)'],
    ['4.6-4', 'The response is 200, an object with username, email and projects.',
      'readUser: operation(', 'replies: record'],
    ['4.6-5', 'The response for an unknown user is not specified; here it is 404.',
      'readUser: operation(', "refuse('noSuchUser')"],
  ],
  'POST /api/v1/projects': [
    ['4.7-1', 'The body is JSON with the strings name, description and owner (a username).',
      'body: jsonBody(newProject'],
    ['4.7-2', 'The response is 201, an object with name, description and the summary of the owner.',
      'createProject: operation(', 'replies: created('],
  ],
  'GET /api/v1/projects': [
    ['4.8-3', 'The response is 200, an object with an array "projects", and has the headers of lists.',
      "replies: list('projects')"],
    ['4.8-5', 'The specification does not say which projects a user may see; here, users see all, unless ' +
      'DIRECTORY=closed.', 'listProjects: operation(', 'const ownerId = owner?.id ??'],
  ],
  'GET /api/v1/projects/{project_name_or_id}': [
    ['4.9-1', 'The path contains the name or the integer id of a project.', '(path.project_name_or_id),'],
    ['4.9-2', 'The response is 200, an object with name, description and the summary of the owner.',
      'readProject: operation(', 'replies: record'],
    ['4.9-4', 'The path has a slash between v1 and projects; the specification omits this slash.',
      'readProject: operation(', "path: '/api/v1/projects/{"],
  ],
  'DELETE /api/v1/projects/{project_name_or_id}': [
    ['4.10-1', 'The response is 200 when the project is deleted.', 'words({ project_status'],
  ],
  'GET /static/{filename}': [
    ['4.11-1', 'The response is always a file inside the static folder.', 'await staticFiles.get(key)?.()'],
    ['4.11-2', 'The path may contain sub-directories.', "path: '/static/{filename}'"],
  ],
  Authentication: [
    ['5-1', 'With Basic, Authorization carries the base64 of <username>:<password>.', "{ kind: 'password',"],
    ['5-2', 'Authorization may carry a token as the username, with an empty password.', 'token: username }'],
    ['5-4', 'The authenticated user becomes the caller of the request.', 'arrival.caller = caller;'],
    ['5-5', 'Listing and reading users, and issuing and revoking tokens, need authentication.',
      "return refuse('unauthenticated');"],
    ['5-6', 'Only an administrator may revoke the token of another user.', '&& user.isAdmin'],
    ['5-7', 'Production should use TLS.', "process.getBuiltinModule('node:https')"],
    ['5-8', 'HMAC signatures are planned, but not part of the interface.', 'const FIELD = /^(?:basic +'],
    ['5-9', 'No response is specified for failed authentication; here it is 401, the same for every cause.',
      'account?.passwordHash || passwords.dummyHash'],
    ['5-10', 'The specification does not say whether requests for projects need authentication; here, they ' +
      'need it.', 'listProjects: operation(', "access: 'authenticated'"],
  ],
  Events: [
    ['6-1',
      'The specification leaves open whether events are sent. Here, no events are sent, but administrators ' +
      'can read an audit trail.',
      'listAuditEvents: operation(', "access: 'administrator'"],
  ],
  Errors: [
    ['7-1', 'POST /api/v1/users answers 400 for malformed JSON or invalid members.',
      'export function acceptMembers', "refuse('invalidBody', complaints)"],
    ['7-2', 'POST /api/v1/projects answers 400 for malformed JSON.', "if ('reason' in parsed)"],
    ['7-3', 'GET /api/v1/projects answers 400 for malformed JSON or an unknown owner.', "('unknownOwner');"],
    ['7-4', 'DELETE /api/v1/token answers 404 when an administrator names an unknown user.',
      'revokeAllOf(ref', "guard('noSuchUser'"],
    ['7-5', 'GET and DELETE answer 404 for an unknown project.', "project ?? refuse('noSuchProject')"],
    ['7-6', 'POST /api/v1/users answers 422 for a username in use.', "return refuse('usernameTaken');"],
    ['7-7', 'The form of errors is not specified; here it is application/problem+json (RFC 9457).',
      'function problemReply', 'application/problem+json'],
    ['7-8', 'No response is specified for an expiration that is not an integer; this service answers 400.',
      'digits become a number. Other text fails'],
  ],
  Limits: [
    ['8-1', 'The default page size is 1000 items, for users and for projects.', 'size = ITEMS_PER_PAGE_MAX'],
    ['8-2', 'The default page number is 1, for users and for projects.', 'page = 1'],
    ['8-3', 'Lists have pages, so that very large results are not loaded as a whole.', 'const end = start +'],
    ['8-4', 'No rate limits are specified; here failed sign-ins are limited, by name and by address.',
      '?.failures ?? 0) >= failuresMax'],
    ['8-5', 'The largest items_per_page is not specified; here it is 1000.', 'const ITEMS_PER_PAGE_MAX'],
    ['8-6', 'The default lifetime of a token is not specified; here it is 600 seconds.',
      "'TOKEN_LIFETIME_SECONDS', integer(1, SECONDS_MAX), '600'"],
  ],
  Versioning: [
    ['9-1', 'The prefix /api/v1 carries the version of the interface.',
      'function userOperations', "path: '/api/v1/users'"],
    ['9-2', 'The liveness and static routes lie outside the prefix.', "path: '/static/{filename}'"],
    ['9-3', 'Schemas for bodies follow JSON Schema draft 4; draft 3 is discouraged.', 'is not supported'],
    ['9-4', 'The specification does not say how to choose another version; here, /api/v2 is 404.',
      "return refuse('noSuchRoute');"],
  ],
};
