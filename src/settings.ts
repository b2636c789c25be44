/**
 * The settings of the service, as one table: name, default, how it is written, and a sentence for operators.
 */
import { parseDatabaseUrl } from './database/location.ts';
import { parseTrustedProxies } from './http/client-address.ts';
import { LOG_LEVELS } from './telemetry/log.ts';

/** A kind of value. `parse` returns `undefined` for all text other than `expectation` describes. */
interface Kind<Value> {
  readonly expectation: string;
  readonly parse: (text: string) => Value | undefined;
}

export interface Setting<Value> extends Kind<Value> {
  readonly name: string;
  /** The default, as written in the environment; empty for a setting that is absent by default. */
  readonly fallback: string;
  /** A sentence for operators. */
  readonly description: string;
  /** A secret is shown masked, and may also be given as the name of a file, in `<name>_FILE`. */
  readonly isSecret: boolean;
  readonly mask: (text: string) => string;
}

/** The text that is shown in place of a secret. */
export const MASK = '********';

function setting<Value>(
  name: string,
  fallback: string,
  kind: Kind<Value>,
  description: string,
): Setting<Value> {
  return { name, fallback, ...kind, description, isSecret: false, mask: (text) => text };
}

/** Makes a setting that is absent by default. */
function optional<Value>(name: string, kind: Kind<Value>, description: string): Setting<Value | undefined> {
  return setting<Value | undefined>(name, '', kind, description);
}

function secret<Value>(plain: Setting<Value>, mask: (text: string) => string = () => MASK): Setting<Value> {
  return { ...plain, isSecret: true, mask };
}

function integer(min: number, max: number): Kind<number> {
  return {
    expectation: `an integer from ${min} to ${max}`,
    parse(text) {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

function oneOf<Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    expectation: words.join(', ').replace(/, ([^,]*)$/, ' or $1'),
    parse: (text) => words.find((word) => word === text),
  };
}

const text: Kind<string> = { expectation: 'a text', parse: (value) => value };
const databaseUrl = {
  expectation:
    'sqlite:<file>[?synchronous=normal], sqlite::memory: ' +
    'or rqlite://[user:password@]host:port[,host:port…][?tls=1]',
  parse: parseDatabaseUrl,
};
const corsOrigin: Kind<string> = {
  expectation: '* or an origin such as https://console.example',
  parse: (value) => (/^(\*|https?:\/\/[A-Za-z0-9.\-[\]:]+)$/.test(value) ? value : undefined),
};
const basePath: Kind<string> = {
  expectation: 'a path such as /rollcall, without a slash at its end',
  parse: (value) => (/^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]+)+$/.test(value) ? value : undefined),
};
/** A token in the characters that an `Authorization` field can carry (RFC 6750 §2.1). */
const bearerToken: Kind<string> = {
  expectation: 'letters, digits and -._~+/',
  parse: (value) => (/^[A-Za-z0-9\-._~+/]+=*$/.test(value) ? value : undefined),
};
const trustedProxies = {
  expectation: 'addresses and networks such as 127.0.0.1,10.0.0.0/8', parse: parseTrustedProxies,
};

const HOUR_MS = 3_600_000;
const CENTURY_SECONDS = 3_153_600_000;

export const settings = {
  host: setting('HOST', '127.0.0.1', text, 'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting(
    'PORT', '8080', integer(0, 65_535), 'Port to listen on; `0` lets the system choose a free one.',
  ),
  database: secret(
    setting(
      'DATABASE_URL',
      'sqlite:data/service.sqlite',
      databaseUrl,
      'Where the data is: a file, readable by its owner only, or `rqlite://host:port,…`, a cluster. ' +
        'With `?synchronous=normal` after the file, a power cut may lose the last writes.',
    ),
    maskDatabaseUrl,
  ),
  logLevel: setting(
    'LOG_LEVEL', 'info', oneOf(...LOG_LEVELS), 'The lowest level of log lines to write.',
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    oneOf('auto', 'json', 'pretty'),
    '`json` writes a JSON object a line, `pretty` short lines for people; ' +
      '`auto` is `pretty` at a terminal, else `json`.',
  ),
  basePath: optional(
    'BASE_PATH',
    basePath,
    'A path, such as `/rollcall`, below which everything is served.',
  ),
  tlsCertFile: optional(
    'TLS_CERT_FILE',
    text,
    'A certificate chain (PEM), to serve HTTPS instead of HTTP.',
  ),
  tlsKeyFile: optional('TLS_KEY_FILE', text, 'The private key of that certificate (PEM).'),
  metrics: setting('METRICS', 'off', oneOf('off', 'on'), '`on` serves metrics for Prometheus at `/metrics`.'),
  metricsToken: secret(
    optional(
      'METRICS_TOKEN',
      bearerToken,
      'The bearer token that `/metrics` requires; without one, `/metrics` is public.',
    ),
  ),
  corsOrigin: setting('CORS_ORIGIN', '*', corsOrigin, 'The origin whose scripts may call the service.'),
  trustedProxies: optional(
    'TRUST_PROXY',
    trustedProxies,
    'Addresses or networks (CIDR) of proxies, separated by commas, whose `X-Forwarded-For` and ' +
      '`X-Request-Id` are believed.',
  ),

  registration: setting(
    'REGISTRATION', 'open', oneOf('open', 'closed'), '`closed` lets only administrators create users.',
  ),
  directory: setting(
    'DIRECTORY', 'open', oneOf('open', 'closed'),
    '`closed` shows plain users only themselves and their own projects.',
  ),
  passwordLengthMin: setting(
    'PASSWORD_MIN_LENGTH', '1', integer(1, 1024),
    'Fewest characters of a new password; from 8 on, the most common passwords are refused too.',
  ),
  adminUsername: optional(
    'ADMIN_USERNAME',
    text,
    'Name of the first administrator, created when there is none.',
  ),
  adminPassword: secret(optional('ADMIN_PASSWORD', text, 'Password of the first administrator.')),
  adminEmail: setting('ADMIN_EMAIL', 'admin@localhost', text, 'Address of the first administrator.'),

  projectsPerUserMax: setting(
    'MAX_PROJECTS_PER_USER', '2000', integer(1, 1_000_000), 'Most projects that a user may own.',
  ),
  tokensPerUserMax: setting(
    'MAX_TOKENS_PER_USER', '1000', integer(1, 100_000), 'Most valid tokens that a user may have.',
  ),
  changesPerUserMax: setting(
    'MAX_CHANGES_PER_USER', '20000', integer(0, 1_000_000_000),
    'Most changes of a user in an hour, administrators excepted; `0` is no limit.',
  ),

  tokenLifetimeSeconds: setting(
    'TOKEN_LIFETIME_SECONDS', '600', integer(1, CENTURY_SECONDS),
    'Lifetime of a token when the request names no `expiration`.',
  ),
  tokenLifetimeSecondsMax: setting(
    'TOKEN_MAX_LIFETIME_SECONDS', '31536000', integer(1, CENTURY_SECONDS),
    'Longest lifetime of a token that a request may name.',
  ),
  auditRetentionSeconds: setting(
    'AUDIT_RETENTION_SECONDS', '0', integer(0, CENTURY_SECONDS),
    'How long an audit event is kept, give or take a hundredth; `0` keeps it for ever.',
  ),
  failuresPerNameMax: setting(
    'SIGN_IN_FAILURES_PER_NAME', '100', integer(1, 1_000_000),
    'Failed sign-ins for one address and username within 5 minutes before refusal.',
  ),

  shutdownDelayMs: setting(
    'SHUTDOWN_DELAY_MS', '0', integer(0, HOUR_MS),
    'Time after SIGTERM or SIGINT during which requests are still served, while `/readyz` answers 503.',
  ),
} as const;

/**
 * Settings of earlier versions, and what replaces each. They are named in a warning at the start, for one
 * minor version, and change nothing.
 */
export const RETIRED: Readonly<Record<string, string>> = {
  AUTH_CACHE_SECONDS: 'a right password is remembered for 60 seconds',
  HEADERS_TIMEOUT_MS: 'header fields have 10 seconds to arrive',
  IDLE_TIMEOUT_MS: 'a connection without traffic is closed after 30 seconds',
  KEEP_ALIVE_TIMEOUT_MS: 'an idle connection is kept for 65 seconds',
  MAX_BODY_BYTES: 'each operation has its own limit, at most 32768 bytes',
  MAX_CONNECTIONS: 'an address may have 1024 connections; all together have no limit',
  MAX_CONNECTIONS_PER_ADDRESS: 'an address may have 1024 connections',
  MAX_HEADER_BYTES: 'request line and header fields may have 16384 bytes',
  MAX_HEADER_FIELDS: 'a request may have 100 header fields',
  MAX_REQUESTS_PER_CONNECTION: 'a connection is closed after 100000 requests',
  MAX_URL_BYTES: 'path and query may have 12288 bytes together',
  PASSWORD_POLICY: 'PASSWORD_MIN_LENGTH=8 or more also refuses common passwords',
  PASSWORD_WAIT_MS: 'a password waits for at most 30 seconds',
  REQUEST_TIMEOUT_MS: 'a request has 20 seconds to arrive',
  RESPONSE_TIMEOUT_MS: 'a client has 60 seconds to take a response',
  SHUTDOWN_TIMEOUT_MS: 'requests in flight have 8 seconds to finish',
  SIGN_IN_FAILURES_PER_ADDRESS: 'an address may fail 1000 times in 5 minutes',
  SIGN_IN_WINDOW_SECONDS: 'failed sign-ins are counted for 5 minutes',
  TIMEOUT_CHECK_INTERVAL_MS: 'deadlines are checked every 2 seconds',
  TOKEN_RETENTION_SECONDS: 'the record of a token is kept for 30 days after its end',
  WORKERS: 'one process serves',
};

/**
 * Masks the credentials in the URL of a database. Masks any other text in full: it might be a password.
 */
function maskDatabaseUrl(url: string): string {
  return parseDatabaseUrl(url) === undefined ? MASK : url.replace(/^(rqlite:\/\/).*@/, `$1${MASK}@`);
}
