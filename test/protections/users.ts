import type { Protections } from './protection.ts';

export const users: Protections = {
  'A signed-in user': {
    "change another user's data, or use a right that was just lost": [
      'the right to make a change is checked in the transaction of the change; an account is read again ' +
      'after the check of its password',
      ['src/stores/guards.ts', 'caller.is_admin = 1 OR caller.id = ${owner}', 'TRUE', 'stores/refusals',
        'An attempt to set a password is refused after demotion (sign-in: password)'],
      ['src/stores/guards.ts', 'caller.disabled = 0 AND (', '(', 'stores/refusals',
        'An attempt to create a project is refused after disabling (sign-in: password)'],
      ['src/stores/guards.ts', ' AND used_token.expires_at > ${at}', '', 'stores/refusals',
        'An attempt to set a password is refused after expiration (sign-in: token)'],
      ['src/stores/tokens.ts', "mayChange('noSuchToken', origin, raw('tokens.user_id')),", '',
        'stores/refusals', 'An attempt to revoke a token is refused after demotion (sign-in: token)'],
      ['src/stores/guards.ts', ', mayChange(notOwn, origin, owner)]', ']', 'stores/refusals',
        'An attempt to delete a project is refused after demotion (sign-in: token)'],
      ['src/auth/password-check.ts', 'result ? await findEnabled(name)', 'result ? account', 'api/34-sign-in',
        'a user who is disabled while the right password is checked is 401'],
    ],
    'learn of other users although `DIRECTORY` is `closed`': [
      'a hidden user and an unknown name lead to the same response',
      ['src/stores/users.ts', '${visibleUserId ?? null}, id)`', '${null}, id)`', 'api/30-directory',
        'GET /api/v1/users/{user} with nothing gets the same response for hidden and for missing records'],
      ['src/stores/guards.ts', 'coalesce(${visibleUserId ?? null}, ${owner})', '${owner}', 'stores/refusals',
        'An attempt to delete a project is refused in this order: unauthenticated, noSuchProject, ' +
        'noSuchProject, projectOwnerOnly, preconditionFailed'],
      ['src/auth/authenticate.ts', "directory === 'closed' && !user.isAdmin", 'false',
        'api/30-directory', 'for a plain user, GET /api/v1/users lists and counts only own records'],
    ],
    'inject SQL': [
      'values are bound as parameters and never become SQL text; a test lists all folders with SQL',
      ['src/stores/guards.ts', ' = ${toNameKey(ref.name)}`', " = ${raw(`'${toNameKey(ref.name)}'`)}`",
        'api/32-names-with-sql', 'a name with SQL in DELETE /api/v1/token?username=NAME is an unknown name'],
      ['src/database/database.ts', 'const part of parts) {', `let part of parts) {
          part = typeof part === 'string' ? raw(\`'\${part}'\`)
            : typeof part === 'object' && part !== null ? part : raw(String(part));`, 'stores/hostile-texts',
        'Lists, pages, searches and records show what was stored'],
      ['src/stores/list.ts', ', ${contains}) >', ", ${raw(`'${contains}'`)}) >", 'stores/hostile-texts',
        'Lists, pages, searches and records show what was stored'],
      ['src/app.ts', "{ method = '', url", "{ method = 'SELECT id FROM users', url", 'architecture',
        'SQL appears only in: stores/, database/, extras/audit/, extras/cluster/, extras/data/, ' +
        'extras/password-links/, extras/tokens/'],
    ],
    'fill the disk, or slow other users down': [
      'quotas of projects and tokens are checked in the transaction of the insertion; changes per hour are ' +
      'limited; audit events have a limited size',
      ['src/stores/projects.ts', 'users.project_count <', 'TRUE OR', 'stores/quotas',
        'Of 20 concurrent projects only as many as the limit are inserted; a deletion makes room'],
      ['src/stores/projects.ts', "sql`projects.owner_id", "sql`TRUE OR projects.owner_id", 'stores/quotas',
        'A transferred project counts for the receiver, and no longer for the previous owner'],
      ['src/stores/tokens.ts', 'sql`NOT EXISTS (', 'sql`TRUE OR NOT EXISTS (', 'api/03-tokens',
        'of 20 concurrent POST /api/v1/tokens with a stolen token, only 8 are 201; the owner can sign in'],
      ['src/stores/tokens.ts', "guard('tooManyTokens', sql`NOT EXISTS (",
        "guard('tooManyTokens', sql`${origin.tokenId ?? null} IS NOT NULL OR NOT EXISTS (", 'api/03-tokens',
        'of 20 concurrent POST /api/v1/tokens with a stolen token, only 8 are 201; the owner can sign in'],
      ['src/app.ts', 'isCounted ?', 'false ?', 'api/30-change-budget',
        'after 4 of 4 changes, a change is 429 until one is regained; all else goes on'],
      ['src/model/token.ts', 'Math.floor(0.9 * limit)', 'limit', 'api/03-tokens',
        'of 20 concurrent POST /api/v1/tokens with a stolen token, only 8 are 201; the owner can sign in'],
      ['src/resources/passwords.ts', 'isUncounted: true,', '', 'api/30-change-budget',
        'tokens of a narrow scope spend nothing of the budget'],
      ['src/auth/change-budget.ts', 'missingMs <= 0;', 'true;', 'auth/change-budget',
        'of a budget of 5, callers with a token may spend 4, and the owner all'],
      ['src/stores/audit.ts', 'iif(length(name) <= 64 AND', 'iif(TRUE OR', 'api/17-audit-trail',
        'a name of 65 characters is cut off in events of projects, their deletion with owners, and tokens'],
    ],
    "run scripts in an administrator's console": [
      'pages insert data as text (Trusted Types); a Content Security Policy forbids inline code',
      ['static/shared/elements.js', '[child];', '[document.createRange().createContextualFragment(child)];',
        'browser/console/projects', 'markup in names and descriptions is shown as text'],
      ['src/http/static-files.ts', '"require-trusted-types-for \'script\'",', '', 'http/static-files',
        'Every response for "page.html" restricts the page to its own origin'],
    ],
    'make secret changes': [
      'each change and its audit event are one transaction; the table of events refuses updates and ' +
      "deletions; events are found by the user's id, even after the username changes",
      ['src/stores/schema.ts', "RAISE(ABORT, 'Audit events cannot be changed')", '1', 'api/17-audit-trail',
        'the database refuses UPDATE audit_events SET action = ?'],
      ['src/stores/schema.ts', "RAISE(ABORT, 'Audit events cannot be deleted')", '1', 'api/17-audit-trail',
        'the database refuses DELETE FROM audit_events WHERE action <> ?'],
      ['src/stores/audit.ts', 'WHERE ${ifAllowed(target)}`', 'WHERE FALSE`', 'api/17-audit-trail',
        'every change of the service is in the trail, in order'],
      ['src/stores/user-changes.ts', "toAuditStatement('project.delete', projects, origin),", '',
        'api/17-audit-trail', 'the deletion of a user records the transfer or deletion of each project'],
      ['src/extras/audit/audit.ts', '(user_id = ${id} OR',
        '(username = (SELECT username FROM users WHERE id = ${id}) OR', 'api/17-audit-trail',
        'acts under a former name are found by the current name, and by the id'],
    ],
  },
  "A web page in a user's browser": {
    'use credentials that the browser remembers': [
      'CORS never allows remembered credentials; forms and `no-cors` requests from other origins are ' +
      'refused if they carry Basic credentials',
      ['src/http/cross-origin.ts', 'isModeOfForms || ', '', 'api/26-cross-site',
        'POST /api/v1/projects from a no-cors request is 403 with remembered Basic credentials, and ' +
        'changes nothing'],
      ['src/http/cross-origin.ts', ' || isContentOfForms', '', 'api/26-cross-site',
        'POST /api/v1/tokens from a script with text/plain is 403 with remembered Basic credentials, and ' +
        'changes nothing'],
      ['src/app.ts', 'mayBeForged(incoming, corsOrigin)', 'false', 'api/26-cross-site',
        'POST /api/v1/token from a form is 403 with remembered Basic credentials, and changes nothing'],
      ['src/app.ts', "'Access-Control-Allow-Origin': corsOrigin,",
        "'Access-Control-Allow-Origin': corsOrigin, 'Access-Control-Allow-Credentials': 'true',",
        'api/08-methods-and-origins',
        'GET / allows every origin without browser credentials, forbids sniffing'],
    ],
  },
};
