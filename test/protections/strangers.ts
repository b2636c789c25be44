/** Protections against anybody who can reach the port. */
import type { Protections } from './protection.ts';

export const strangers: Protections = {
  'Anybody on the network': {
    'guess passwords': [
      'hashing with scrypt (N=2¹⁴, r=8, p=5); failed sign-ins per address and username are limited; each ' +
      'guess is counted before its check, so parallel guesses gain nothing; only trusted proxies may name ' +
      'the address of a client',
      ['src/auth/password.ts', 'logN: 14,', 'logN: 13,', 'auth/password',
        'A new hash has the cost ln=14, r=8, p=5, as documented'],
      ['src/auth/password.ts', "return isEqual && !password.includes('\\0');", 'return isEqual;',
        'api/02-authentication', 'a password followed by NUL is wrong'],
      ['src/auth/throttle.ts', 'counter.failures += 1;', '', 'api/18-guessing',
        'of 110 wrong passwords 100 are checked; one user at one address is throttled'],
      ['src/auth/password-check.ts', 'const checked =',
        'await new Promise((resolve) => setTimeout(resolve, 200)); const checked =', 'api/18-guessing',
        'of 120 concurrent guesses no more passwords are checked than of sequential ones'],
      ['src/auth/password-check.ts', 'secondsToWait > 0 ? undefined : await findEnabled(name);',
        'await findEnabled(name);\n' +
        '    const pair = JSON.stringify([account?.passwordHash, password]);\n' +
          "    if (account && verified.get(hash('sha256', secret + pair, 'base64'))) {\n" +
          "      return { kind: 'done', result: account };\n    }", 'api/13-people',
        'a token allows no more guesses at the current password than signing in does'],
      ['src/auth/throttle.ts', 'pairs.secondsToWait(pair) ||',
        '(isRemembered() ? 0 : pairs.secondsToWait(pair)) ||', 'api/18-guessing',
        'after 1000 failures an address may sign in only with tokens or as recent users'],
      ['src/http/client-address.ts', 'hop !== undefined && isTrusted(address)', 'hop !== undefined',
        'http/client-address', 'X-Forwarded-For "198.51.100.7" from "192.0.2.1" means "192.0.2.1"'],
    ],
    'guess tokens': [
      'a token has 256 random bits',
      ['src/model/token.ts', 'randomBytes(32).', 'Buffer.alloc(32).', 'model/token',
        'No two of a thousand tokens share their first 12 random characters'],
    ],
    'hide password guesses among many audit events': [
      'all guesses at one user from one network become one audit event a minute, for at most 500 such ' +
      'pairs; events about unknown names never replace events about users',
      ['src/extras/audit/failure-report.ts', '? UNKNOWN_MAX', '? PAIRS_MAX', 'api/18-guessing',
        'after failures of 520 unknown names from 520 networks, an attacked user is still in the trail'],
      ['src/extras/audit/failure-report.ts', "'', USERS_MAX", "'', 0", 'api/18-guessing',
        'after failures of 520 pairs of a known user and a network, an attacked user is still in the trail'],
    ],
    'learn from a sign-in which users exist': [
      'the same response and the same work for every failed sign-in',
      ['src/resources/users.ts', 'return secondsToWait > 0', 'return false', 'api/04-registration',
        'renaming to taken names is throttled like registrations, also with a stale tag'],
      ['src/resources/users.ts', "answer.refused === 'usernameTaken'", 'false', 'api/04-registration',
        'renaming to taken names is throttled like registrations, also with a stale tag'],
      ['src/auth/password-check.ts', 'const stored = account?.passwordHash',
        "if (account === undefined) { return { kind: 'rejected' }; }\n    " +
        'const stored = account.passwordHash', 'api/34-sign-in',
        'each sign-in of an unknown user costs one hash and one read, also if it is the same as before'],
      ['src/auth/password.ts', 'dummyHash: toStored(parameters,',
        'dummyHash: toStored({ ...parameters, p: 2 },', 'auth/password',
        'The dummy hash costs as much as a real one, matches nothing, and differs in each process'],
    ],
    'pose as another user with a look-alike name': [
      'one script per username, no invisible characters, uniqueness after case folding',
      ['src/model/name.ts', "OF_ONE_SCRIPT.test(name.normalize('NFKC'))", 'true', 'api/04-registration',
        'a username of several scripts: must have letters of only one script, such as Latin or Greek'],
      ['src/model/name.ts', 'return codePoint.toLowerCase().toUpperCase().toLowerCase();',
        'return codePoint;', 'model/name', 'The key of "Жанна" is "жанна"'],
      ['src/resources/rules.ts', '(?!.*\\\\p{Default_Ignorable_Code_Point})', '', 'api/04-registration',
        'a username with an invisible letter: 400'],
    ],
    'smuggle requests past a proxy': [
      'requests with ambiguous framing are refused, and their connection is closed',
      ['src/http/request-smuggling.ts', "countFields(rawHeaders, 'authorization') > 1", 'false',
        'api/25-connections', 'a request with two Authorization fields and the next request get ' +
        '[400,"there is more than one Authorization field"]'],
      ['src/http/request-smuggling.ts', 'isVersion10 && coding !== undefined', 'false', 'api/25-connections',
        'a request with Transfer-Encoding in HTTP/1.0 and the next request get ' +
        '[400,"Transfer-Encoding requires HTTP/1.1"]'],
      ['src/app.ts', "headers: { 'Connection': 'close' }", '', 'api/25-connections',
        'a request with two Authorization fields and the next request get ' +
        '[400,"there is more than one Authorization field"]'],
    ],
    'read files of the machine': [
      'the service loads static files at its start, and never opens a file that a request names',
      ['src/http/static-files.ts', 'entry.isFile() && !isHidden', 'entry.isFile()', 'http/static-files',
        'Hidden, linked, outside or differently spelled files are 404'],
    ],
    'exhaust memory, connections or CPU': [
      'everything that a client sends, holds open or leaves unread has a limit and a deadline; the ' +
      'response about a user lists at most 256 KiB of projects',
      ['src/http/listener.ts', 'maxHeaderSize: 16_384,', 'maxHeaderSize: 65_536,',
        'api/25-connections', 'a request with a field of 16400 or more bytes and the next request get [431]'],
      ['src/http/listener.ts', 'limits.requestTimeoutMs', '0', 'api/25-connections',
        'a request whose body arrives too late is 408, and its connection is closed'],
      ['src/database/sqlite.ts', 'PREPARED_STATEMENTS_MAX = 400', 'PREPARED_STATEMENTS_MAX = Infinity',
        'database/sqlite', 'Any number of distinct statements runs; the latest ones are kept'],
      ['src/http/listener.ts', 'members.size >= max', 'false', 'api/25-connections',
        'with 2 connections per address, a third one is closed unread until one closes'],
      ['src/http/listener.ts', 'HEADER_FIELDS_MAX + 1;', '0;', 'faults/hostile-clients',
        '4000 connections of unfinished header fields: at most 320 MiB'],
      ['src/http/pipeline.ts', 'totalBytes <= HELD_BYTES_MAX', 'true', 'http/connection-limits',
        'Beyond 32 MiB, the connection holding most is closed, or the older of two'],
      ['src/http/pipeline.ts', 'Buffer.from(body)', 'body', 'http/connection-limits',
        'Text beyond ASCII counts with its bytes'],
      ['src/http/pipeline.ts', 'unanswered.length < UNANSWERED_MAX', 'true', 'http/pipeline',
        'Of 5000 requests in one packet, 100 are answered, in order'],
      ['src/http/pipeline.ts', 'previous?.shouldKeepAlive === false', 'false', 'http/pipeline',
        'Requests behind the hundredth, which closes the connection, do not wait'],
      ['src/http/pipeline.ts', 'return; // the requests', '// the requests', 'http/pipeline',
        'Waiting requests of 160 closed connections do not delay other requests'],
      ['src/app.ts', 'if (rule === undefined) {', 'if (false) {', 'api/25-connections',
        'a body that the operation does not read is discarded while the password waits'],
      ['src/http/body.ts', 'sizeBytes + chunk.length > expectedBytes', 'false', 'api/09-requests',
        'POST /api/v1/users accepts 8192 bytes, with Content-Length or chunked; one more is 413'],
      ['src/stores/representations.ts', 'SHOWN_BYTES_MAX = 262_144', 'SHOWN_BYTES_MAX = 1e9',
        'stores/listed-projects', 'Of one project whose array takes 262145 bytes, a single read shows 0'],
    ],
    'profit from a setting that does not take effect': [
      'the service does not start if the name of a setting is misspelt by one letter',
      ['src/config.ts', 'candidate.length >= 6 && isSlip(name, candidate)', 'false', 'config',
        'All mistakes are reported at once, each with the name, the value and the expectation'],
    ],
    'keep other clients waiting': [
      'clients take turns with password hashes and long reads; no work is done for clients that have ' +
      'disconnected',
      ['src/scheduling/fair-queue.ts', 'groups.forEach((group) => latestTurns.set(group, turns));', '',
        'scheduling/fair-queue', 'Waiting jobs of several clients start in turns'],
      ['src/scheduling/fair-queue.ts', '(turns & 2) === 0', 'false', 'api/34-sign-in',
        'after 200 registrations and wrong passwords of 200 names, a first sign-in is next'],
      ['src/scheduling/fair-queue.ts', '!job.isWanted() || ', '',
        'scheduling/fair-queue', 'Cancelled jobs make room for new jobs'],
      ['src/auth/client.ts', ', `sign-in ${site} ${name}`];', '];', 'api/34-sign-in',
        'after 200 registrations and wrong passwords of ten names, a first sign-in is next'],
      ['src/resources/users.ts', 'resultOf(await queues.reads.run(read, toReader(request, user)))', 'read()',
        'api/30-long-reads',
        'GET /api/v1/user is 503 with Retry-After while too many long reads of the caller wait'],
      ['src/scheduling/fair-queue.ts', 'if (sincePauseMs >= 1) {', 'if (false) {', 'scheduling/fair-queue',
        'Work of less than a millisecond altogether is followed by no pause'],
      ['src/app.ts', "if (operation.replies?.kind !== 'list') {", 'if (true) {', 'api/30-long-reads',
        'GET /api/v1/users is 503 with Retry-After while too many long reads of the caller wait'],
    ],
    'forge log lines or control a terminal': [
      'text from clients is escaped in log lines',
      ['src/telemetry/log.ts', '.replace(UNSAFE,', '.replace(/^\\0/g,', 'telemetry/log',
        'A text with the line ends of Unicode is logged as one line without control characters'],
      ['src/extras/pretty-log/pretty-log.ts', '? text : toSafeJson(text)', '? text : text',
        'extras/pretty-log/pretty-log',
        'In a pretty line, a value with control characters is quoted, and a message stays in its line'],
    ],
  },
};
