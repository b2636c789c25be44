/**
 * Reads the settings from the environment; no other file does. All mistakes are reported at once, and any
 * mistake keeps the process from starting. An empty value counts as absent.
 */
import { readFileSync } from 'node:fs';
import { readTlsOptions, type TlsFiles } from './http/tls.ts';
import { MASK, RETIRED, settings, type Setting } from './settings.ts';
import { reasonOf } from './telemetry/error-text.ts';

type Settings = typeof settings;

/** The value of every setting. */
export type Config = {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer Value> ? Value : never;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ConfigOutcome =
  | {
    readonly kind: 'valid';
    readonly config: Config;
    /** The retired settings that are set, each with what replaces it. */
    readonly retired: Readonly<Record<string, string>>;
  }
  | { readonly kind: 'invalid'; readonly mistakes: readonly string[] };

/** The value of a setting, or a sentence that says what is wrong with its text. */
type Reading<Value> = { readonly value: Value } | { readonly mistake: string };

const entries = Object.entries<Setting<unknown>>(settings);

export function readConfig(environment: Environment = process.env): ConfigOutcome {
  const mistakes = findMisspeltNames(environment);
  const wrong = new Set<string>();
  const values = entries.map(([key, setting]) => {
    const reading = readSetting(setting, environment);
    if ('mistake' in reading) {
      mistakes.push(reading.mistake);
      wrong.add(key);
    }
    return [key, 'value' in reading ? reading.value : undefined];
  });
  // Each value has the type that the table declares.
  const config = Object.fromEntries(values) as Config;
  for (const { between, find } of CONTRADICTIONS) {
    mistakes.push(...(between.some((key) => wrong.has(key)) ? [] : find(config)));
  }
  return mistakes.length > 0
    ? { kind: 'invalid', mistakes }
    : { kind: 'valid', config, retired: findRetired(environment) };
}

/** Lists the retired settings that are set. They are ignored: nothing that they say takes effect. */
function findRetired(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(RETIRED).filter(([name]) => environment[name]));
}

/** Lists the settings by name, as the environment would give them, with secrets masked. */
export function listSettings(environment: Environment = process.env): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.map(([, setting]) => [setting.name, showSetting(setting, environment)]));
}

function showSetting({ name, fallback, isSecret, mask }: Setting<unknown>, environment: Environment): string {
  const text = environment[name];
  if (text) {
    return mask(text);
  }
  return isSecret && environment[`${name}_FILE`] ? MASK : fallback;
}

function readSetting(setting: Setting<unknown>, environment: Environment): Reading<unknown> {
  const reading = readText(setting, environment);
  if ('mistake' in reading) {
    return reading;
  }
  const text = reading.value || setting.fallback;
  if (text === '') {
    return { value: undefined };
  }
  const value = setting.parse(text);
  const quoted = setting.isSecret ? '' : ` ${JSON.stringify(text)}`;
  return value === undefined
    ? { mistake: `Cannot read ${setting.name}${quoted}: expected ${setting.expectation}` }
    : { value };
}

/** Reads the text of a setting. The file of a secret may end in a line break, which is removed. */
function readText(
  { name, isSecret }: Setting<unknown>,
  environment: Environment,
): Reading<string | undefined> {
  const file = isSecret ? environment[`${name}_FILE`] : undefined;
  if (!file) {
    return { value: environment[name] };
  }
  if (environment[name]) {
    return { mistake: `Cannot choose between ${name} and ${name}_FILE: expected one of them` };
  }
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    return { mistake: `Cannot read the file "${file}" that ${name}_FILE names: ${reasonOf(error)}` };
  }
}

/**
 * Contradictions between settings that are valid one by one. Settings are compared only if all of them could
 * be read.
 */
const CONTRADICTIONS: readonly {
  readonly between: readonly (keyof Config)[];
  readonly find: (config: Config) => readonly string[];
}[] = [
  {
    between: ['adminUsername', 'adminPassword'],
    find: ({ adminUsername, adminPassword }) =>
      (adminUsername === undefined) === (adminPassword === undefined)
        ? []
        : ['Cannot create an administrator: expected both ADMIN_USERNAME and ADMIN_PASSWORD, or neither'],
  },
  {
    between: ['tokenLifetimeSeconds', 'tokenLifetimeSecondsMax'],
    find: ({ tokenLifetimeSeconds, tokenLifetimeSecondsMax }) =>
      tokenLifetimeSeconds > tokenLifetimeSecondsMax
        ? ['Cannot use TOKEN_LIFETIME_SECONDS: expected at most TOKEN_MAX_LIFETIME_SECONDS']
        : [],
  },
  { between: ['tlsCertFile', 'tlsKeyFile'], find: findTlsFault },
];

function findTlsFault(config: Config): readonly string[] {
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    return ['Cannot serve HTTPS: expected both TLS_CERT_FILE and TLS_KEY_FILE, or neither'];
  }
  const files = toTlsFiles(config);
  try {
    if (files !== undefined) {
      readTlsOptions(files);
    }
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

/** @returns The files of the certificate and its key, or `undefined` to serve plain HTTP. */
export function toTlsFiles(
  { tlsCertFile: certFile, tlsKeyFile: keyFile }: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>,
): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/**
 * Finds misspelt names of settings. The environment holds many variables of other programs, so a name counts
 * as a mistake only if it is nearly the name of a setting.
 */
function findMisspeltNames(environment: Environment): string[] {
  const known = entries.flatMap(([, { name, isSecret }]) => (isSecret ? [name, `${name}_FILE`] : [name]));
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && !(name in RETIRED))
    .flatMap((name) => {
      const meant = known.find((candidate) => isSlip(name, candidate));
      return meant === undefined ? [] : [`Unknown setting ${name}: did you mean ${meant}?`];
    });
}

/**
 * True for names that differ by one letter: one too many, one too few, or a wrong one. Short names never
 * match, because environments have variables such as PORTS, POST and HOSTS.
 */
export function isSlip(written: string, meant: string, lengthMin = 6): boolean {
  let start = 0;
  while (start < written.length && written[start] === meant[start]) {
    start += 1;
  }
  const [left, right] = [written.slice(start), meant.slice(start)];
  const isOneEdit = left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
  return isOneEdit && meant.length >= lengthMin;
}
