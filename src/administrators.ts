/**
 * Creates the first administrator from the settings; `admin.js` creates other administrators. Settings never
 * make an existing user an administrator, because a stranger could have registered the username.
 */
import type { Services } from './api/services.ts';
import type { Config } from './config.ts';
import { toProgramOrigin } from './model/audit.ts';
import { compileAccountCheck, newUser, type AccountRules } from './resources/rules.ts';
import type { Log } from './telemetry/log.ts';

export interface AccountParts extends Pick<Services, 'users' | 'clock'> {
  readonly passwords: Pick<Services['passwords'], 'createHash'>;
  readonly config: Config;
}

export async function ensureAdministrator(parts: AccountParts, log: Log): Promise<void> {
  const { adminUsername: username, adminPassword: password, adminEmail: email } = parts.config;
  if (await parts.users.hasAdministrator()) {
    return;
  }
  if (username === undefined || password === undefined) {
    log('info', 'there is no administrator yet: run the command admin create, or set ADMIN_USERNAME');
  } else if (await createAdministrator({ username, password, email }, parts, 'first')) {
    log('info', 'administrator created', { username });
  }
}

/**
 * @returns False if another program has just created the first administrator.
 * @throws Error if the account violates a rule, or if its username is taken.
 */
export async function createAdministrator(
  account: Readonly<Record<'username' | 'password' | 'email', string>>,
  { users, passwords, config, clock }: AccountParts,
  by: 'administrator' | 'first' = 'administrator',
): Promise<boolean> {
  const failure = `Cannot create the administrator "${account.username}"`;
  const { username, password, email } = accept(account, newUser(config.passwordLengthMin), failure);
  const user = { username, email, passwordHash: await passwords.createHash(password), isAdmin: true };
  const outcome = await users.insert(user, toProgramOrigin(clock), by);
  if (outcome.kind === 'refused' && outcome.reason === 'usernameTaken') {
    throw new Error(`${failure}: ${USERNAME_TAKEN}`);
  }
  return outcome.kind === 'changed';
}

export const USERNAME_TAKEN = 'the username is taken, perhaps by a stranger; choose another username';

/** @returns The account in normal form. @throws An error whose message begins with the text in `failure`. */
export function accept<Name extends string>(
  account: Readonly<Record<Name, string>>, rules: AccountRules<Name>, failure: string,
): Readonly<Record<Name, string>> {
  const { normal, faults } = compileAccountCheck(rules)(account);
  if (faults.length > 0) {
    throw new Error(`${failure}: ${faults.join('; ')}`);
  }
  return normal;
}
