/**
 * Creates administrators: the first one from the settings, others by `admin.js`. There is no built-in
 * password. Settings never promote an existing user, because anybody could have registered the name.
 */
import { PROGRAM } from './auth/client.ts';
import type { PasswordHasher } from './auth/password.ts';
import { toProgramOrigin } from './model/audit.ts';
import { toTimestamp, type Clock } from './model/clock.ts';
import type { PasswordHash } from './model/user.ts';
import {
  compileAccount, newPassword, newUser, type CheckedAccount, type PasswordRule,
} from './resources/rules.ts';
import { Failure } from './runtime.ts';
import type { UserStore } from './stores/users.ts';

export interface AccountParts {
  readonly users: UserStore;
  readonly passwords: PasswordHasher;
  readonly rule: PasswordRule;
  readonly clock: Clock;
}

type NewAccount = Readonly<Record<'username' | 'password' | 'email', string>>;

/** @returns True when the administrator was created; false when there is one already. */
export async function createFirstAdministrator(account: NewAccount, parts: AccountParts): Promise<boolean> {
  return !(await parts.users.hasAdministrator()) &&
    createAdministrator(account, parts, 'insertFirstAdministrator');
}

/** @throws Failure when the account is not acceptable, or its username is taken. */
export async function createAdministrator(
  account: NewAccount, parts: AccountParts, insert: 'insert' | 'insertFirstAdministrator' = 'insert',
): Promise<boolean> {
  const { users, rule, clock } = parts;
  const failure = `Cannot create the administrator "${account.username}"`;
  const { username, password, email } = accept(account, compileAccount(newUser(rule)), failure);
  const passwordHash = await hash(password, parts);
  const user = { username, email, passwordHash, isAdmin: true, dateCreated: toTimestamp(clock()) };
  const outcome = await users[insert](user, toProgramOrigin(clock));
  if (outcome.kind === 'refused' && outcome.reason !== 'administratorExists') {
    throw new Failure(`${failure}: ${USERNAME_TAKEN}`);
  }
  return outcome.kind === 'changed';
}

/** It does not advise to promote the user: a stranger may have registered the name. */
export const USERNAME_TAKEN = 'the username is taken, perhaps by a stranger; choose another one';

/** @throws Failure when the password is not acceptable. */
export async function hashNewPassword(password: string, parts: AccountParts): Promise<PasswordHash> {
  const check = compileAccount({ password: newPassword(parts.rule) });
  return hash(accept({ password }, check, 'Cannot use this password').password, parts);
}

/** @param failure - Begins the message of the Failure. @returns The account in normal form. */
export function accept<Account>(
  account: Account, check: (account: Account) => CheckedAccount<Account>, failure: string,
): Account {
  const { normal, faults } = check(account);
  if (faults.length > 0) {
    throw new Failure(`${failure}: ${faults.join('; ')}`);
  }
  return normal;
}

async function hash(password: string, { passwords }: AccountParts): Promise<PasswordHash> {
  const outcome = await passwords.hash(password, PROGRAM);
  if (outcome.kind === 'busy') {
    throw new Failure('Cannot hash the password: too many others are waiting');
  }
  return outcome.result;
}
