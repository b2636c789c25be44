/** Protections against anybody who can reach the port. */
import type { Protection } from './protection.ts';

export const strangers: readonly Protection[] = [
  {
    wants: 'guess passwords',
    protection:
      'hashing with scrypt (N=2¹⁴, r=8, p=5); failures per address and username are limited; each guess ' +
      'is counted before its check, so parallel guesses gain nothing; only trusted proxies may name the ' +
      'address of a client',
    mutations: [
      {
        file: 'src/auth/password.ts', find: 'logN: 14,', replace: 'logN: 13,',
        testFile: 'test/auth/password.test.ts',
        title: 'A new hash has the cost ln=14, r=8, p=5, as documented',
      },
      {
        file: 'src/auth/password.ts', find: "return isEqual && !password.includes('\\0');",
        replace: 'return isEqual;',
        testFile: 'test/auth/password.test.ts',
        title: String.raw`"secret\u0000" is not the password "secret", and is never right`,
      },
      {
        file: 'src/auth/throttle.ts', find: 'counter.failures += 1;', replace: '',
        testFile: 'test/auth/throttle.test.ts',
        title: 'After 3 failures, with a limit of 3, the wait is 300 seconds',
      },
      {
        file: 'src/auth/password-check.ts', find: 'const release = limits.reserve();',
        replace:
          'await new Promise((resolve) => setTimeout(resolve, 200)); ' +
          'const release = limits.reserve();',
        testFile: 'test/api/18-guessing.test.ts',
        title: 'of 120 concurrent guesses no more passwords are checked than of sequential ones',
      },
      {
        file: 'src/auth/password-check.ts', find: 'secondsToWait > 0 ? undefined : await findEnabled(name);',
        replace:
          'await findEnabled(name);\n' +
          '    if (account && verified.has(verified.toKey(account.passwordHash, password))) {\n' +
          "      return { kind: 'right', account };\n    }",
        testFile: 'test/api/13-people.test.ts',
        title: 'a token allows no more guesses at the current password than signing in does',
      },
      {
        file: 'src/auth/throttle.ts', find: 'ofPairs.secondsToWait(pair) ||',
        replace: '(isRemembered() ? 0 : ofPairs.secondsToWait(pair)) ||',
        testFile: 'test/api/18-guessing.test.ts',
        title: 'after 1000 failures an address may sign in only with tokens or as recent users',
      },
      {
        file: 'src/http/client-address.ts', find: 'if (hop === undefined || !isTrusted(address)) {',
        replace: 'if (hop === undefined) {',
        testFile: 'test/http/client-address.test.ts',
        title: 'X-Forwarded-For "198.51.100.7" from "192.0.2.1" means "192.0.2.1"',
      },
    ],
  },
  {
    wants: 'guess tokens',
    protection: 'a token has 256 random bits',
    mutations: [
      {
        file: 'src/model/token.ts', find: 'randomBytes(RANDOM_BYTES).',
        replace: 'Buffer.alloc(RANDOM_BYTES).',
        testFile: 'test/model/token.test.ts',
        title: 'No two of a thousand tokens share their first 12 random characters',
      },
    ],
  },
  {
    wants: 'hide guesses in the audit trail',
    protection:
      'one audit event a minute for each attacked user; failures with unknown names are counted ' +
      'separately',
    mutations: [
      {
        file: 'src/auth/failure-report.ts',
        find: 'user === undefined ? UNKNOWN_MAX : PAIRS_MAX', replace: 'PAIRS_MAX',
        testFile: 'test/api/18-guessing.test.ts',
        title:
          'after failures of 520 unknown names from 520 networks, an attacked user is still in the trail',
      },
      {
        file: 'src/auth/failure-report.ts',
        find: 'increase(ofUser, USERS_MAX)', replace: 'false',
        testFile: 'test/api/18-guessing.test.ts',
        title:
          'after failures of 520 pairs of a known user and a network, an attacked user is still in the trail',
      },
    ],
  },
  {
    wants: 'learn from a sign-in which users exist',
    protection: 'the same response and the same work for every failed sign-in',
    mutations: [
      {
        file: 'src/resources/users.ts', find: "return refuse('tooManyAttempts', secondsToWait);", replace: '',
        testFile: 'test/api/04-registration.test.ts',
        title: 'renaming to taken names is throttled like registrations, also with a stale tag',
      },
      {
        file: 'src/resources/users.ts', find: 'if (!isTaken) {', replace: '{',
        testFile: 'test/api/04-registration.test.ts',
        title: 'renaming to taken names is throttled like registrations, also with a stale tag',
      },
      {
        file: 'src/auth/password-check.ts', find: 'const stored = account?.passwordHash',
        replace:
          "if (account === undefined) { return { kind: 'wrong' }; }\n    const stored = account.passwordHash",
        testFile: 'test/auth/sign-in-time.test.ts',
        title: 'Sign-ins of unknown, known and disabled users differ by at most 10 % in processor time',
      },
      {
        file: 'src/auth/password.ts', find: 'dummyHash: toStored(',
        replace: "dummyHash: ((...parts: [Buffer, Buffer]) => toStored(...parts).replace('p=1', 'p=2'))(",
        testFile: 'test/auth/password.test.ts',
        title: 'The dummy hash costs as much as a real one, matches nothing, and differs in each process',
      },
    ],
  },
  {
    wants: 'pose as another user with a look-alike name',
    protection: 'one script per username, no invisible characters, uniqueness after case folding',
    mutations: [
      {
        file: 'src/model/script.ts',
        find: 'return OF_ONE_SCRIPT.test(name.normalize(\'NFKC\'));',
        replace: 'return true;',
        testFile: 'test/model/name.test.ts',
        title: '"roоt" is not of one script',
      },
      {
        file: 'src/model/name.ts', find: 'return codePoint.toLowerCase().toUpperCase().toLowerCase();',
        replace: 'return codePoint;',
        testFile: 'test/model/name.test.ts',
        title: 'The key of "Жанна" is "жанна"',
      },
      {
        file: 'src/resources/rules.ts', find: String.raw`(?!.*\\p{Default_Ignorable_Code_Point})`,
        replace: '',
        testFile: 'test/api/04-registration.test.ts',
        title: 'a username with an invisible letter is 400',
      },
    ],
  },
  {
    wants: 'smuggle requests past a proxy',
    protection: 'requests with ambiguous framing are refused, and their connection is closed',
    mutations: [
      {
        file: 'src/http/framing.ts',
        find: "if (countFields(rawHeaders, 'authorization') > 1) {",
        replace: 'if (false) {',
        testFile: 'test/http/framing.test.ts',
        title: 'HTTP/1.1 with ["Host: a","Authorization: Basic x","Authorization: Basic x"] is refused',
      },
      {
        file: 'src/http/framing.ts',
        find: "httpVersion === '1.0' && isChunked(incoming)",
        replace: 'false',
        testFile: 'test/http/framing.test.ts',
        title: 'HTTP/1.0 with ["Host: a","transfer-encoding: identity"] is refused',
      },
      {
        file: 'src/app.ts', find: 'client.id), closesConnection: true }', replace: 'client.id) }',
        testFile: 'test/api/25-connections.test.ts',
        title:
          'a request with two Authorization fields closes its connection, and the next gets no response',
      },
    ],
  },
  {
    wants: 'read files of the machine',
    protection: 'static files are loaded into a map at the start; no request opens a path',
    mutations: [
      {
        file: 'src/http/static-files.ts', find: 'entry.isFile() && !isHidden', replace: 'entry.isFile()',
        testFile: 'test/http/static-files.test.ts',
        title: 'Hidden, linked, outside or differently spelled files are 404',
      },
    ],
  },
  {
    wants: 'exhaust memory, connections or CPU',
    protection:
      'everything that a client sends, holds open or leaves unread has a limit and a deadline; the ' +
      'response about a user has at most 256 KiB of projects',
    mutations: [
      {
        file: 'src/http/listener.ts', find: 'maxHeaderSize: HEADER_BYTES_MAX,',
        replace: 'maxHeaderSize: 65_536,',
        testFile: 'test/api/23-limits.test.ts',
        title: 'A request with a field of 16400 bytes is 431',
      },
      {
        file: 'src/http/listener.ts',
        find: 'headersTimeout: limits.headersTimeoutMs,\n    requestTimeout: limits.requestTimeoutMs,',
        replace: 'headersTimeout: 0, requestTimeout: 0,',
        testFile: 'test/api/09-requests.test.ts',
        title: 'a request whose body arrives too late is 408, and its connection is closed',
      },
      {
        file: 'src/database/sqlite.ts', find: 'PREPARED_STATEMENTS_MAX = 400',
        replace: 'PREPARED_STATEMENTS_MAX = Infinity',
        testFile: 'test/database/sqlite.test.ts',
        title: 'Any number of distinct statements runs; the latest ones are kept',
      },
      {
        file: 'src/http/sockets.ts', find: 'members.size >= perNetworkMax', replace: 'false',
        testFile: 'test/http/sockets.test.ts',
        title: 'Each network may have as many connections as the limit, and a proxy any number',
      },
      {
        file: 'src/http/listener.ts', find: 'server.maxHeadersCount = HEADER_FIELDS_MAX + 1;',
        replace: 'server.maxHeadersCount = 0;',
        testFile: 'test/faults/peak-memory.test.ts',
        title: '4000 connections of unfinished header fields: at most 320 MiB',
      },
      {
        file: 'src/http/held-bytes.ts', find: 'totalBytes > HELD_BYTES_MAX ?', replace: 'false ?',
        testFile: 'test/http/held-bytes.test.ts',
        title: 'Beyond 32 MiB, the connection that holds the most is closed, of equal ones the oldest',
      },
      {
        file: 'src/http/send.ts', find: 'Buffer.from(body)', replace: 'body',
        testFile: 'test/http/held-bytes.test.ts', title: 'Text beyond ASCII counts with its bytes',
      },
      {
        file: 'src/http/pipeline.ts', find: 'unanswered.length < UNANSWERED_MAX',
        replace: 'true',
        testFile: 'test/http/pipeline.test.ts',
        title: 'Of 5000 requests in one packet, 100 are answered, in order',
      },
      {
        file: 'src/http/body.ts', find: 'if (sizeBytes + chunk.length > expectedBytes) {',
        replace: 'if (false) {',
        testFile: 'test/http/body.test.ts',
        title: '11 bytes in 1 pieces, declared as undefined, are too-large at a limit of 10',
      },
      {
        file: 'src/stores/representations.ts',
        find: 'SHOWN_BYTES_MAX = 262_144',
        replace: 'SHOWN_BYTES_MAX = 1e9',
        testFile: 'test/stores/listed-projects.test.ts',
        title: 'Of one project whose array takes 262145 bytes, a single read shows 0',
      },
    ],
  },
  {
    wants: 'profit from a setting that does not take effect',
    protection:
      'the service does not start if the name of a setting is misspelt by one letter; a warning names ' +
      'retired settings',
    mutations: [
      {
        file: 'src/config.ts',
        find: 'candidate.length >= 6 && isSlip(name, candidate)', replace: 'false',
        testFile: 'test/config.test.ts',
        title: 'The name REGISTRATON is a misspelt REGISTRATION',
      },
      {
        file: 'src/programs/serve.ts', find: 'if (Object.keys(retired).length > 0) {',
        replace: 'if (false) {',
        testFile: 'test/programs/server.test.ts',
        title: 'a start with retired settings warns once, and says what replaces each',
      },
    ],
  },
  {
    wants: 'keep other clients waiting',
    protection:
      'clients take turns with password hashes and long reads; no work is done for a client that has left',
    mutations: [
      {
        file: 'src/scheduling/fair-queue.ts',
        find: 'groups.forEach((group) => latestTurns.set(group, turns));', replace: '',
        testFile: 'test/scheduling/fair-queue.test.ts',
        title: 'Waiting jobs of several clients start in turns',
      },
      {
        file: 'src/scheduling/fair-queue.ts', find: '(turns & 2) === 0 ? jobs.toReversed() : jobs;',
        replace: 'jobs;',
        testFile: 'test/scheduling/fair-queue.test.ts',
        title:
          'After 200 registrations and 200 wrong passwords for 200 names, sign-in/A/ada is soon next',
      },
      {
        file: 'src/scheduling/fair-queue.ts', find: 'const isWanted = job.isWanted();',
        replace: 'const isWanted = true;',
        testFile: 'test/scheduling/fair-queue.test.ts',
        title: 'Cancelled jobs make room for new jobs',
      },
      {
        file: 'src/auth/client.ts', find: ', `sign-in ${site} ${name}`];', replace: '];',
        testFile: 'test/api/34-sign-in.test.ts',
        title: 'after 200 registrations and wrong passwords of ten names, a first sign-in is next',
      },
      {
        file: 'src/resources/users.ts',
        find: 'resultOf(await reads.run(() => users.findRepresentation(ref, only), toReader(client, user)));',
        replace: 'users.findRepresentation(ref, only);',
        testFile: 'test/api/30-long-reads.test.ts',
        title: 'GET /api/v1/user is 503 with Retry-After while too many long reads of the caller wait',
      },
      {
        file: 'src/scheduling/loop-share.ts',
        find: 'if (sincePauseMs >= 1) {',
        replace: 'if (false) {',
        testFile: 'test/scheduling/loop-share.test.ts',
        title: 'Work of less than a millisecond altogether is followed by no pause',
      },
      {
        file: 'src/app.ts', find: 'if (operation.mayTakeLong === undefined) {', replace: 'if (true) {',
        testFile: 'test/api/30-long-reads.test.ts',
        title: 'GET /api/v1/users is 503 with Retry-After while too many long reads of the caller wait',
      },
    ],
  },
  {
    wants: 'forge log lines or control a terminal',
    protection: 'text from clients is escaped',
    mutations: [
      {
        file: 'src/telemetry/log.ts',
        find: '.replace(UNSAFE,',
        replace: ".replace(/^\\0/g,",
        testFile: 'test/telemetry/log.test.ts',
        title: 'A text with the line ends of Unicode is logged as one line without control characters',
      },
      {
        file: 'src/telemetry/pretty.ts',
        find: 'return PLAIN_WORD.test(text) ? text : toSafeJson(text);',
        replace: 'return text;',
        testFile: 'test/telemetry/pretty.test.ts',
        title: 'A value with escape sequences stays within quotes, and a message within its line',
      },
    ],
  },
];
