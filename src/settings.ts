/**
 * The settings of the service, as one table: name, form, default, and a sentence for operators. `--help` and
 * the pages print the same rows. Limits with one right value are constants, next to the code that uses them.
 */
import { parseDatabaseUrl, type DatabaseLocation } from './database/location.ts';
import { parseTrustedProxies, type IsTrusted } from './http/client-address.ts';
import { LOG_LEVELS } from './telemetry/log.ts';

/** The form of a value. */
interface Form<Value> {
  readonly expectation: string;
  /** @returns `undefined` for any text other than the expectation describes. */
  readonly parse: (text: string) => Value | undefined;
  /** Makes the text that is shown. Only a secret has it. */
  readonly mask?: (text: string) => string;
}

export interface Setting<Value> extends Form<Value> {
  readonly name: string;
  /** The default, as written in the environment; empty for a setting that is absent by default. */
  readonly fallback: string;
  readonly description: string;
}

/** The text that is shown in place of a secret. */
export const MASK = '********';

const SECONDS_MAX = 3_153_600_000; // a century

const text: Form<string> = { expectation: 'a text', parse: (value) => value };
const databaseUrl: Form<DatabaseLocation> = {
  expectation: 'sqlite:<file>[?synchronous=normal], sqlite::memory: ' +
    'or rqlite://[user:password@]host:port[,host:port…][?tls=1]',
  parse: parseDatabaseUrl,
  // Any text that is no URL of a database might be a password.
  mask: (url) => parseDatabaseUrl(url) ? url.replace(/^(rqlite:\/\/).*@/, `$1${MASK}@`) : MASK,
};
const networks: Form<IsTrusted> = {
  expectation: 'addresses and networks such as 127.0.0.1,10.0.0.0/8', parse: parseTrustedProxies,
};
/** The characters that an `Authorization` field can carry (RFC 6750 §2.1). */
const bearerToken = pattern(/^[A-Za-z0-9\-._~+/]+=*$/, 'letters, digits and -._~+/');
const origin =
  pattern(/^(\*|https?:\/\/[A-Za-z0-9.\-[\]:]+)$/, '* or an origin such as https://console.example');
const path = pattern(
  /^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]+)+$/, 'a path such as /rollcall, without a slash at its end',
);

export const settings = {
  host: setting('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting('PORT', integer(0, 65_535), '8080',
    'Port to listen on; `0` lets the system choose a free one.'),
  database: setting('DATABASE_URL', databaseUrl, 'sqlite:data/service.sqlite',
    'Where the data is: a file, readable by its owner only, or `rqlite://host:port,…`, a cluster. ' +
    'With `?synchronous=normal` after the file, a power cut may lose the last writes.'),
  logLevel: setting('LOG_LEVEL', choice(...LOG_LEVELS), 'info', 'The lowest level of log lines to write.'),
  logFormat: setting('LOG_FORMAT', choice('auto', 'json', 'pretty'), 'auto',
    '`json` writes a JSON object a line, `pretty` short lines for people; ' +
    '`auto` is `pretty` at a terminal, else `json`.'),
  basePath: optional('BASE_PATH', path, 'A path, such as `/rollcall`, below which everything is served.'),
  tlsCertFile: optional('TLS_CERT_FILE', text, 'A certificate chain (PEM), to serve HTTPS instead of HTTP.'),
  tlsKeyFile: optional('TLS_KEY_FILE', text, 'The private key of that certificate (PEM).'),
  metrics: setting('METRICS', choice('off', 'on'), 'off',
    '`on` serves metrics for Prometheus at `/metrics`.'),
  metricsToken: optional('METRICS_TOKEN', secret(bearerToken),
    'The bearer token that `/metrics` requires; without one, `/metrics` is public.'),
  corsOrigin: setting('CORS_ORIGIN', origin, '*', 'The origin whose scripts may call the service.'),
  trustedProxies: optional('TRUST_PROXY', networks,
    'Addresses or networks (CIDR) of proxies, separated by commas, whose `X-Forwarded-` fields and ' +
    '`X-Request-Id` are believed.'),

  registration: setting('REGISTRATION', choice('open', 'closed'), 'open',
    '`closed` lets only administrators create users.'),
  directory: setting('DIRECTORY', choice('open', 'closed'), 'open',
    '`closed` shows plain users only themselves and their own projects.'),
  passwordLengthMin: setting('PASSWORD_MIN_LENGTH', integer(1, 1024), '1',
    'Fewest characters of a new password; from 8 on, the most common passwords are refused too.'),
  adminUsername: optional('ADMIN_USERNAME', text,
    'Name of the first administrator, created when there is none.'),
  adminPassword: optional('ADMIN_PASSWORD', secret(text), 'Password of the first administrator.'),
  adminEmail: setting('ADMIN_EMAIL', text, 'admin@localhost', 'Address of the first administrator.'),

  projectsPerUserMax: setting('MAX_PROJECTS_PER_USER', integer(1, 1_000_000), '2000',
    'Most projects that a user may own.'),
  tokensPerUserMax: setting('MAX_TOKENS_PER_USER', integer(1, 100_000), '1000',
    'Most valid tokens that a user may have.'),
  changesPerUserMax: setting('MAX_CHANGES_PER_USER', integer(0, 1_000_000_000), '20000',
    'Most changes of a user in an hour, administrators excepted; `0` is no limit.'),
  tokenLifetimeSeconds: setting('TOKEN_LIFETIME_SECONDS', integer(1, SECONDS_MAX), '600',
    'Lifetime of a token when the request names no `expiration`.'),
  tokenLifetimeSecondsMax: setting('TOKEN_MAX_LIFETIME_SECONDS', integer(1, SECONDS_MAX), '31536000',
    'Longest lifetime of a token that a request may name.'),
  failuresPerNameMax: setting('SIGN_IN_FAILURES_PER_NAME', integer(1, 1_000_000), '100',
    'Failed sign-ins for one address and username within 5 minutes before refusal.'),
  auditRetentionSeconds: setting('AUDIT_RETENTION_SECONDS', integer(0, SECONDS_MAX), '0',
    'How long an audit event is kept, give or take a hundredth; `0` keeps it for ever.'),
  shutdownDelayMs: setting('SHUTDOWN_DELAY_MS', integer(0, 3_600_000), '0',
    'Time after SIGTERM or SIGINT during which requests are still served, while `/readyz` answers 503.'),
} as const;

/** Settings of earlier versions, and what replaces each. One warning names those that are still set. */
export const RETIRED: Readonly<Record<string, string>> = {
  AUTH_CACHE_SECONDS: 'a right password is remembered for 60 seconds',
  HEADERS_TIMEOUT_MS: 'header fields have 10 seconds to arrive',
  IDLE_TIMEOUT_MS: 'a connection without traffic is closed after 300 seconds',
  KEEP_ALIVE_TIMEOUT_MS: 'an idle connection is kept for 65 seconds',
  MAX_BODY_BYTES: 'each operation has its own limit, at most 32768 bytes',
  MAX_CONNECTIONS: 'an address may have 1024 connections; all together have no limit',
  MAX_CONNECTIONS_PER_ADDRESS: 'an address may have 1024 connections',
  MAX_HEADER_BYTES: 'request line and header fields may have 16384 bytes',
  MAX_HEADER_FIELDS: 'a request may have 100 header fields',
  MAX_REQUESTS_PER_CONNECTION: 'a connection may send any number of requests',
  MAX_URL_BYTES: 'path and query may have 12288 bytes together',
  PASSWORD_POLICY: 'PASSWORD_MIN_LENGTH=8 or more also refuses common passwords',
  PASSWORD_WAIT_MS: 'a password waits for at most a minute',
  REQUEST_TIMEOUT_MS: 'a request has 20 seconds to arrive',
  RESPONSE_TIMEOUT_MS: 'a client has 60 seconds to take a response',
  SHUTDOWN_TIMEOUT_MS: 'requests in flight have 8 seconds to finish',
  SIGN_IN_FAILURES_PER_ADDRESS: 'an address may fail 1000 times in 5 minutes',
  SIGN_IN_WINDOW_SECONDS: 'failed sign-ins are counted for 5 minutes',
  TIMEOUT_CHECK_INTERVAL_MS: 'deadlines are checked every 2 seconds',
  TOKEN_RETENTION_SECONDS: 'the record of a token is kept for 30 days after its end',
  WORKERS: 'one process serves',
};

/** A secret may also be given as the name of a file. */
export function namesOf({ name, mask }: Setting<unknown>): readonly string[] {
  return mask === undefined ? [name] : [name, `${name}_FILE`];
}

function setting<Value>(
  name: string, form: Form<Value>, fallback: string, description: string,
): Setting<Value> {
  return { name, ...form, fallback, description };
}

/** Makes a setting that is absent by default. */
function optional<Value>(name: string, form: Form<Value>, description: string): Setting<Value | undefined> {
  return setting<Value | undefined>(name, form, '', description);
}

function integer(min: number, max: number): Form<number> {
  return {
    expectation: `an integer from ${min} to ${max}`,
    parse(text) {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

function choice<Word extends string>(...words: readonly Word[]): Form<Word> {
  return {
    expectation: words.join(', ').replace(/, ([^,]*)$/, ' or $1'),
    parse: (text) => words.find((word) => word === text),
  };
}

function secret(form: Form<string>): Form<string> {
  return { ...form, mask: () => MASK };
}

function pattern(regExp: RegExp, expectation: string): Form<string> {
  return { expectation, parse: (text) => (regExp.test(text) ? text : undefined) };
}
