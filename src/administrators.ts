/**
 * Creates administrators: the first one from the settings, others by `admin.js`. There is no built-in
 * password. Settings never promote an existing user, because anybody could have registered the name.
 */
import { PROGRAM } from './auth/client.ts';
import type { PasswordHasher } from './auth/password.ts';
import { compileSchema } from './jsonschema/compile.ts';
import type { ValueOf } from './jsonschema/typed.ts';
import { toProgramOrigin } from './model/audit.ts';
import { toTimestamp, type Clock } from './model/clock.ts';
import { findUsernameFault } from './model/name.ts';
import type { PasswordHash } from './model/user.ts';
import { findPasswordFault, newPassword, type PasswordRule } from './resources/passwords.ts';
import { newUser } from './resources/users.ts';
import { Failure } from './runtime.ts';
import type { NewUser, UserStore } from './stores/users.ts';

type NewAccount = ValueOf<ReturnType<typeof newUser>>;

export interface AccountParts {
  readonly users: UserStore;
  readonly passwords: PasswordHasher;
  readonly rule: PasswordRule;
  readonly clock: Clock;
}

/**
 * Creates the administrator, unless an administrator exists.
 *
 * @returns True when the administrator was created.
 * @throws When the account is not acceptable, or its username belongs to a user who is no administrator.
 */
export async function createFirstAdministrator(account: NewAccount, parts: AccountParts): Promise<boolean> {
  if (await parts.users.hasAdministrator()) {
    return false;
  }
  const user = await toNewUser(account, parts);
  const outcome = await parts.users.insertFirstAdministrator(user, toProgramOrigin(parts.clock));
  if (outcome.kind === 'refused' && outcome.reason === 'usernameTaken') {
    const reason = 'a user without that role has this username';
    throw new Failure(`Cannot create the administrator "${account.username}": ${reason}`);
  }
  return outcome.kind === 'changed';
}

/** @throws When the account is not acceptable, or the username is taken. */
export async function createAdministrator(account: NewAccount, parts: AccountParts): Promise<void> {
  const user = { ...(await toNewUser(account, parts)), isAdmin: true };
  const outcome = await parts.users.insert(user, toProgramOrigin(parts.clock));
  if (outcome.kind === 'refused') {
    throw new Failure(`Cannot create the administrator "${account.username}": the username is taken`);
  }
}

/** @throws When the password is not acceptable. */
export async function toAcceptedHash(
  password: string,
  { passwords, rule }: AccountParts,
): Promise<PasswordHash> {
  const normalized = password.normalize('NFC');
  const [complaint] = compileSchema(newPassword(rule).json)(normalized);
  const fault = complaint?.message ?? findPasswordFault(normalized);
  if (fault !== undefined) {
    throw new Failure(`Cannot use this password: it ${fault}`);
  }
  const outcome = await passwords.hash(normalized, PROGRAM);
  if (outcome.kind === 'busy') {
    throw new Failure('Cannot hash the password: too many others are waiting');
  }
  return outcome.result;
}

async function toNewUser(account: NewAccount, parts: AccountParts): Promise<NewUser> {
  const { username, email } = acceptAccount(account, parts.rule);
  const passwordHash = await toAcceptedHash(account.password, parts);
  return { username, email, passwordHash, dateCreated: toTimestamp(parts.clock()) };
}

/** Checks an account by the same rules as a registration over HTTP. */
function acceptAccount({ username, password, email }: NewAccount, rule: PasswordRule): NewAccount {
  const body = {
    username: username.normalize('NFC'),
    password: password.normalize('NFC'),
    email: email.normalize('NFC'),
  };
  const complaints = compileSchema(newUser(rule).json)(body);
  const fault = findUsernameFault(body.username);
  if (complaints.length > 0 || fault !== undefined) {
    const list = [
      ...complaints.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`),
      ...(fault === undefined ? [] : [`username ${fault}`]),
    ].join('; ');
    throw new Failure(`Cannot create the administrator "${username}": ${list}`);
  }
  return body;
}
