/**
 * Reads the settings from the environment; no other file does. All mistakes are reported at once, and any
 * mistake keeps the process from starting. An empty value counts as absent.
 */
import { readFileSync } from 'node:fs';
import { readTlsOptions, type TlsFiles } from './http/tls.ts';
import { constants, MASK, settings, type Setting } from './settings.ts';
import { reasonOf } from './telemetry/error-text.ts';

type Settings = typeof settings;

/** The value of every setting and constant. */
export type Config = Readonly<typeof constants> & {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer Value> ? Value : never;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ConfigOutcome =
  | { readonly kind: 'valid'; readonly config: Config }
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
  const config = { ...constants, ...Object.fromEntries(values) } as Config;
  for (const { between, find } of CONTRADICTIONS) {
    mistakes.push(...(between.some((key) => wrong.has(key)) ? [] : find(config)));
  }
  mistakes.push(...findLostRule(environment, config));
  return mistakes.length > 0 ? { kind: 'invalid', mistakes } : { kind: 'valid', config };
}

/** Earlier releases read `PASSWORD_POLICY`. Ignoring it silently could accept common passwords again. */
function findLostRule(
  { PASSWORD_POLICY: policy }: Environment, { passwordLengthMin, commonPasswordsRefusedFrom: min }: Config,
): string[] {
  return policy === 'strict' && passwordLengthMin < min
    ? [`Cannot keep PASSWORD_POLICY=strict: expected PASSWORD_MIN_LENGTH=${min} or more instead, ` +
      'which refuses common passwords']
    : [];
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
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((candidate) => isNearly(name, candidate));
      return meant === undefined ? [] : [`Unknown setting ${name}: did you mean ${meant}?`];
    });
}

/**
 * True for names that differ only in case, underscores or one slip, such as `REGISTRATON`. Also true for a
 * name of several words that was cut short or continued, such as `TOKEN_LIFETIME`. Lower-case names of one
 * word never match, because shells and proxies have such variables.
 */
function isNearly(name: string, candidate: string): boolean {
  const isCompound = candidate.includes('_');
  const [written = '', meant = ''] = [name, candidate].map((text) => text.toUpperCase().replaceAll('_', ''));
  const isPart = isCompound && name.includes('_')
    && (candidate.startsWith(`${name}_`) || name.startsWith(`${candidate}_`));
  const isOneWord = !isCompound && name !== name.toUpperCase();
  return isPart || (!isOneWord && (written === meant || isSlip(written, meant)));
}

/**
 * Tells whether two different words are the same but for one slip: a letter too many, too few or wrong, or
 * two neighbours swapped (Damerau-Levenshtein distance 1).
 *
 * @param lengthMin - In a shorter word, only swapped neighbours and a doubled letter count. An environment
 *   may have variables such as PORTS, POST or SORT, which are not misspelt forms of PORT.
 */
export function isSlip(written: string, meant: string, lengthMin = 6): boolean {
  const shorter = Math.min(written.length, meant.length);
  let start = 0;
  while (start < shorter && written[start] === meant[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === meant.at(-1 - end)) {
    end += 1;
  }
  const [left = '', right = ''] = [written, meant].map((word) => word.slice(start, word.length - end));
  const isSwap = left.length === 2 && left === `${right[1]}${right[0]}`;
  const isDoubled = right === '' && left === written[start - 1];
  const isOneEdit = left.length <= 1 && right.length <= 1;
  return isSwap || isDoubled || (isOneEdit && meant.length >= lengthMin);
}
