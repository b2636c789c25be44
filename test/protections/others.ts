/**
 * Protections against clients of programs behind a proxy, readers of links, thieves, authors of dependencies,
 * and power cuts.
 */
import type { Protection } from './protection.ts';

export const clientsOfPrograms: readonly Protection[] = [
  {
    wants: 'pose as another user',
    protection:
      'every response has all fields `Remote-*`, so the proxy overwrites such fields of the client; a ' +
      'username that is sent with a token must be the name of the token\'s owner, because programs show ' +
      'this username',
    mutations: [
      {
        file: 'src/auth/authenticate.ts', find: '(username !== undefined && !isNameOf(username, found))',
        replace: 'false',
        testFile: 'test/api/34-sign-in.test.ts',
        title: 'with token 1 of ada as the password, the name "eve" is 401 without a hash',
      },
      {
        file: 'src/extras/verify/verify.ts', find: "'Remote-Groups': isAdmin ? 'administrators' : '',",
        replace: "...(isAdmin && { 'Remote-Groups': 'administrators' }),",
        testFile: 'test/extras/verify/verify.test.ts',
        title: 'verify is 204 with all four fields, and Remote-Groups is empty for a plain user',
      },
      {
        file: 'src/extras/verify/verify.ts', find: "'Remote-Email': toFieldValue(email),",
        replace: '',
        testFile: 'test/extras/verify/proxies.test.ts',
        title: 'nginx: the fields that a client sends about itself never reach the program',
      },
    ],
  },
  {
    wants: 'change something with a read-only token, or from another site',
    protection:
      'the method and the origin that a trusted proxy forwards are checked; an unknown method counts as ' +
      'a change',
    mutations: [
      {
        file: 'src/extras/verify/verify.ts',
        find: 'return isFromTrustedProxy ? headers[name]?.toString() : undefined;',
        replace: 'return headers[name]?.toString();',
        testFile: 'test/extras/verify/verify.test.ts',
        title: 'X-Forwarded-Method of an untrusted peer counts for nothing',
      },
      {
        file: 'src/extras/verify/verify.ts', find: "findForwarded('x-forwarded-method', request) ?? ''",
        replace: "findForwarded('x-forwarded-method', request) ?? 'GET'",
        testFile: 'test/extras/verify/verify.test.ts',
        title: 'X-Forwarded-Method undefined lets a read-only token pass: 403',
      },
      {
        file: 'src/extras/verify/verify.ts',
        find: 'if (mayBeCrossSite(request)) {', replace: 'if (false) {',
        testFile: 'test/extras/verify/verify.test.ts',
        title: 'CORS_ORIGIN may call the service, and still may not change what is behind a proxy',
      },
    ],
  },
  {
    wants: 'use the token of one program at another program',
    protection:
      'a token with an audience is accepted only if a trusted proxy names a host of the audience; in ' +
      'all other requests, the token can only revoke itself',
    mutations: [
      {
        file: 'src/extras/verify/verify.ts', find: 'host !== undefined && audience.includes(host)',
        replace: 'host !== undefined',
        testFile: 'test/extras/verify/audience.test.ts',
        title: 'a token for wiki.example.org and bücher.example:8443 is 403 for "git.example.org"',
      },
      {
        file: 'src/app.ts', find: 'token?.audience !== undefined && acceptsAudience !== true',
        replace: 'false',
        testFile: 'test/extras/verify/audience.test.ts',
        title: "an administrator's full token for a program cannot call GET /api/v1/users",
      },
      {
        file: 'src/resources/users.ts', find: ' && caller.token.audience === undefined', replace: '',
        testFile: 'test/extras/verify/audience.test.ts',
        title: 'a token for a program neither invites nor names an author, unlike one for all programs',
      },
      {
        file: 'src/resources/tokens.ts',
        find: "caller.signIn === 'token' && caller.token.audience !== undefined", replace: 'false',
        testFile: 'test/extras/verify/audience.test.ts',
        title: "an administrator's token revokes the tokens of a user only if it is for all programs",
      },
      {
        file: 'src/stores/tokens.ts', find: ' OR used_token.audience IS NOT NULL', replace: '',
        testFile: 'test/stores/tokens.test.ts',
        title: 'No token is issued with a token that is for certain programs',
      },
    ],
  },
  {
    wants: "change the data of another user's project",
    protection:
      'the request of the proxy names the project; only administrators and the owner of the project ' +
      'pass',
    mutations: [
      {
        file: 'src/extras/verify/verify.ts',
        find: 'project.ownerId === user.id || user.isAdmin', replace: 'true',
        testFile: 'test/extras/verify/verify.test.ts',
        title: 'with the directory open, only the owner and administrators pass for a project',
      },
    ],
  },
];

export const readersOfLinks: readonly Protection[] = [
  {
    wants: 'set a password',
    protection:
      'a link sets the password of one user, once; any other request with a link is refused before any ' +
      'look-up; a link becomes invalid when its maker loses the right to make links',
    mutations: [
      {
        file: 'src/app.ts', find: 'token.audience === undefined && !scopes.includes(token.scope)',
        replace: 'false',
        testFile: 'test/api/16-access.test.ts',
        title: 'GET /api/v1/user by each caller: 200, 200, 200, 401, 200, 200, 403, 401',
      },
      {
        file: 'src/extras/password-links/store.ts', find: 'endLinks(sql`user_id',
        replace: 'endLinks(sql`FALSE AND user_id',
        testFile: 'test/api/31-password-links.test.ts',
        title: 'a new link ends the older one',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: 'endLinks(sql`user_id',
        replace: 'endLinks(sql`FALSE AND user_id',
        testFile: 'test/api/31-password-links.test.ts',
        title: 'a link ends when its user becomes an administrator',
      },
      {
        file: 'src/stores/user-changes.ts', find: 'endLinks(sql`maker_id',
        replace: 'endLinks(sql`FALSE AND maker_id',
        testFile: 'test/api/31-password-links.test.ts',
        title: 'a link ends when its maker is demoted',
      },
      {
        file: 'src/stores/tokens.ts', find: 'sql`(user_id = ${id} OR maker_id = ${id}) AND',
        replace: 'sql`user_id = ${id} AND',
        testFile: 'test/api/31-password-links.test.ts',
        title: 'a link ends when its maker gets a new password',
      },
      {
        file: 'src/extras/password-links/store.ts',
        find: "[guard('passwordNeeded', raw('users.is_admin = 0'))]",
        replace: '[]',
        testFile: 'test/api/33-sign-in-kinds.test.ts',
        title: 'Make a password link for an administrator: with the password, and not with a token',
      },
    ],
  },
];

export const thievesOfFiles: readonly Protection[] = [
  {
    wants: 'sign in',
    protection: 'the database holds tokens as SHA-256, and passwords as salted scrypt; logs hold neither',
    mutations: [
      {
        file: 'src/model/token.ts',
        find: "return hash('sha256', token, 'hex') as TokenDigest;",
        replace: 'return token as TokenDigest;',
        testFile: 'test/programs/secrets-at-rest.test.ts',
        title: 'no database file and no log line contains a password or a token',
      },
      {
        file: 'src/auth/password.ts', find: 'const salt = randomBytes(SALT_BYTES);',
        replace: 'return password as PasswordHash; const salt = randomBytes(SALT_BYTES);',
        testFile: 'test/programs/secrets-at-rest.test.ts',
        title: 'no database file and no log line contains a password or a token',
      },
      {
        file: 'src/app.ts', find: 'route: operation?.path,\n      status:',
        replace: 'route: incoming.url,\n      status:',
        testFile: 'test/api/10-log.test.ts',
        title: 'no password, token or query value reaches the log or an error',
      },
    ],
  },
];

export const thievesOfTokens: readonly Protection[] = [
  {
    wants: 'keep access, or extend it',
    protection:
      'tokens expire; a token issued with a stolen token expires no later than the stolen token, and is ' +
      'revoked with the stolen token; a new password revokes all tokens',
    mutations: [
      {
        file: 'src/stores/tokens.ts',
        find: 'AND expires_at > ? AND disabled = 0`',
        replace: "AND ? <> '' AND disabled = 0`",
        testFile: 'test/api/03-tokens.test.ts',
        title: 'a token is valid a millisecond before its expiration, and expired at that moment',
      },
      {
        file: 'src/stores/tokens.ts', find: 'min(${expiresAt}, coalesce(parent.expires_at, ${expiresAt}))',
        replace: '${expiresAt}',
        testFile: 'test/stores/tokens.test.ts',
        title: 'A token for 5001 ms from one of 5000 ms expires at 5000 ms',
      },
      {
        file: 'src/stores/tokens.ts',
        find: 'UNION SELECT tokens.id FROM family JOIN tokens ON tokens.parent_id = family.id',
        replace: '',
        testFile: 'test/stores/tokens.test.ts',
        title: 'Revoking a token revokes its descendants, but not its parent or siblings',
      },
      {
        file: 'src/stores/tokens.ts', find: "used_token.scope <> 'full' OR ", replace: '',
        testFile: 'test/stores/tokens.test.ts',
        title: 'No token is issued with a token that is read-only',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: 'revokeTokens(target, sparedTokenId),',
        replace: '',
        testFile: 'test/api/13-people.test.ts',
        title: 'PUT …/password with a token keeps it and revokes all other tokens of the user',
      },
    ],
  },
  {
    wants: 'lock the owner out, or gain lasting power',
    protection:
      "the password is needed to change a username, to delete one's own account, to make, demote, " +
      "disable, enable or delete an administrator, and to reset an administrator's password",
    mutations: [
      {
        file: 'src/stores/user-changes.ts',
        find: 'AND users.is_admin = coalesce(${admin}, users.is_admin)',
        replace: '',
        testFile: 'test/api/33-sign-in-kinds.test.ts',
        title: 'Make an administrator: with the password, and not with a token',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: 'sql`users.username = coalesce(${username}, users.username)',
        replace: 'sql`TRUE',
        testFile: 'test/api/33-sign-in-kinds.test.ts',
        title: 'Change your own username: with the password, and not with a token',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: 'AND (users.is_admin = 0 OR users.disabled = coalesce(${disabled}, users.disabled))',
        replace: '',
        testFile: 'test/stores/rights.test.ts',
        title: 'With a token, an administrator does not disable a user who was promoted meanwhile',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: ' AND users.id <> ${origin.user?.id ?? null}',
        replace: '',
        testFile: 'test/api/33-sign-in-kinds.test.ts',
        title: 'Delete your own account: with the password, and not with a token',
      },
    ],
  },
];

export const authorsOfDependencies: readonly Protection[] = [
  {
    wants: 'run code here',
    protection: 'there is no dependency; builds are reproducible',
    mutations: [
      {
        file: 'package.json',
        find: '"devDependencies": {',
        replace: '"dependencies": { "left-pad": "1.3.0" },\n  "devDependencies": {',
        testFile: 'test/scripts/audit.test.ts',
        title: 'every claim holds for this project, and the server is exercised',
      },
    ],
  },
];

export const powerCuts: readonly Protection[] = [
  {
    wants: 'lose acknowledged writes',
    protection: 'the write-ahead log is synced to the disk at each commit',
    mutations: [
      {
        file: 'src/database/sqlite-files.ts',
        find: 'PRAGMA synchronous = ${synchronous}',
        replace: 'PRAGMA synchronous = OFF',
        testFile: 'test/database/sqlite.test.ts',
        title: 'A commit is on disk when it is acknowledged: WAL with synchronous FULL',
      },
      {
        file: 'src/database/sqlite.ts', find: 'changes.push(change);',
        replace: 'changes.push(change); batch.resolve(change);',
        testFile: 'test/database/sqlite-faults.test.ts',
        title: 'with failing COMMIT, every write fails and none takes effect',
      },
    ],
  },
];
