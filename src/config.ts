/** Reads settings from the environment, and reports all mistakes at once. Empty settings count as absent. */
import { readFileSync } from 'node:fs';
import { readTlsOptions } from './http/tls.ts';
import { compileAccountCheck, newUser } from './resources/rules.ts';
import { MASK, namesOf, settings, type Setting } from './settings.ts';
import { reasonOf } from './telemetry/error-text.ts';

export type Config = {
  readonly [Key in keyof typeof settings]:
    (typeof settings)[Key] extends Setting<infer Value> ? Value : never;
};

type Environment = Readonly<Record<string, string | undefined>>;

const all: readonly Setting<unknown>[] = Object.values(settings);

export function readConfig(environment: Environment = process.env) {
  const mistakes = findMisspeltNames(environment);
  const config = Object.fromEntries(Object.entries<Setting<unknown>>(settings).map(([key, setting]) =>
    [key, readSetting(setting, environment, mistakes)])) as Config; // complete if there are no mistakes
  mistakes.push(...findContradictions(config, environment));
  return mistakes.length > 0
    ? { kind: 'invalid', mistakes } as const
    : { kind: 'valid', config } as const;
}

/** @returns The values of valid settings by name, written as in the environment, with secrets masked. */
export function listSettings(environment: Environment = process.env): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map((setting) => {
    const { name, fallback, mask = (text) => text } = setting;
    const text = environment[name];
    return [name, text ? mask(text) : isGiven(setting, environment) ? MASK : fallback];
  }));
}

function isGiven(setting: Setting<unknown>, environment: Environment): boolean {
  return namesOf(setting).some((name) => environment[name]);
}

/** Adds a sentence to `mistakes` for each mistake. @returns `undefined` if the value is absent or invalid. */
function readSetting(setting: Setting<unknown>, environment: Environment, mistakes: string[]): unknown {
  const { name, fallback, expectation, parse, mask } = setting;
  const file = mask && environment[`${name}_FILE`];
  let text = environment[name] || fallback;
  if (file && environment[name]) {
    return void mistakes.push(`Cannot choose between ${name} and ${name}_FILE: expected only one of them`);
  }
  try {
    text = file ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : text; // editors add a final line break
  } catch (error) {
    return void mistakes.push(`Cannot read the file "${file}" that ${name}_FILE names: ${reasonOf(error)}`);
  }
  if (text === '' && !file) {
    return undefined;
  }
  const given = file ? `_FILE "${file}"` : mask ? '' : ` ${JSON.stringify(text)}`;
  return parse(text) ?? void mistakes.push(`Cannot read ${name}${given}: expected ${expectation}`);
}

/** Finds mistakes in combinations of settings. An invalid setting has the value `undefined`. */
function* findContradictions(config: Config, environment: Environment): Generator<string> {
  for (const [failure, one, other] of [
    ['Cannot create an administrator', settings.adminUsername, settings.adminPassword],
    ['Cannot serve HTTPS', settings.tlsCertFile, settings.tlsKeyFile],
  ] as const) {
    if (isGiven(one, environment) !== isGiven(other, environment)) {
      yield `${failure}: expected both ${one.name} and ${other.name}, or neither`;
    }
  }
  const { passwordLengthMin = 1, adminUsername: username, adminPassword: password } = config;
  if (username !== undefined && password !== undefined) {
    const checkAccount = compileAccountCheck(newUser(passwordLengthMin));
    const { faults } = checkAccount({ username, password, email: config.adminEmail });
    yield* faults.map((fault) => `Cannot create the administrator ${JSON.stringify(username)}: ${fault}`);
  }
  if (config.tokenLifetimeSeconds > config.tokenLifetimeSecondsMax) {
    yield 'Cannot use TOKEN_LIFETIME_SECONDS: it is larger than TOKEN_MAX_LIFETIME_SECONDS';
  }
  try {
    readTls(config);
  } catch (error) {
    yield reasonOf(error);
  }
}

/** @returns `undefined` to serve plain HTTP. @throws If a file cannot be used. */
export function readTls({ tlsCertFile: certFile, tlsKeyFile: keyFile }: Config) {
  return certFile !== undefined && keyFile !== undefined ? readTlsOptions({ certFile, keyFile }) : undefined;
}

/**
 * A misspelt name is refused, so that `REGISTRATON=closed` does not leave registration open. The check
 * skips settings with short names, such as PORT, because variables such as PORTS are common.
 */
function findMisspeltNames(environment: Environment): string[] {
  const known = all.flatMap(namesOf);
  const unknown = Object.keys(environment).filter((name) => !known.includes(name));
  return unknown.flatMap((name) => {
    const meant = known.find((candidate) => candidate.length >= 6 && isSlip(name, candidate));
    return meant === undefined ? [] : [`Unknown setting ${name}: did you mean ${meant}?`];
  });
}

/**
 * True if `written` differs from `meant` by one added, missing or wrong letter, or by two adjacent letters
 * that are swapped.
 */
export function isSlip(written: string, meant: string): boolean {
  let start = 0;
  while (start < written.length && written[start] === meant[start]) {
    start += 1;
  }
  const [left, right] = [written.slice(start), meant.slice(start)];
  const swapped = left.slice(1, 2) + left.slice(0, 1) + left.slice(2);
  return [left.slice(1), swapped].includes(right) || [left, left.slice(1)].includes(right.slice(1));
}
