/** Protections against signed-in users, and against web pages in the browsers of users. */
import type { Protection } from './protection.ts';

export const users: readonly Protection[] = [
  {
    wants: 'change another user\'s data, or use a right that was just lost',
    protection:
      'the right to a change is checked in the transaction that makes the change; an account is read again ' +
      'after the check of its password',
    mutations: [
      {
        file: 'src/stores/guards.ts', find: 'caller.is_admin = 1 OR caller.id = ${owner}', replace: 'TRUE',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to set a password with a password after demotion is forbidden',
      },
      {
        file: 'src/stores/guards.ts',
        find: 'caller.disabled = 0 AND (',
        replace: '(',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to change an email with a password after disabling is unauthenticated',
      },
      {
        file: 'src/stores/guards.ts',
        find: ' AND used_token.expires_at > ${at}',
        replace: '',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to set a password with a expired token after nothing is unauthenticated',
      },
      {
        file: 'src/stores/tokens.ts',
        find: "...mayChange('noSuchToken', origin, raw('tokens.user_id')),",
        replace: '',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to revoke a token with a token after demotion is forbidden',
      },
      {
        file: 'src/stores/projects.ts',
        find: "...mayChange('projectOwnerOnly', origin, raw('projects.owner_id')),",
        replace: '',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to delete a project with a token after demotion is forbidden',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: "...mayChange('ownAccountOnly', origin, raw('users.id')),",
        replace: '',
        testFile: 'test/stores/rights.test.ts',
        title: 'An attempt to set a password with a token after demotion is forbidden',
      },
      {
        file: 'src/auth/password-check.ts', find: 'outcome.result ? await findEnabled(name) : undefined;',
        replace: 'outcome.result ? account : undefined;',
        testFile: 'test/api/34-sign-in.test.ts',
        title: 'a user who is disabled while the right password is checked is 401',
      },
    ],
  },
  {
    wants: 'learn of other users although `DIRECTORY` is `closed`',
    protection: 'responses about other users and about unknown names are the same',
    mutations: [
      {
        file: 'src/stores/users.ts',
        find: 'parameters: [key, only ?? null]',
        replace: 'parameters: [key, null]',
        testFile: 'test/api/30-directory.test.ts',
        title: "GET /api/v1/users/{user} {} does not tell another user's from what does not exist",
      },
      {
        file: 'src/stores/guards.ts', find: 'sql`${owner} = ${only}`', replace: 'sql`${owner} IS NOT NULL`',
        testFile: 'test/stores/order-of-refusals.test.ts',
        title:
          'An attempt to delete a project is refused in this order: ' +
          'unauthenticated, noSuchProject, noSuchProject, projectOwnerOnly, preconditionFailed',
      },
      {
        file: 'src/auth/authenticate.ts',
        find: "directory === 'closed' && !isAdmin ? id : undefined",
        replace: 'undefined',
        testFile: 'test/api/30-directory.test.ts',
        title: 'GET /api/v1/users shows a plain user only the own record, also in its numbers',
      },
    ],
  },
  {
    wants: 'inject SQL',
    protection:
      'values are bound as parameters and never become SQL text; only folders that a test lists contain ' +
      'SQL',
    mutations: [
      {
        file: 'src/stores/users.ts',
        find: 'sql`users.username_key = ${toNameKey(ref.name)}`',
        replace: "raw(`users.username_key = '${toNameKey(ref.name)}'`)",
        testFile: 'test/api/32-names-with-sql.test.ts',
        title: 'a name with SQL in DELETE /api/v1/token?username=NAME is an unknown name',
      },
      {
        file: 'src/database/database.ts',
        find: "{ sql: '?', parameters: [part] }",
        replace: "{ sql: typeof part === 'string' ? `'${part}'` : String(part), parameters: [] }",
        testFile: 'test/stores/hostile-texts.test.ts',
        title: 'Lists, pages, sorts, searches and reads show what was stored',
      },
      {
        file: 'src/stores/list.ts', find: 'instr(${key}, ${names.search.text}) > 0`',
        replace: "instr(${key}, ${raw(`'${names.search.text}'`)}) > 0`",
        testFile: 'test/stores/hostile-texts.test.ts',
        title: 'Lists, pages, sorts, searches and reads show what was stored',
      },
      {
        file: 'src/app.ts', find: "const { method = '', url = '', headers } = incoming;",
        replace: "const { method = 'SELECT id FROM users', url = '', headers } = incoming;",
        testFile: 'test/architecture.test.ts',
        title:
          'SQL appears only in: stores/, database/, extras/cluster/, extras/data/, extras/password-links/, ' +
          'extras/tokens/',
      },
    ],
  },
  {
    wants: 'fill the disk, or slow other users down',
    protection:
      'quotas of projects and tokens are checked in the transaction of the insertion; changes per hour ' +
      'are limited; audit events have a limited size',
    mutations: [
      {
        file: 'src/stores/projects.ts',
        find: "guard('tooManyProjects', sql`users.project_count < ${projectsPerUserMax}`),",
        replace: '',
        testFile: 'test/stores/quotas.test.ts',
        title: 'Of 20 concurrent projects only as many as the limit are inserted; a deletion makes room',
      },
      {
        file: 'src/stores/projects.ts',
        find: "guard('tooManyProjects', sql`projects.owner_id",
        replace: "guard('tooManyProjects', sql`TRUE OR projects.owner_id",
        testFile: 'test/stores/quotas.test.ts',
        title: 'A transferred project counts for the receiver, and no longer for the previous owner',
      },
      {
        file: 'src/stores/tokens.ts',
        find: "guard('tooManyTokens', sql`NOT EXISTS (",
        replace: "guard('tooManyTokens', sql`TRUE OR NOT EXISTS (",
        testFile: 'test/stores/quotas.test.ts',
        title: 'The limit of tokens counts only valid tokens',
      },
      {
        file: 'src/stores/tokens.ts',
        find: "guard('tooManyTokens', sql`NOT EXISTS (",
        replace: "guard('tooManyTokens', sql`${parentId} IS NOT NULL OR NOT EXISTS (",
        testFile: 'test/api/03-tokens.test.ts',
        title: 'of 20 concurrent POST /api/v1/tokens with a token, only as many as tokens may make are 201',
      },
      {
        file: 'src/app.ts',
        find: 'isCounted ? spendBudget(caller.user.id, caller.signIn) : 0;',
        replace: '0;',
        testFile: 'test/api/30-change-budget.test.ts',
        title: 'after 4 changes of 4, every change is 429 until one is regained, but reads are answered',
      },
      {
        file: 'src/model/token.ts', find: 'Math.min(Math.floor(0.9 * limit), limit - 1)', replace: 'limit',
        testFile: 'test/api/03-tokens.test.ts',
        title: 'a thief who issues tokens with a stolen one does not keep the owner from signing in',
      },
      {
        file: 'src/resources/passwords.ts', find: 'isUncounted: true,', replace: '',
        testFile: 'test/api/30-change-budget.test.ts',
        title: 'tokens of a narrow scope spend nothing of the budget',
      },
      {
        file: 'src/auth/change-budget.ts',
        find: 'const isAllowed = missingMs <= ROUNDING_MS;',
        replace: 'const isAllowed = true;',
        testFile: 'test/auth/change-budget.test.ts',
        title: 'of a budget of 5, callers with a token may spend 4, and the owner all',
      },
      {
        file: 'src/stores/audit.ts',
        find: 'iif(length(name) <= 64 AND',
        replace: 'iif(TRUE OR',
        testFile: 'test/api/17-audit-trail.test.ts',
        title:
          'a name of 65 characters is cut off, for projects, their deletion with the owner, and tokens',
      },
    ],
  },
  {
    wants: 'run scripts in an administrator\'s console',
    protection: 'pages insert data as text only; content security policy without inline code; Trusted Types',
    mutations: [
      {
        file: 'static/shared/elements.js', find: 'return [child];',
        replace: 'return [document.createRange().createContextualFragment(child)];',
        testFile: 'test/browser/console/projects.test.ts',
        title: 'markup in names and descriptions is shown as text',
      },
      {
        file: 'src/http/static-files.ts', find: '"require-trusted-types-for \'script\'",', replace: '',
        testFile: 'test/http/static-files.test.ts',
        title: 'Every response for "page.html" restricts the page to its own origin',
      },
    ],
  },
  {
    wants: 'hide their changes',
    protection:
      'each change and its audit event are one transaction; the table of events refuses updates and ' +
      'deletions; events are found by the id of the user, even after a change of the username',
    mutations: [
      {
        file: 'src/stores/schema.ts',
        find: "BEGIN SELECT RAISE(ABORT, 'Audit events cannot be changed'); END`,",
        replace: 'BEGIN SELECT 1; END`,',
        testFile: 'test/api/17-audit-trail.test.ts',
        title: 'the database refuses UPDATE audit_events SET action = ?',
      },
      {
        file: 'src/stores/schema.ts',
        find: "BEGIN SELECT RAISE(ABORT, 'Audit events cannot be deleted'); END`,",
        replace: 'BEGIN SELECT 1; END`,',
        testFile: 'test/api/17-audit-trail.test.ts',
        title: 'the database refuses DELETE FROM audit_events WHERE action <> ?',
      },
      {
        file: 'src/stores/schema.ts',
        find: "BEGIN SELECT RAISE(ABORT, 'Audit events cannot be deleted'); END`,",
        replace: 'BEGIN SELECT 1; END`,',
        testFile: 'test/stores/audit.test.ts',
        title: 'After a removal, and after a failed one, the trail still refuses every deletion',
      },
      {
        file: 'src/stores/audit.ts', find: 'WHERE ${allowed(target)}`', replace: 'WHERE FALSE`',
        testFile: 'test/api/17-audit-trail.test.ts',
        title: 'every change of the service is in the trail, in order',
      },
      {
        file: 'src/stores/user-changes.ts',
        find: "toAuditStatement('project.delete', projects, origin),",
        replace: '',
        testFile: 'test/api/17-audit-trail.test.ts',
        title: 'the deletion of a user records the transfer or deletion of each project',
      },
      {
        file: 'src/extras/audit/store.ts',
        find: '(user_id = ${id} OR',
        replace: '(username = (SELECT username FROM users WHERE id = ${id}) OR',
        testFile: 'test/api/17-audit-trail.test.ts',
        title: 'acts under a name of the moment are found by the current name, and by the id',
      },
    ],
  },
];

export const pagesInBrowsers: readonly Protection[] = [
  {
    wants: 'use credentials that the browser remembers',
    protection:
      'CORS requests with credentials are never allowed; forms and `no-cors` requests of other origins ' +
      'with Basic credentials are refused',
    mutations: [
      {
        file: 'src/http/cross-origin.ts', find: 'isModeOfForms || ', replace: '',
        testFile: 'test/api/26-cross-site.test.ts',
        title:
          'POST /api/v1/projects from a no-cors request is 403 with remembered Basic credentials, and ' +
          'changes nothing',
      },
      {
        file: 'src/http/cross-origin.ts', find: ' || isContentOfForms', replace: '',
        testFile: 'test/api/26-cross-site.test.ts',
        title:
          'POST /api/v1/tokens from a script with text/plain is 403 with remembered Basic credentials, ' +
          'and changes nothing',
      },
      {
        file: 'src/app.ts',
        find: 'mayBeForged(incoming, corsOrigin)', replace: 'false',
        testFile: 'test/api/26-cross-site.test.ts',
        title: 'POST /api/v1/token from a form is 403 with remembered Basic credentials, and changes nothing',
      },
      {
        file: 'src/app.ts', find: "'Access-Control-Allow-Origin': corsOrigin,",
        replace: "'Access-Control-Allow-Origin': corsOrigin, 'Access-Control-Allow-Credentials': 'true',",
        testFile: 'test/api/08-methods-and-origins.test.ts',
        title: 'GET / allows every origin without browser credentials, forbids sniffing',
      },
    ],
  },
];
