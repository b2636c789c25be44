import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listSettings, readConfig } from '../src/config.ts';
import { settings, type Setting } from '../src/settings.ts';
import { expectValid } from './support/config.ts';
import { each } from './support/each.ts';
import { createFolder } from './support/programs.ts';

const MASK = '********';

test('Without settings or with empty ones, each has its default, and no administrator is created', () => {
  const config = expectValid({});
  const empty = { ADMIN_USERNAME: '', ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '', PORT: '', LOG_LEVEL: '' };
  assert.deepEqual(expectValid({ ...empty, HOST: undefined }), config);
  assert.deepEqual([config.port, config.registration], [8080, 'open']);
  assert.deepEqual(config.database, { driver: 'sqlite', path: 'data/service.sqlite' });
  assert.deepEqual([config.adminUsername, config.adminPassword], [undefined, undefined]);
});

test('Every default is accepted as a value, and every setting is described', () => {
  const all = Object.values<Setting<unknown>>(settings);
  const defaults = Object.fromEntries(all.map(({ name, fallback }) => [name, fallback]));
  assert.equal(Object.keys(defaults).length, all.length);
  assert.deepEqual(expectValid(defaults), expectValid({}));
  for (const { name, description, expectation } of all) {
    assert.match(`${name}: ${description}`, /^[A-Z]+(_[A-Z]+)*: [A-Z`].*\.$/);
    assert.match(expectation, /^\S.*[^.]$/);
  }
});

each('{0} is accepted from {1} to {2}, and not beyond', [
  ['PORT', '0', '65535',
    ['-1', '65536', '80a', '8e3', '0x50', '80.0', ' 80', '80 ', '+80', '８０', '9'.repeat(400)]],
  ['MAX_CHANGES_PER_USER', '0', '1000000000', ['-1', '1000000001']],
  ['SHUTDOWN_DELAY_MS', '0', '3600000', ['-1', '3600001']],
  ['LOG_FORMAT', 'auto', 'pretty', ['Pretty', 'text']],
  ['PASSWORD_MIN_LENGTH', '1', '1024', ['0', '1025']],
  ['TOKEN_LIFETIME_SECONDS', '1', '31536000', ['0', '-600', '3153600001', '31536001']],
  ['TOKEN_MAX_LIFETIME_SECONDS', '600', '3153600000', ['0', '599', '3153600001']],
  ['SIGN_IN_FAILURES_PER_NAME', '1', '1000000', ['0', '1000001']],
  ['LOG_LEVEL', 'debug', 'error', ['Debug', 'trace', 'error ']],
  ['REGISTRATION', 'open', 'closed', ['OPEN', 'yes']],
  ['DATABASE_URL', 'sqlite::memory:', 'sqlite:/data/x', ['sqlite:', '/data/x', 'postgres://localhost/x']],
  ['CORS_ORIGIN', '*', 'https://console.example:8443', [
    'null', 'console.example', 'https://', 'https://a/', 'https://a/b', 'https://a b', 'https://a,https://b',
    'ftp://a', 'https://a\r\nX: y',
  ]],
], ([name, first, last, refused]) => {
  [first, last].forEach((value) => expectValid({ [name]: value }));
  assert.deepEqual(refused.filter((value) => readConfig({ [name]: value }).kind === 'valid'), []);
});

const LONELY = 'Cannot create an administrator: expected both ADMIN_USERNAME and ADMIN_PASSWORD, or neither';

for (const [title, environment, ...expected] of [
  ['All mistakes are reported at once, each with the name, the value and the expectation',
    {
      TOKEN_LIFETIME_SECOND: '60', ADMIN_PASSWRD_FILE: '/file', PORT: '80a', LOG_LEVEL: 'loud',
      REGISTRATION: '"', ADMIN_USERNAME: 'root',
    },
    'Unknown setting TOKEN_LIFETIME_SECOND: did you mean TOKEN_LIFETIME_SECONDS?',
    'Unknown setting ADMIN_PASSWRD_FILE: did you mean ADMIN_PASSWORD_FILE?',
    'Cannot read PORT "80a": expected an integer from 0 to 65535',
    'Cannot read LOG_LEVEL "loud": expected debug, info, warn or error',
    'Cannot read REGISTRATION "\\"": expected open or closed',
    LONELY],
  ['A password without an administrator is a mistake', { ADMIN_PASSWORD: 's3cret' }, LONELY],
  ['An empty password is none', { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: '' }, LONELY],
  ['An account of the administrator that cannot be made is a mistake, also next to a wrong minimum length',
    { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'x', ADMIN_EMAIL: 'root', PASSWORD_MIN_LENGTH: 'x' },
    'Cannot read PASSWORD_MIN_LENGTH "x": expected an integer from 1 to 1024',
    'Cannot create the administrator "root": email must be an email address'],
  ['A password of the administrator that the rules refuse is a mistake',
    { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'password1', PASSWORD_MIN_LENGTH: '8' },
    'Cannot create the administrator "root": password must not be one of the most common passwords'],
  ['A lifetime above the maximum is a mistake',
    { TOKEN_LIFETIME_SECONDS: '61', TOKEN_MAX_LIFETIME_SECONDS: '60' },
    'Cannot use TOKEN_LIFETIME_SECONDS: it is larger than TOKEN_MAX_LIFETIME_SECONDS'],
  ['An invalid setting is not reported as a contradiction too',
    { TOKEN_LIFETIME_SECONDS: 'x', TOKEN_MAX_LIFETIME_SECONDS: '1' },
    'Cannot read TOKEN_LIFETIME_SECONDS "x": expected an integer from 1 to 3153600000'],
  ['A secret that is given twice is a mistake, even if both values are equal',
    { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 's3cret', ADMIN_PASSWORD_FILE: '/file' },
    'Cannot choose between ADMIN_PASSWORD and ADMIN_PASSWORD_FILE: expected only one of them'],
  ['An unreadable secret file is one mistake, which names the file and the reason',
    { ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: '/missing' },
    'Cannot read the file "/missing" that ADMIN_PASSWORD_FILE names: no such file or directory'],
] as const satisfies readonly (readonly [string, Record<string, string>, ...string[]])[]) {
  test(title, () => assert.deepEqual(mistakesOf(environment), expected));
}

test('No common variable, removed setting, short name or very different name is a misspelt setting', () => {
  const usual = `
    port database_url TOKEN_LIFETIME PORTT PORTS POST SORT HOSTS host LOG ROLLCALL_PORT
    _ BASH_ENV BROWSER CI COLORTERM COLUMNS DBUS_SESSION_BUS_ADDRESS DEBIAN_FRONTEND DISPLAY EDITOR ENV
    FORCE_COLOR GIT_DIR GITHUB_TOKEN GPG_AGENT_INFO HISTSIZE HOME HOSTNAME HOSTTYPE HTTP_PROXY HTTPS_PROXY
    INVOCATION_ID JAVA_HOME JOURNAL_STREAM KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
    LANG LANGUAGE LC_ALL LD_LIBRARY_PATH LESS LINES LISTEN_FDS LISTEN_PID LOGNAME LS_COLORS MACHTYPE MAIL
    MAINPID NODE NODE_ENV NODE_EXTRA_CA_CERTS NODE_OPTIONS NO_PROXY NOTIFY_SOCKET NVM_DIR OLDPWD OSTYPE
    PAGER PATH PGHOST PGPORT PS1 PWD PYTHONPATH ROLLCALL_SERVICE_HOST SHELL SHLVL
    SSH_AUTH_SOCK SSH_TTY SSL_CERT_DIR SSL_CERT_FILE STATE_DIRECTORY SYSTEMD_EXEC_PID TERM TMPDIR TZ USER
    USERNAME VISUAL WATCHDOG_USEC XDG_RUNTIME_DIR http_proxy https_proxy no_proxy npm_config_registry
    npm_lifecycle_event npm_package_version
    AUTH_CACHE_SECONDS HEADERS_TIMEOUT_MS IDLE_TIMEOUT_MS KEEP_ALIVE_TIMEOUT_MS MAX_BODY_BYTES
    MAX_CONNECTIONS MAX_CONNECTIONS_PER_ADDRESS MAX_HEADER_BYTES MAX_HEADER_FIELDS
    MAX_REQUESTS_PER_CONNECTION MAX_URL_BYTES PASSWORD_POLICY PASSWORD_WAIT_MS REQUEST_TIMEOUT_MS
    RESPONSE_TIMEOUT_MS SHUTDOWN_TIMEOUT_MS SIGN_IN_FAILURES_PER_ADDRESS SIGN_IN_WINDOW_SECONDS
    TIMEOUT_CHECK_INTERVAL_MS TOKEN_RETENTION_SECONDS WORKERS`; // CHANGES.md lists the removed settings
  const environment = Object.fromEntries(usual.trim().split(/\s+/).map((name) => [name, '1']));
  assert.deepEqual(expectValid(environment), expectValid({}));
});

each('A secret file with "{0}" is read as "{1}"', [
  ['s3cret', 's3cret'], ['s3cret\n', 's3cret'], ['s3cret\r\n', 's3cret'], ['s3cret\n\n', 's3cret\n'],
  [' s3 cret ', ' s3 cret '], ['пароль\n', 'пароль'],
], ([content, expected], t) => {
  const config = expectValid({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: createFile(t, content) });
  assert.equal(config.adminPassword, expected);
});

each('An ADMIN_PASSWORD_FILE with {0} is a mistake, because nobody could sign in', [
  ['more than 30 combining marks in a row', `a${'\u0301'.repeat(40)}`, /: password must be UTF-8, with /],
  ['bytes that are not UTF-8', Buffer.from('p\u00e4ssword', 'latin1'), /: password must be UTF-8, with /],
  ['NUL', 'from a file\0\n', /: password must be text without NUL/],
  ['only a line break', '\n', /^Cannot read ADMIN_PASSWORD_FILE ".+": expected a text of at least one char/],
], ([, content, rule], t) => {
  const mistakes = mistakesOf({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: createFile(t, content) });
  assert.equal(mistakes.length, 1);
  assert.match(mistakes.join(), rule);
});

each('{0}="{1}" is listed as "{2}"', [
  ['PORT', '80', '80'],
  ['PORT', '', '8080'],
  ['ADMIN_PASSWORD', '', ''],
  ['ADMIN_PASSWORD', 's3cret', MASK],
  ['DATABASE_URL', 'sqlite:data/a@b.sqlite', 'sqlite:data/a@b.sqlite'],
  ['DATABASE_URL', 'rqlite://127.0.0.1:4001', 'rqlite://127.0.0.1:4001'],
  ['DATABASE_URL', 'rqlite://ada:s3cret@a:4001,b:4001?tls=1', `rqlite://${MASK}@a:4001,b:4001?tls=1`],
], ([name, value, shown]) => {
  assert.deepEqual(listSettings({ [name]: value }), { ...listSettings({}), [name]: shown });
});

each('{0} from a file is masked, and no mistake has its value', [
  'ADMIN_PASSWORD', 'DATABASE_URL', 'METRICS_TOKEN',
], (name, t) => {
  const inFile = { [`${name}_FILE`]: createFile(t, 's3cret@') };
  assert.equal(listSettings(inFile)[name], MASK);
  for (const environment of [{ [name]: 's3cret@' }, inFile, { [name]: 's3cret@', ...inFile }]) {
    assert.doesNotMatch(mistakesOf({ ...environment, PORT: 'x' }).join(), /s3cret/);
  }
});

test('A DATABASE_URL may come from a file', (t) => {
  const DATABASE_URL = 'rqlite://ada:s3cret@a.example:4001';
  const { database } = expectValid({ DATABASE_URL_FILE: createFile(t, `${DATABASE_URL}\n`) });
  assert.deepEqual(database, expectValid({ DATABASE_URL }).database);
});

function mistakesOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const outcome = readConfig(environment);
  assert(outcome.kind === 'invalid');
  return outcome.mistakes;
}

function createFile(context: TestContext, content: string | Buffer): string {
  const file = join(createFolder(context), 'secret');
  writeFileSync(file, content);
  return file;
}
