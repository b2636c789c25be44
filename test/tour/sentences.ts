/**
 * The sentences of the specification in our words, in its order. Each names the declaration in `src/` that
 * makes it true. Tests name the sentences that they show: `// spec 4.3-6` stands above such a test.
 *
 * A number consists of the heading of the specification ("Endpoints" is the fourth, `DELETE /api/v1/token`
 * the third below it) and the place of the sentence below that heading. Sentences that announce or repeat
 * others have no row.
 */

/** Number, text, and the name of a declaration in `src/`: the only one, or the only exported one. */
type Sentence = readonly [number: string, says: string, source: string];

export const sections: Readonly<Record<string, readonly Sentence[]>> = {
  'The service': [
    ['1-2', 'Bodies of requests and answers are JSON.', 'readBody'],
    ['1-3', 'The address of the service is {base_url}.', 'createBasePath'],
    ['1-5', 'A liveness route, / and /index, confirms that the service runs.', 'greet'],
    ['1-6', 'A route below /static/ serves files to browsers.', 'readStaticFile'],
    ['1-7', 'The whole service permits requests from other origins (CORS).', 'corsHeaders'],
    ['1-8', '/ and /index accept GET and OPTIONS.', 'greetWithOptions'],
  ],
  User: [
    ['2.1-1', 'id: an integer that the service assigns; the path of a single user accepts it.',
      'INSERT_USER'],
    ['2.1-2', 'username: a string, unique among users, given on creation.', 'INSERT_USER'],
    ['2.1-3', 'password: given on creation, never returned.', 'USER'],
    ['2.1-4', 'email: a string in the format email, given on creation.', 'newUser'],
    ['2.1-5', 'date_created: an ISO 8601 timestamp, set by the service.', 'toTimestamp'],
    ['2.1-6', 'projects: the projects that the user runs; reading a single user returns them.',
      'SELECT_REPRESENTATION'],
    ['2.1-7', 'The summary of a user is an object with username and email.', 'userSummary'],
    ['2.1-10', 'Fields of an administrator are open. Here: those of every user, with is_admin true.',
      'USER'],
  ],
  Project: [
    ['2.2-1', 'name: a string, given on creation.', 'newProject'],
    ['2.2-2', 'description: a string, given on creation.', 'newDescription'],
    ['2.2-3', 'date_created: an ISO 8601 timestamp, returned in lists of projects.', 'PROJECT'],
    ['2.2-4', "owner: the summary of a user in answers, the owner's username on creation.",
      'newProject'],
  ],
  Token: [
    ['2.3-1', 'token: an opaque string that the service issues.', 'tokenText'],
    ['2.3-2', 'expiration_date: the end of the token, in ISO 8601 without a zone designator.',
      'expirationDate'],
  ],
  'Other answers': [
    ['2.4-2', 'Listed users have username, date_created and projects. Here also: id, email, is_admin.',
      'userMembers'],
    ['2.4-6', 'Limits of fields are open. Here: those of the schemas.', 'newUsername'],
  ],
  'States and transitions': [
    ['3-2', 'POST /api/v1/token makes a token that is valid until expiration_date.', 'IS_VALID'],
    ['3-3', 'DELETE /api/v1/token revokes the token of the caller, or of a user named by an administrator.',
      'revokeToken'],
    ['3-4', 'Other states are open. Here: a user can be disabled, which refuses every sign-in.',
      'FIND_WITH_OWNER'],
  ],
  Endpoints: [
    ['4-2', 'page and items_per_page are integers in the query.', 'paging'],
    ['4-3', 'Lists answer with the headers page, items_per_page and Count.', 'list'],
  ],
  'GET / and GET /index (also OPTIONS)': [
    ['4.1-1', 'The request has no body and needs no authentication.', 'greet'],
    ['4.1-2', 'The answer is 200, an object with a fixed string "message".', 'GREETING'],
  ],
  'POST /api/v1/token': [
    ['4.2-2', 'The query may contain expiration, an integer.', 'issueToken'],
    ['4.2-3', 'Without expiration the default lifetime applies.', 'issueToken'],
    ['4.2-4', 'There is no body.', 'issueToken'],
    ['4.2-5', 'The answer is 201, an object with token and expiration_date.', 'issueToken'],
    ['4.2-6', 'The token belongs to the authenticated user.', 'issueToken'],
  ],
  'DELETE /api/v1/token': [
    ['4.3-3', 'Without username, the current token of the caller is revoked.', 'revokeToken'],
    ['4.3-4', 'An administrator who gives a username revokes the token of that user.', 'revokeToken'],
    ['4.3-5', 'The answer is 404 if no such user exists.', 'revokeToken'],
    ['4.3-6', 'Other callers revoke their own token; their username parameter is ignored.', 'revokeToken'],
    ['4.3-7', 'The answer is 200, an object whose token_status is "deleted".', 'revoked'],
  ],
  'GET /api/v1/users': [
    ['4.4-2', 'contains: a substring of the username, empty by default.', 'toCondition'],
    ['4.4-3', 'starts_with: a prefix of the username, empty by default.', 'toCondition'],
    ['4.4-4', 'ends_with: a suffix of the username, empty by default.', 'toCondition'],
    ['4.4-7', 'With contains, the pattern is %<contains>%; the other two are ignored.', 'toNameSearch'],
    ['4.4-8', 'Otherwise the pattern is <starts_with>% followed by %<ends_with>, as far as given.',
      'toNameSearch'],
    ['4.4-9', 'Without all three, all users match.', 'toNameSearch'],
    ['4.4-10', 'Users are ordered by id, and cut to items_per_page from the offset of the page.', 'toWindow'],
    ['4.4-11', 'The answer is 200, an object with an array "users", and Count, which counts the page.',
      'userMembers'],
    ['4.4-12', 'Offset and invalid numbers are open. Here: (page - 1) * items_per_page, and 400.',
      'toWindow'],
    ['4.4-13', 'Case is open. Here: it is ignored.', 'toNameKey'],
  ],
  'POST /api/v1/users': [
    ['4.5-1', 'The body is JSON with the strings username, password and email.', 'newUser'],
    ['4.5-2', 'A JSON schema, which is open, validates the body. Here: as OpenAPI says.',
      'newPassword'],
    ['4.5-3', 'The answer is 201, an object with the username and the email of the new user.',
      'CREATED_USER'],
    ['4.5-4', 'The key of the username is open. Here: "username".', 'CREATED_USER'],
    ['4.5-6', 'No authentication is needed. Here: unless registration is closed.', 'createUser'],
  ],
  'GET /api/v1/users/{username_or_id}': [
    ['4.6-3', 'An integer in the path is an id, any other text is a username.', 'idOrName'],
    ['4.6-4', 'The answer is 200, an object with username, email and projects.', 'readUser'],
    ['4.6-5', 'The answer for an unknown user is open. Here: 404.', 'readUser'],
  ],
  'POST /api/v1/projects': [
    ['4.7-1', "The body is JSON with the strings name, description and owner, the owner's username.",
      'newProject'],
    ['4.7-2', 'The answer is 201, an object with name, description and the summary of the owner.',
      'createProject'],
  ],
  'GET /api/v1/projects': [
    ['4.8-3', 'The answer is 200, an object with an array "projects", and the three headers.',
      'listProjects'],
    ['4.8-5', 'The projects that a user may see are open. Here: all of them.', 'listProjects'],
  ],
  'GET /api/v1/projects/{project_name_or_id}': [
    ['4.9-1', 'The path contains the name or the integer id of a project.', 'idOrName'],
    ['4.9-2', 'The answer is 200, an object with name, description and the summary of the owner.',
      'readProject'],
    ['4.9-4', 'The path has a slash between v1 and projects.', 'readProject'],
  ],
  'DELETE /api/v1/projects/{project_name_or_id}': [
    ['4.10-1', 'The answer is 200 when the project is deleted.', 'deleteProject'],
  ],
  'GET /static/{filename}': [
    ['4.11-1', 'The answer is a file of the static folder, and never one outside of it.', 'readStaticFile'],
    ['4.11-2', 'The path may contain sub-directories.', 'readStaticFile'],
  ],
  Authentication: [
    ['5-1', 'Basic: Authorization carries the base64 of <username>:<password>.', 'parseBasic'],
    ['5-2', 'Or a token in the place of the username, with an empty password.', 'parseBasic'],
    ['5-4', 'The authenticated user is the caller of the request.', 'createAuthenticator'],
    ['5-5', 'Listing and reading users, and issuing and revoking tokens, need authentication.',
      'createAuthenticator'],
    ['5-6', 'Only an administrator may revoke the token of another user.', 'revokeToken'],
    ['5-7', 'Production use is intended over TLS.', 'createListener'],
    ['5-8', 'HMAC signatures are planned and not part of the interface.', 'parseBasic'],
    ['5-9', 'The answer to failed authentication is open. Here: 401, the same for every cause.', 'problems'],
    ['5-10', 'Authentication for projects is open. Here: it is needed.', 'listProjects'],
  ],
  Events: [
    ['6-1', 'Events are open. Here: none; administrators read an audit trail.', 'listAuditEvents'],
  ],
  Errors: [
    ['7-1', 'POST /api/v1/users: 400 for malformed JSON or the wrong shape.', 'readBody'],
    ['7-2', 'POST /api/v1/projects: 400 for malformed JSON.', 'readBody'],
    ['7-3', 'GET /api/v1/projects: 400 for malformed JSON or an unknown owner.', 'listProjects'],
    ['7-4', 'DELETE /api/v1/token: 404 when an administrator names an unknown user.', 'revokeToken'],
    ['7-5', 'GET and DELETE of a project: 404 for an unknown project.', 'projectInPath'],
    ['7-6', 'POST /api/v1/users: 422 for a username in use.', 'refuseTakenUsername'],
    ['7-7', 'The form of errors is open. Here: application/problem+json (RFC 9457).', 'problemReply'],
    ['7-8', 'An expiration that is no integer is open. Here: 400.', 'parseText'],
  ],
  Limits: [
    ['8-1', 'The default page size is 1000 items, for users and for projects.', 'paging'],
    ['8-2', 'The default page number is 1, in both lists.', 'paging'],
    ['8-3', 'Pages keep very large results from being loaded at once.', 'toWindow'],
    ['8-4', 'Rate limits are open. Here: failed sign-ins, by name and by address.', 'createThrottle'],
    ['8-5', 'The largest items_per_page is open. Here: 1000.', 'ITEMS_PER_PAGE_MAX'],
    ['8-6', 'The default lifetime of a token is open. Here: 600 seconds.', 'settings'],
  ],
  Versioning: [
    ['9-1', 'The prefix /api/v1 carries the version of the interface.', 'createOperations'],
    ['9-2', 'The liveness and static routes lie outside of the prefix.', 'createOperations'],
    ['9-3', 'Schemas for bodies follow JSON Schema draft 4; draft 3 is discouraged.', 'compileDialect'],
    ['9-4', 'The choice of other versions is open. Here: other prefixes are 404.', 'createRouter'],
  ],
};
