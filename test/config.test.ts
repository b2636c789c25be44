import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listSettings, readConfig, type Config } from '../src/config.ts';
import { RETIRED, settings, type Setting } from '../src/settings.ts';
import { createFolder } from './support/programs.ts';

const MASK = '********';

test('With an empty environment every setting has its default, and no administrator is created', () => {
  const config = expectValid({});
  assert.equal(config.port, 8080);
  assert.equal(config.registration, 'open');
  assert.deepEqual(config.database, { driver: 'sqlite', path: 'data/service.sqlite' });
  assert.deepEqual([config.adminUsername, config.adminPassword], [undefined, undefined]);
});

test('Every default is accepted as a value, and every setting is described', () => {
  const all = Object.values<Setting<unknown>>(settings);
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  assert.deepEqual(
    expectValid(Object.fromEntries(all.map(({ name, fallback }) => [name, fallback]))), expectValid({}),
  );
  all.forEach((setting) => {
    assert.match(setting.name, /^[A-Z]+(_[A-Z]+)*$/);
    assert.match(setting.description, /^[A-Z`].*\.$/);
    assert.match(setting.expectation, /^\S.*[^.]$/);
  });
});

for (const [name, first, last, refused] of [
  [
    'PORT', '0', '65535',
    ['-1', '65536', '80a', '8e3', '0x50', '80.0', ' 80', '80 ', '+80', '８０', '9'.repeat(400)],
  ],
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
    'ftp://a',
    'https://a\r\nX: y',
  ]],
] as const) {
  test(`${name} is accepted from ${first} to ${last}, and not beyond`, () => {
    [first, last].forEach((value) => expectValid({ [name]: value }));
    assert.deepEqual(refused.filter((value) => readConfig({ [name]: value }).kind === 'valid'), []);
  });
}

test('All mistakes are reported at once, each with the name, the value and the expectation', () => {
  const typo = { TOKEN_LIFETIME_SECOND: '60' };
  assert.deepEqual(mistakesOf({
    PORT: '80a', LOG_LEVEL: 'loud', REGISTRATION: '"', ADMIN_USERNAME: 'root', ...typo,
  }), [
    'Unknown setting TOKEN_LIFETIME_SECOND: did you mean TOKEN_LIFETIME_SECONDS?',
    'Cannot read PORT "80a": expected an integer from 0 to 65535',
    'Cannot read LOG_LEVEL "loud": expected debug, info, warn or error',
    'Cannot read REGISTRATION "\\"": expected open or closed',
    'Cannot create an administrator: expected both ADMIN_USERNAME and ADMIN_PASSWORD, or neither',
  ]);
});

for (const [title, environment, expected] of [
  [
    'an administrator without a password', { ADMIN_USERNAME: 'root' },
    /both ADMIN_USERNAME and ADMIN_PASSWORD/,
  ],
  [
    'a password without an administrator', { ADMIN_PASSWORD: 's3cret' },
    /both ADMIN_USERNAME and ADMIN_PASSWORD/,
  ],
  [
    'an administrator with an empty password', { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: '' },
    /both ADMIN_USERNAME and/,
  ],
  [
    'a lifetime above the maximum', { TOKEN_LIFETIME_SECONDS: '61', TOKEN_MAX_LIFETIME_SECONDS: '60' },
    /TOKEN_MAX/,
  ],
] as const) {
  test(`The contradiction of ${title} is reported as one mistake`, () => {
    const mistakes = mistakesOf(environment);
    assert.equal(mistakes.length, 1);
    assert.match(mistakes.join(), expected);
  });
}

test('Each retired setting is listed with what replaces it, and changes nothing', () => {
  const environment = Object.fromEntries(Object.keys(RETIRED).map((name) => [name, 'x']));
  const outcome = readConfig(environment);
  assert(outcome.kind === 'valid', JSON.stringify(outcome));
  assert.deepEqual(outcome.config, expectValid({}));
  assert.deepEqual(outcome.retired, RETIRED);
  assert.deepEqual(Object.keys(RETIRED).filter((name) => name in listSettings({})), []);
});

test('A retired setting that is not set, or set to nothing, is not listed', () => {
  const outcome = readConfig({ MAX_URL_BYTES: '', MAX_CONNECTIONS: '9' });
  assert(outcome.kind === 'valid');
  assert.deepEqual(Object.keys(outcome.retired), ['MAX_CONNECTIONS']);
});

test('A default token lifetime that equals the maximum is accepted', () => {
  const config = expectValid({ TOKEN_LIFETIME_SECONDS: '60', TOKEN_MAX_LIFETIME_SECONDS: '60' });
  assert.equal(config.tokenLifetimeSeconds, 60);
});

test('An empty value counts as absent, and undefined too', () => {
  const administrator = { ADMIN_USERNAME: '', ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '' };
  assert.deepEqual(
    expectValid({ ...administrator, PORT: '', LOG_LEVEL: '', HOST: undefined }), expectValid({}),
  );
});

for (const [name, expected] of [
  ['DATABASEURL', 'DATABASE_URL'], ['LOG_LEVEL_', 'LOG_LEVEL'], ['DATABASE_URL_FILES', 'DATABASE_URL_FILE'],
  ['REGISTRATON', 'REGISTRATION'], ['REGISTRATIONN', 'REGISTRATION'], ['REGISTRATION_', 'REGISTRATION'],
  ['METRIC', 'METRICS'], ['TRUST_PROXI', 'TRUST_PROXY'], ['METRICS_TOKN', 'METRICS_TOKEN'],
  ['DATABASE_URI', 'DATABASE_URL'], ['DATABSE_URL', 'DATABASE_URL'], ['ADMIN_USERNAM', 'ADMIN_USERNAME'],
  ['ADMIN_PASSWRD_FILE', 'ADMIN_PASSWORD_FILE'], ['ADMIN_PASWORD', 'ADMIN_PASSWORD'],
] as const) {
  test(`The name ${name} is a misspelt ${expected}`, () => {
    assert.deepEqual(mistakesOf({ [name]: '1' }), [`Unknown setting ${name}: did you mean ${expected}?`]);
  });
}

for (const name of [
  'port', 'database_url', 'TOKEN_LIFETIME', 'PASSWORD_MIN_LENGHT', 'PORTT', 'PORTS', 'POST', 'SORT',
  'HOSTS', 'host', 'PATH', 'HOSTNAME', 'NODE_OPTIONS', 'LOG', 'ROLLCALL_PORT',
]) {
  test(`The name ${name} is ignored`, () => {
    assert.deepEqual(expectValid({ [name]: '1' }), expectValid({}));
  });
}

test('No common environment variable is taken for a misspelt setting', () => {
  const usual = `
    _ BASH_ENV BROWSER CI COLORTERM COLUMNS DBUS_SESSION_BUS_ADDRESS DEBIAN_FRONTEND DISPLAY EDITOR ENV
    FORCE_COLOR GIT_DIR GITHUB_TOKEN GPG_AGENT_INFO HISTSIZE HOME HOSTNAME HOSTTYPE HTTP_PROXY HTTPS_PROXY
    INVOCATION_ID JAVA_HOME JOURNAL_STREAM KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
    LANG LANGUAGE LC_ALL LD_LIBRARY_PATH LESS LINES LISTEN_FDS LISTEN_PID LOGNAME LS_COLORS MACHTYPE MAIL
    MAINPID NODE NODE_ENV NODE_EXTRA_CA_CERTS NODE_OPTIONS NO_PROXY NOTIFY_SOCKET NVM_DIR OLDPWD OSTYPE
    PAGER PATH PGHOST PGPORT PS1 PWD PYTHONPATH ROLLCALL_PORT ROLLCALL_SERVICE_HOST SHELL SHLVL
    SSH_AUTH_SOCK SSH_TTY SSL_CERT_DIR SSL_CERT_FILE STATE_DIRECTORY SYSTEMD_EXEC_PID TERM TMPDIR TZ USER
    USERNAME VISUAL WATCHDOG_USEC XDG_RUNTIME_DIR http_proxy https_proxy no_proxy npm_config_registry
    npm_lifecycle_event npm_package_version`;
  expectValid(Object.fromEntries(usual.trim().split(/\s+/).map((name) => [name, '1'])));
});

for (const [content, expected] of [
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  ['s3cret\n\n', 's3cret\n'],
  [' s3 cret ', ' s3 cret '],
  ['пароль\n', 'пароль'],
] as const) {
  test(`A secret file with ${JSON.stringify(content)} is read as ${JSON.stringify(expected)}`, (context) => {
    const config = expectValid({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: createFile(context, content) });
    assert.equal(config.adminPassword, expected);
  });
}

test('A secret that is given twice is a mistake, even if both values are equal', (context) => {
  const environment = { ADMIN_PASSWORD: 's3cret', ADMIN_PASSWORD_FILE: createFile(context, 's3cret') };
  const [mistake] = mistakesOf(environment);
  assert.equal(mistake, 'Cannot choose between ADMIN_PASSWORD and ADMIN_PASSWORD_FILE: expected one of them');
});

test('An unreadable secret file is one mistake, which names the file and the reason', (context) => {
  const file = `${createFile(context, '')}.missing`;
  const mistake = `Cannot read the file "${file}" that ADMIN_PASSWORD_FILE names: no such file or directory`;
  assert.deepEqual(mistakesOf({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD_FILE: file }), [mistake]);
});

test('A secret file that is empty is a mistake, and not the same as no secret', (context) => {
  const file = createFile(context, '\n');
  assert.deepEqual(mistakesOf({ METRICS_TOKEN_FILE: file }), [
    `Cannot read the file "${file}" that METRICS_TOKEN_FILE names: it is empty`,
  ]);
});

test('An invalid setting is not reported as a contradiction too', () => {
  const mistakes = mistakesOf({ TOKEN_LIFETIME_SECONDS: 'x', TOKEN_MAX_LIFETIME_SECONDS: '1' });
  const mistake = 'Cannot read TOKEN_LIFETIME_SECONDS "x": expected an integer from 1 to 3153600000';
  assert.deepEqual(mistakes, [mistake]);
});

test('No mistake contains a secret', (context) => {
  const [direct, inFile] = [
    { ADMIN_PASSWORD: 's3cret' }, { ADMIN_PASSWORD_FILE: createFile(context, 's3cret') },
  ];
  for (const environment of [direct, inFile, { ...direct, ...inFile }]) {
    assert.doesNotMatch(mistakesOf({ ...environment, PORT: 'x' }).join(), /s3cret/);
  }
});

test('The settings in force are listed, with secrets masked', (context) => {
  const file = createFile(context, 's3cret');
  for (const [environment, port] of [[{}, '8080'], [{ PORT: '80' }, '80'], [{ PORT: '' }, '8080']] as const) {
    assert.equal(listSettings(environment)['PORT'], port);
  }
  assert.equal(listSettings({})['ADMIN_PASSWORD'], '');
  for (const environment of [{ ADMIN_PASSWORD: 's3cret' }, { ADMIN_PASSWORD_FILE: file }]) {
    assert.deepEqual(listSettings(environment), { ...listSettings({}), ADMIN_PASSWORD: MASK });
  }
});

for (const [url, shown] of [
  ['sqlite:data/a@b.sqlite', 'sqlite:data/a@b.sqlite'],
  ['rqlite://127.0.0.1:4001', 'rqlite://127.0.0.1:4001'],
  ['rqlite://ada:s3cret@a:4001,b:4001?tls=1', `rqlite://${MASK}@a:4001,b:4001?tls=1`],
  ['rqlite://ada:s3cret', MASK],
  ['s3cret', MASK],
] as const) {
  test(`The DATABASE_URL "${url}" is shown as "${shown}", and no mistake contains it`, (context) => {
    assert.equal(listSettings({ DATABASE_URL: url })['DATABASE_URL'], shown);
    assert.equal(listSettings({ DATABASE_URL_FILE: createFile(context, url) })['DATABASE_URL'], MASK);
    assert.doesNotMatch(mistakesOf({ DATABASE_URL: url, PORT: 'x' }).join(), /s3cret/);
  });
}

test('A DATABASE_URL may come from a file', (context) => {
  const nodes = [{ host: 'a.example', port: 4001 }];
  const config = expectValid({
    DATABASE_URL_FILE: createFile(context, 'rqlite://ada:s3cret@a.example:4001\n'),
  });
  assert.deepEqual(config.database, {
    driver: 'rqlite', nodes, usesTls: false, credentials: { username: 'ada', password: 's3cret' },
  });
});

function expectValid(environment: Readonly<Record<string, string | undefined>>): Config {
  const outcome = readConfig(environment);
  assert(outcome.kind === 'valid', JSON.stringify(outcome));
  return outcome.config;
}

function mistakesOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const outcome = readConfig(environment);
  assert(outcome.kind === 'invalid');
  return outcome.mistakes;
}

function createFile(context: TestContext, content: string): string {
  const file = join(createFolder(context), 'secret');
  writeFileSync(file, content);
  return file;
}
