/**
 * Accounts of administrators, as settings and the admin program make them. Never a built-in password; nobody who exists
 * is ever made an administrator in passing, since that would hand the service to whoever had registered the name.
 */
import { PROGRAM } from '../auth/applicants.ts';
import type { PasswordHasher } from '../auth/password.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import { findUsernameFault } from '../model/name.ts';
import type { PasswordHash } from '../model/user.ts';
import { createNewUserSchema, createPasswordSchema, findPasswordFault, toNewUserBody, type NewUserBody, type PasswordRule } from '../schemas/users.ts';
import type { NewUser, UserStore } from '../stores/users.ts';
import { toProgramOrigin } from './program-origin.ts';

export interface AccountParts {
  readonly users: UserStore;
  readonly passwords: PasswordHasher;
  readonly rule: PasswordRule;
  readonly clock: Clock;
}

/**
 * Creates the administrator, unless there is one.
 *
 * @returns True when it was created.
 * @throws When the account is not acceptable, or its username belongs to somebody who is no administrator.
 */
export async function createFirstAdministrator(account: NewUserBody, parts: AccountParts): Promise<boolean> {
  if (await parts.users.hasAdministrator()) {
    return false;
  }
  const created = await parts.users.insertFirstAdministrator(await toNewUser(account, parts), toProgramOrigin(parts.clock));
  if (created === undefined && !(await parts.users.hasAdministrator())) {
    throw new Error(`Cannot create the administrator "${account.username}": a user without that role has this username`);
  }
  return created !== undefined;
}

/** @throws When the account is not acceptable, or the username is taken. */
export async function createAdministrator(account: NewUserBody, parts: AccountParts): Promise<void> {
  const outcome = await parts.users.insert({ ...(await toNewUser(account, parts)), isAdmin: true }, toProgramOrigin(parts.clock));
  if (outcome.kind === 'username-taken') {
    throw new Error(`Cannot create the administrator "${account.username}": the username is taken`);
  }
}

/** @throws When the password is not acceptable. */
export async function toAcceptedHash(password: string, { passwords, rule }: AccountParts): Promise<PasswordHash> {
  const normalized = password.normalize('NFC');
  const [complaint] = compileSchema(createPasswordSchema(rule))(normalized);
  const fault = complaint?.message ?? findPasswordFault(normalized);
  if (fault !== undefined) {
    throw new Error(`Cannot use this password: it ${fault}`);
  }
  const outcome = await passwords.hash(normalized, PROGRAM);
  if (outcome.kind === 'busy') {
    throw new Error('Cannot hash the password: too many others are waiting');
  }
  return outcome.result;
}

async function toNewUser(account: NewUserBody, parts: AccountParts): Promise<NewUser> {
  const { username, email } = acceptAccount(account, parts.rule);
  const passwordHash = await toAcceptedHash(account.password, parts);
  return { username, email, passwordHash, dateCreated: toTimestamp(parts.clock()) };
}

/** The same rules as for a registration over HTTP. */
function acceptAccount({ username, password, email }: NewUserBody, rule: PasswordRule): NewUserBody {
  const body = { username: username.normalize('NFC'), password: password.normalize('NFC'), email: email.normalize('NFC') };
  const complaints = compileSchema(createNewUserSchema(rule))(body);
  const fault = findUsernameFault(body.username);
  if (complaints.length > 0 || fault !== undefined) {
    const list = [
      ...complaints.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`),
      ...(fault === undefined ? [] : [`username ${fault}`]),
    ].join('; ');
    throw new Error(`Cannot create the administrator "${username}": ${list}`);
  }
  return toNewUserBody(body);
}
