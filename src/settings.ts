/** The table of the settings. `--help` and the documentation pages show this table. */
import { parseDatabaseUrl, type DatabaseLocation } from './database/location.ts';
import { parseTrustedProxies, type IsTrusted } from './http/client-address.ts';
import { LOG_LEVELS } from './telemetry/log.ts';

export interface Setting<Value> {
  readonly name: string;
  readonly expectation: string;
  /** @returns `undefined` if the text does not meet `expectation`. */
  readonly parse: (text: string) => Value | undefined;
  /** Hides the secret part of a valid value; absent for a setting that is not secret. */
  readonly mask?: (text: string) => string;
  /** The default, written as in the environment; empty if the setting has no default. */
  readonly fallback: string;
  readonly description: string;
}

type Form<Value> = Pick<Setting<Value>, 'expectation' | 'parse' | 'mask'>;

export const MASK = '********';

const SECONDS_MAX = 3_153_600_000; // a century

const text = pattern(/^[^]+$/, 'a text of at least one character');
const secret = { ...text, mask: () => MASK };
const databaseUrl: Form<DatabaseLocation> = {
  expectation: 'sqlite:<file>[?synchronous=normal], sqlite::memory: ' +
    'or rqlite://[user:password@]host:port[,host:port…][?tls=1]',
  parse: parseDatabaseUrl,
  mask: (url) => url.replace(/^(rqlite:\/\/).*@/, `$1${MASK}@`),
};
const networks: Form<IsTrusted> = {
  expectation: 'addresses and networks such as 127.0.0.1,10.0.0.0/8', parse: parseTrustedProxies,
};
/** The characters that a bearer token may have (RFC 6750 §2.1). */
const bearerToken = { ...secret, ...pattern(/^[A-Za-z0-9\-._~+/]+=*$/, 'letters, digits and -._~+/') };
const origin =
  pattern(/^(\*|https?:\/\/[A-Za-z0-9.\-[\]:]+)$/, '* or an origin such as https://console.example');
const path =
  pattern(/^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]+)+$/, 'a path such as /rollcall, without a slash at its end');

export const settings = {
  host: setting('HOST', text, '127.0.0.1',
    'Address to listen on, where `0.0.0.0` or `::` means every address.'),
  port: setting('PORT', integer(0, 65_535), '8080', 'Port to listen on, where `0` chooses a free port.'),
  database: setting('DATABASE_URL', databaseUrl, 'sqlite:data/service.sqlite',
    'URL of a database file, or of a cluster (`rqlite://host:port,…`). ' +
    'With `?synchronous=normal` after the file name, a power cut may lose the last writes.'),
  logLevel: setting('LOG_LEVEL', choice(...LOG_LEVELS), 'info',
    'Lowest level of logged lines: `debug`, `info`, `warn` or `error`.'),
  logFormat: setting('LOG_FORMAT', choice('auto', 'json', 'pretty'), 'auto',
    'With `json`, each line of the log is a JSON object; with `pretty`, each line is a short text. ' +
    '`auto` means `pretty` at a terminal, and `json` elsewhere.'),
  basePath: setting('BASE_PATH', path, '', 'Prefix of all paths; for example, `/rollcall`.'),
  tlsCertFile: setting('TLS_CERT_FILE', text, '',
    'File with a certificate chain (PEM), to serve HTTPS instead of HTTP.'),
  tlsKeyFile: setting('TLS_KEY_FILE', text, '', 'File with the private key of the certificate (PEM).'),
  metrics: setting('METRICS', choice('off', 'on'), 'off', 'With `on`, `/metrics` serves Prometheus metrics.'),
  metricsToken: setting('METRICS_TOKEN', bearerToken, '',
    'The bearer token that `/metrics` requires; without this setting, `/metrics` is public.'),
  corsOrigin: setting('CORS_ORIGIN', origin, '*',
    'The only origin whose scripts may call the service; `*` permits every origin.'),
  trustedProxies: setting('TRUST_PROXY', networks, '',
    'Comma-separated addresses or networks of proxies that may set `X-Forwarded-*` and `X-Request-Id`.'),
  registration: setting('REGISTRATION', choice('open', 'closed'), 'open',
    'With `closed`, only administrators can create users.'),
  directory: setting('DIRECTORY', choice('open', 'closed'), 'open',
    'With `closed`, only administrators see other users and their projects.'),
  passwordLengthMin: setting('PASSWORD_MIN_LENGTH', integer(1, 1024), '1',
    'Minimum length of a new password. If the minimum is 8 or more, very common passwords are also refused.'),
  adminUsername: setting('ADMIN_USERNAME', text, '',
    'Name of the first administrator; if there is no administrator, the service creates this user.'),
  adminPassword: setting('ADMIN_PASSWORD', secret, '', 'Password of the first administrator.'),
  adminEmail: setting('ADMIN_EMAIL', text, 'admin@localhost', 'Email address of the first administrator.'),
  projectsPerUserMax: setting('MAX_PROJECTS_PER_USER', integer(1, 1_000_000), '2000',
    'Maximum number of projects that a user may own.'),
  tokensPerUserMax: setting('MAX_TOKENS_PER_USER', integer(1, 100_000), '1000',
    'Maximum number of valid tokens that a user may have.'),
  changesPerUserMax: setting('MAX_CHANGES_PER_USER', integer(0, 1_000_000_000), '20000',
    'Maximum number of changes that a user may make in an hour; `0` means no limit. ' +
    'Changes by administrators are unlimited.'),
  tokenLifetimeSeconds: setting('TOKEN_LIFETIME_SECONDS', integer(1, SECONDS_MAX), '600',
    'Lifetime, in seconds, of a token that is requested without `expiration`.'),
  tokenLifetimeSecondsMax: setting('TOKEN_MAX_LIFETIME_SECONDS', integer(1, SECONDS_MAX), '31536000',
    'Maximum lifetime of a token, in seconds.'),
  failuresPerNameMax: setting('SIGN_IN_FAILURES_PER_NAME', integer(1, 1_000_000), '100',
    'Maximum number of failed sign-ins from one address with one username within 5 minutes.'),
  auditRetentionSeconds: setting('AUDIT_RETENTION_SECONDS', integer(0, SECONDS_MAX), '0',
    'Seconds until an audit event is deleted, accurate to one percent; `0` keeps all events for ever.'),
  shutdownDelayMs: setting('SHUTDOWN_DELAY_MS', integer(0, 3_600_000), '0',
    'After SIGTERM or SIGINT, requests are served for this many milliseconds, but `/readyz` reports 503.'),
} as const;

/** The variable `<name>_FILE` can name a file that contains the secret. */
export function namesOf({ name, mask }: Setting<unknown>): readonly string[] {
  return mask === undefined ? [name] : [name, `${name}_FILE`];
}

/** The value of a setting without a default can be `undefined`. */
function setting<Value, Fallback extends string>(
  name: string, form: Form<Value>, fallback: Fallback, description: string,
): Setting<Fallback extends '' ? Value | undefined : Value> {
  return { name, ...form, fallback, description };
}

function integer(min: number, max: number): Form<number> {
  return {
    expectation: `an integer from ${min} to ${max}`,
    parse: (text) => (/^[0-9]{1,15}$/.test(text) && min <= +text && +text <= max ? +text : undefined),
  };
}

function choice<Word extends string>(...words: readonly Word[]): Form<Word> {
  return {
    expectation: words.join(', ').replace(/, ([^,]*)$/, ' or $1'),
    parse: (text) => words.find((word) => word === text),
  };
}

function pattern(regExp: RegExp, expectation: string): Form<string> {
  return { expectation, parse: (text) => (regExp.test(text) ? text : undefined) };
}
