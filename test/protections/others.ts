import type { Protections } from './protection.ts';

export const others: Protections = {
  'A client of a program that runs behind a proxy': {
    'pose as another user': [
      "every response to a proxy has every field `Remote-*`, so the proxy replaces the client's fields; " +
      "a token that is sent with another user's name is refused, because programs might show this name",
      ['src/auth/authenticate.ts', '!isNameOf(username, found)', 'false', 'api/34-sign-in',
        'with token 1 of ada as the password, the name "eve" is 401 without a hash or a failure'],
      ['src/extras/verify/verify.ts', "'Remote-Groups': isAdmin ? 'administrators' : '',",
        "...(isAdmin && { 'Remote-Groups': 'administrators' }),", 'extras/verify/verify',
        'verify is 204 with all four fields, and Remote-Groups is empty for a plain user'],
      ['src/extras/verify/verify.ts', "'Remote-Email': toFieldValue(email),", '', 'extras/verify/proxies',
        'nginx: the fields that a client sends about itself never reach the program'],
    ],
    'change something with a read-only token, or from another site': [
      'Rollcall checks the method and the origin that a trusted proxy forwards; an unrecognized method ' +
      'counts as a change',
      ['src/extras/verify/verify.ts', 'isFromTrustedProxy ? headers', 'true ? headers',
        'extras/verify/verify', 'X-Forwarded-Method of an untrusted peer counts for nothing'],
      ['src/extras/verify/verify.ts', "?? '')) {", "?? 'GET')) {", 'extras/verify/verify',
        'X-Forwarded-Method nothing lets an identity token pass, and a read-only token: 403'],
      ['src/extras/verify/verify.ts', 'mayBeCrossSite(request)) {', 'false) {', 'extras/verify/verify',
        'CORS_ORIGIN may call the service, and still may not change what is behind a proxy'],
    ],
    'use the token of one program at another program': [
      'a token with an audience (a list of hosts) works only if a trusted proxy names one of these hosts; ' +
      'otherwise, the token can only revoke itself',
      ['src/extras/verify/verify.ts', ' && audience.includes(host)', '', 'extras/verify/audience',
        'a token for wiki.example.org and bücher.example:8443 is 403 for git.example.org'],
      ['src/app.ts', 'acceptsAudience !== true', 'false', 'api/16-access',
        'GET /api/v1/user by each caller: 200, 200, 200, 401, 200, 200, 403, 401, 403'],
      ['src/resources/users.ts', ' && audience === undefined', '', 'extras/verify/audience',
        'a token for a program neither invites nor names an author, unlike one for all programs'],
      ['src/resources/tokens.ts', 'token?.audience !== undefined', 'false', 'extras/verify/audience',
        "an administrator's token revokes the tokens of a user only if it is for all programs"],
      ['src/stores/tokens.ts', ' OR used_token.audience IS NOT NULL', '', 'stores/refusals',
        'An attempt to issue a token is refused in this order: ' +
        'unauthenticated, unauthenticated, unauthenticated, unauthenticated, unauthenticated, tooManyTokens'],
    ],
    "change the data of another user's project": [
      'the proxy names the project; Rollcall refuses all users except administrators and the project owner',
      ['src/extras/verify/verify.ts', 'project.ownerId === user.id', 'true', 'extras/verify/verify',
        'with the directory open, only the owner and administrators pass for a project'],
    ],
  },
  'Somebody who sees a used password link, or the link of another user': {
    'set a password': [
      'a password link can only set the password of one user, and only once; a link becomes invalid if ' +
      'its maker loses the right to make links',
      ['src/app.ts', 'token.audience === undefined && !scopes.includes(token.scope)', 'false',
        'api/16-access', 'GET /api/v1/user by each caller: 200, 200, 200, 401, 200, 200, 403, 401, 403'],
      ['src/extras/password-links/password-links.ts', 'endLinks(sql`user_id',
        'endLinks(sql`FALSE AND user_id', 'api/31-password-links', 'a link ends when a newer one is made'],
      ['src/stores/user-changes.ts', 'endLinks(sql`user_id', 'endLinks(sql`FALSE AND user_id',
        'api/31-password-links', 'a link ends when its user becomes an administrator'],
      ['src/stores/user-changes.ts', 'endLinks(sql`maker_id', 'endLinks(sql`FALSE AND maker_id',
        'api/31-password-links', 'a link ends when its maker is demoted'],
      ['src/stores/tokens.ts', 'sql`(user_id = ${id} OR maker_id = ${id}) AND', 'sql`user_id = ${id} AND',
        'api/31-password-links', 'a link ends when its maker gets a new password'],
      ['src/extras/password-links/password-links.ts',
        "guard('passwordNeeded', raw('users.is_admin = 0'))", 'false', 'api/33-sign-in-kinds',
        'Make a password link for an administrator: with the password, and not with a token'],
    ],
  },
  'A thief of a database file, backup or log': {
    'sign in': [
      'the database holds tokens as SHA-256, and passwords as salted scrypt; logs contain neither',
      ['src/model/token.ts', "hash('sha256', token, 'hex')", 'token', 'programs/secrets-at-rest',
        'no database file and no log line contains a password or a token'],
      ['src/auth/password.ts', 'const salt =', 'return password as PasswordHash; const salt =',
        'programs/secrets-at-rest', 'no database file and no log line contains a password or a token'],
      ['src/app.ts', 'route: operation?.path, status', 'route: incoming.url, status',
        'api/10-log', 'no password, token or query value reaches the log or an error'],
    ],
  },
  'A thief of a token': {
    'keep access after the token ends, or gain more rights': [
      'tokens expire; a token that a thief issues expires no later than the stolen token; revoking the ' +
      'stolen token also revokes the issued token; a new password revokes all tokens except the token of ' +
      'the request',
      ['src/stores/tokens.ts', 'expires_at > +?', "+? <> ''", 'api/03-tokens',
        'a token of 10 seconds expires then, and so does a token that it issues with POST /api/v1/tokens'],
      ['src/stores/tokens.ts', 'coalesce(parent.expires_at, ${expiresAt})', '${expiresAt}', 'api/03-tokens',
        'a token of 10 seconds expires then, and so does a token that it issues with POST /api/v1/tokens'],
      ['src/stores/tokens.ts', 'tokens.parent_id = family.id', 'FALSE', 'api/03-tokens',
        'a token that revokes itself revokes 500 descendants, but no parent or sibling'],
      ['src/stores/tokens.ts', "used_token.scope <> 'full' OR ", '', 'stores/refusals',
        'An attempt to issue a token is refused in this order: ' +
        'unauthenticated, unauthenticated, unauthenticated, unauthenticated, unauthenticated, tooManyTokens'],
      ['src/stores/user-changes.ts', 'revokeTokens(target, sparedTokenId),', '', 'api/13-people',
        'PUT …/password with a token keeps it and revokes all other tokens of the user'],
    ],
    'lock out the owner of the token, or gain lasting power': [
      "the password is needed to change a username, delete one's own account, reset an administrator's " +
      'password, promote a user to administrator, or demote, disable, enable or delete an administrator',
      ['src/stores/user-changes.ts', 'AND users.is_admin = coalesce(${admin}, users.is_admin)', '',
        'api/33-sign-in-kinds', 'Make an administrator: with the password, and not with a token'],
      ['src/stores/user-changes.ts', 'sql`users.username = coalesce(${username}, users.username)', 'sql`TRUE',
        'api/33-sign-in-kinds', 'Change your own username: with the password, and not with a token'],
      ['src/stores/user-changes.ts', '(users.is_admin = 0 OR', '(TRUE OR', 'api/33-sign-in-kinds',
        'Disable an administrator: with the password, and not with a token'],
      ['src/stores/user-changes.ts', ' AND users.id <> ${origin.user?.id ?? null}', '',
        'api/33-sign-in-kinds', 'Delete your own account: with the password, and not with a token'],
    ],
  },
  'The author of a dependency': {
    'run code in the service': [
      'there is no dependency; builds are reproducible',
      ['package.json', '"devDependencies": {',
        '"dependencies": { "left-pad": "1.3.0" },\n  "devDependencies": {', 'scripts/audit',
        'every claim holds for this project, and the server is exercised'],
    ],
  },
  '`kill -9`, a power cut': {
    'lose acknowledged writes': [
      'the write-ahead log is synced to disk at each commit',
      ['src/database/sqlite-files.ts', 'PRAGMA synchronous = ${synchronous}', 'PRAGMA synchronous = OFF',
        'database/sqlite', 'A commit is on disk when it is acknowledged: WAL with synchronous FULL'],
      ['src/database/sqlite.ts', 'changes.push(run(batch));',
        'const change = run(batch); changes.push(change); batch.resolve(change);', 'database/sqlite-faults',
        'with failing COMMIT, every write fails and none takes effect'],
    ],
  },
};
