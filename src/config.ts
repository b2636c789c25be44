/**
 * Reads the settings from the environment; no other file does. Every mistake is reported at once, and with one the process
 * does not start. An empty value counts as absent.
 */
import { readFileSync } from 'node:fs';
import { readTlsOptions, type TlsFiles } from './http/tls.ts';
import { MASK, settings, type Setting } from './settings.ts';

type Settings = typeof settings;

/** The value of every setting; of those that may be absent, `undefined`. */
export type Config = {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer Value>
    ? Key extends 'adminUsername' | 'adminPassword' | 'noColor' | 'metricsToken' | 'basePath' | 'tlsCertFile' | 'tlsKeyFile' | 'trustedProxies' ? Value | undefined : Value
    : never;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ConfigOutcome =
  | { readonly kind: 'valid'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly mistakes: readonly string[] };

export function readConfig(environment: Environment = process.env): ConfigOutcome {
  const mistakes: string[] = findMisspeltNames(environment);
  const entries = Object.entries<Setting<unknown>>(settings).map(([key, entry]) => [key, readSetting(entry, environment, mistakes)]);
  const config = Object.fromEntries(entries) as Config; // key by key what the table says
  mistakes.push(...findContradictions(config));
  return mistakes.length > 0 ? { kind: 'invalid', mistakes } : { kind: 'valid', config };
}

/** The settings as they would be written in the environment, one a line, secrets masked. */
export function printConfig(environment: Environment = process.env): string {
  return Object.values<Setting<unknown>>(settings)
    .map((entry) => `${entry.name}=${showSetting(entry, environment)}\n`)
    .join('');
}

function showSetting({ name, fallback, isSecret, mask }: Setting<unknown>, environment: Environment): string {
  const text = environment[name];
  if (text) {
    return mask(text);
  }
  return isSecret && environment[`${name}_FILE`] ? MASK : fallback;
}

function readSetting(entry: Setting<unknown>, environment: Environment, mistakes: string[]): unknown {
  const text = readText(entry, environment, mistakes) || entry.fallback;
  if (text === '') {
    return undefined;
  }
  const value = entry.parse(text);
  if (value === undefined) {
    const quoted = entry.isSecret ? '' : ` ${JSON.stringify(text)}`;
    mistakes.push(`Cannot read ${entry.name}${quoted}: expected ${entry.expectation}`);
  }
  return value;
}

/** A secret's file may end in a line end, which is not part of it. */
function readText({ name, isSecret }: Setting<unknown>, environment: Environment, mistakes: string[]): string | undefined {
  const file = isSecret ? environment[`${name}_FILE`] : undefined;
  if (!file) {
    return environment[name];
  }
  if (environment[name]) {
    mistakes.push(`Cannot choose between ${name} and ${name}_FILE: expected one of them`);
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    mistakes.push(`Cannot read the file "${file}" that ${name}_FILE names: ${code ?? 'unknown error'}`);
    return undefined;
  }
}

function findContradictions(config: Config): string[] {
  const contradictions: string[] = [];
  if ((config.adminUsername === undefined) !== (config.adminPassword === undefined)) {
    contradictions.push('Cannot create an administrator: expected both ADMIN_USERNAME and ADMIN_PASSWORD, or neither');
  }
  if (config.workers > 1 && config.database?.driver === 'sqlite' && config.database.path === ':memory:') {
    contradictions.push('Cannot share a database in memory: expected WORKERS=1, or a file in DATABASE_URL');
  }
  if (config.tokenLifetimeSeconds > config.tokenLifetimeSecondsMax) {
    contradictions.push('Cannot use TOKEN_LIFETIME_SECONDS: expected at most TOKEN_MAX_LIFETIME_SECONDS');
  }
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    contradictions.push('Cannot serve HTTPS: expected both TLS_CERT_FILE and TLS_KEY_FILE, or neither');
  }
  contradictions.push(...findTlsFault(config));
  return contradictions;
}

/** @returns The files of the certificate and its key, or `undefined` to serve plain HTTP. */
export function toTlsFiles({ tlsCertFile: certFile, tlsKeyFile: keyFile }: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

function findTlsFault(config: Config): string[] {
  const files = toTlsFiles(config);
  try {
    if (files !== undefined) {
      readTlsOptions(files);
    }
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * The environment is full of names that are not ours, so an unknown name can only be told when it is nearly a known one:
 * the same but for case and underscores, or a known one cut short or continued, as in `TOKEN_LIFETIME`.
 */
function findMisspeltNames(environment: Environment): string[] {
  const entries = Object.values<Setting<unknown>>(settings);
  const known = new Set(entries.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])));
  const compounds = [...known].filter((name) => name.includes('_'));
  return Object.keys(environment)
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const meant = compounds.find((candidate) => isNearly(name, candidate));
      return meant === undefined ? [] : [`Unknown setting ${name}: expected ${meant}`];
    });
}

function isNearly(name: string, candidate: string): boolean {
  const [left, right] = [name, candidate].map((text) => text.toUpperCase().replaceAll('_', ''));
  const isPart = name.includes('_') && (candidate.startsWith(`${name}_`) || name.startsWith(`${candidate}_`));
  return left === right || isPart;
}
