/** Each exercise is a small change to the code, with the tests that then fail. */
import type { Mutation } from '../support/mutants.ts';

export interface Exercise extends Mutation {
  readonly title: string;
  /** After the change, exactly the tests with these titles fail in `testFile`. */
  readonly failing: readonly string[];
  /** Another test file, whose tests all pass after the change. Readers' answers can omit this file. */
  readonly unaffected?: string;
  readonly why: string;
}

export const exercises: readonly Exercise[] = [
  {
    title: 'Start each request when it arrives, not at the end of the event loop iteration.',
    file: 'src/http/pipeline.ts',
    find: 'if (incoming.complete || coding === undefined) {',
    replace: 'if (false) {',
    testFile: 'test/http/pipeline.test.ts',
    failing: [
      'Other connections are served between two requests of one connection',
      'Of 40 simultaneous requests, 2 to 16 begin in one event loop iteration',
      'The time of a request includes its wait for others that arrived with it',
      'A request does not begin when its connection is destroyed in the same iteration',
    ],
    why: 'After the change, every response is still right and in order. But a client that sends a hundred ' +
      'requests in one packet now blocks all other clients until the last request is answered. All ' +
      'requests that arrive together now begin in the same iteration of the event loop.',
  },
  {
    title: 'Let the router look up HEAD as HEAD, not as GET.',
    file: 'src/app.ts',
    find: "match.routes.get(method === 'HEAD' ? 'GET' : method)",
    replace: 'match.routes.get(method)',
    testFile: 'test/api/08-methods-and-origins.test.ts',
    failing: [
      'HEAD / has the status and length of GET and no body',
      'HEAD /index has the status and length of GET and no body',
      'HEAD /api/v1/users has the status and length of GET and no body',
      'HEAD /api/v1/users/ada has the status and length of GET and no body',
      'HEAD /api/v1/projects has the status and length of GET and no body',
      'HEAD /api/v1/projects/engine has the status and length of GET and no body',
    ],
    why: 'No operation declares HEAD, so the router answers HEAD with 405, like every undeclared method.',
  },
  {
    title: 'Assume that browsers attach all kinds of credentials, not only Basic credentials.',
    file: 'src/http/cross-origin.ts',
    find: "\n    /^basic /i.test(authorization) &&",
    replace: '',
    testFile: 'test/api/26-cross-site.test.ts',
    failing: ['reading, and changes with a bearer token, work from every origin'],
    why: 'Browsers remember Basic credentials and attach them to requests that other pages cause. A ' +
      'bearer token is sent only by a script that knows the token, so another page cannot forge a request ' +
      'with the token.',
  },
  {
    title: 'Split Basic credentials at the last colon instead of the first.',
    file: 'src/auth/credentials.ts',
    find: "text.indexOf(':')",
    replace: "text.lastIndexOf(':')",
    testFile: 'test/auth/credentials.test.ts',
    failing: [
      'Basic credentials of "ann:a:b" are password',
      'Basic credentials of "ann::" are password',
      'Basic credentials of "TOKEN::" are token',
      'Basic credentials of "::" are malformed',
    ],
    why: 'A password may contain colons, but a username may not (RFC 7617 §2), so registration ' +
      'refuses a username with a colon. If the password is empty, the service reads the ' +
      'username as a token. A split of `ann::` at the last colon gives an empty password and the token ' +
      '`ann:`, and a split of `::` gives the token `:`.',
  },
  {
    title: 'Record each use of a token, not only one use a minute.',
    file: 'src/auth/authenticate.ts',
    find: 'Date.parse(token.lastUsed) > sinceMs',
    replace: 'Date.parse(token.lastUsed) > nowMs',
    testFile: 'test/auth/token-use.test.ts',
    failing: ['The first use of a token is recorded, and later uses at most once a minute'],
    why: 'Callers see no difference, but every read with a token now writes to the disk.',
  },
  {
    title: 'Allow one character more in a description.',
    file: 'src/resources/projects.ts',
    find: 'maxLength: 2_000',
    replace: 'maxLength: 2_001',
    testFile: 'test/api/06-projects.test.ts',
    failing: ['a description of 2001 characters is 400'],
    why: 'A limit is tested on both sides of its boundary. If only 2000 characters were tested, any ' +
      'larger limit would pass. The test of 2000 characters uses the longest characters, with four ' +
      'bytes each.',
  },
  {
    title: 'Remove the guard that checks that the name of a new project is free.',
    file: 'src/stores/projects.ts',
    find: "          isNameFree('projectNameTaken', 'projects', key),\n",
    replace: '',
    testFile: 'test/api/06-projects.test.ts',
    failing: ['POST /api/v1/projects by eve with {"name":"\u00c9T\u00c9"} is 422 project-name-taken'],
    why: 'The UNIQUE constraint of the table still refuses the second project, but as an exception, so ' +
      'the caller gets 500 instead of 422. An expected outcome should be a value, here the number of a ' +
      'guard.',
  },
  {
    title: 'Allow one project more than the quota.',
    file: 'src/stores/projects.ts',
    find: '`users.project_count < ${',
    replace: '`users.project_count <= ${',
    testFile: 'test/stores/quotas.test.ts',
    failing: ['Of 20 concurrent projects only as many as the limit are inserted; a deletion makes room'],
    why: 'The test creates all 20 projects at the same time. A handler that counts first and inserts ' +
      'afterwards would also fail this test, because all 20 requests would count before the first insertion.',
  },
  {
    title: 'Store an audit event even for a refused change.',
    file: 'src/stores/audit.ts',
    find: 'WHERE ${ifAllowed(target)}`',
    replace: 'WHERE ${target.row}`',
    testFile: 'test/api/17-audit-trail.test.ts',
    failing: [
      'failed changes are not in the trail',
      'of many concurrent changes, each successful one has one event',
    ],
    why: 'The first statement of the batch has refused the change, but the other statements notice the ' +
      'refusal only through the condition `allowed`. Without the condition, the trail would say that a ' +
      'project with a taken name was created.',
  },
  {
    title: 'Acknowledge each batch as soon as it has run, before the commit.',
    file: 'src/database/sqlite.ts',
    find: 'changes.push(run(batch));',
    replace: 'const change = run(batch); changes.push(change); batch.resolve(change);',
    testFile: 'test/database/sqlite-faults.test.ts',
    failing: [
      'with failing COMMIT, every write fails and none takes effect',
      'with failing COMMIT and ROLLBACK, every write fails and none takes effect',
      'after a failed commit, or a disk that is full, no batch of the transaction runs again',
      'a write is not held up by others that keep failing',
      'a replacement connection has the same settings, and an empty cache',
      'a file that is missing at a reconnect is not replaced by an empty one',
      'a lost database in memory stays unavailable, and does not return empty',
    ],
    unaffected: 'test/database/sqlite.test.ts',
    why: 'While every batch and every commit succeeds, nobody sees a difference, so all tests of ' +
      '`sqlite.test.ts` still pass. If a commit fails, for example on a full disk, the caller has already ' +
      'been told that the lost write succeeded. If another batch of the transaction fails, an acknowledged ' +
      'write is missing until the write runs again. Only tests that provoke faults notice the change.',
  },
];
