/**
 * Creates administrators: the first one from the settings, others by `admin.js`. There is no built-in
 * password. Settings never promote an existing user, because anybody could have registered the name.
 */
import { compileMembers } from './api/body.ts';
import { PROGRAM } from './auth/client.ts';
import type { PasswordHasher } from './auth/password.ts';
import type { Validate } from './jsonschema/compile.ts';
import { object } from './jsonschema/typed.ts';
import { toProgramOrigin } from './model/audit.ts';
import { toTimestamp, type Clock } from './model/clock.ts';
import type { PasswordHash } from './model/user.ts';
import { checkAccount, type AccountTexts } from './resources/account-rules.ts';
import { newPassword, passwordRule, type PasswordRule } from './resources/passwords.ts';
import { compileNewUser } from './resources/users.ts';
import { Failure } from './runtime.ts';
import type { UserStore } from './stores/users.ts';

export interface AccountParts {
  readonly users: UserStore;
  readonly passwords: PasswordHasher;
  readonly rule: PasswordRule;
  readonly clock: Clock;
}

type NewAccount = Required<AccountTexts>;

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
  const { username, password, email } = accept(account, compileNewUser(rule), failure);
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
  const validate = compileMembers(object({ password: newPassword(parts.rule) }), { password: passwordRule });
  const accepted = accept({ password }, validate, 'Cannot use this password');
  return hash(accepted.password, parts);
}

/** @param failure - Begins the message of the Failure. @returns The account in normal form. */
export function accept<Account extends AccountTexts>(
  account: Account, validate: Validate, failure: string,
): Account {
  const { normal, faults } = checkAccount(account, validate);
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
