/** These commands work on an existing database, even while a service uses the database. */
import { accept, createAdministrator, USERNAME_TAKEN, type AccountParts } from '../../administrators.ts';
import { createHash } from '../../auth/password.ts';
import type { Database } from '../../database/database.ts';
import { toProgramOrigin } from '../../model/audit.ts';
import { NO_PASSWORD, type Account, type User } from '../../model/user.ts';
import { newPassword } from '../../resources/rules.ts';
import type { Outcome } from '../../stores/guards.ts';
import { createTokenStore, type TokenStore } from '../../stores/tokens.ts';
import { createUserChanges, type UserChanges, type UserPatch } from '../../stores/user-changes.ts';
import { createUserStore } from '../../stores/users.ts';
import type { Command, Given } from './command-line.ts';
import { readPassword } from './input.ts';

export interface CommandParts extends AccountParts {
  readonly database: Database;
  readonly userChanges: UserChanges;
  readonly tokens: TokenStore;
}

export function onAccounts(
  command: (given: Given, parts: CommandParts) => Promise<string>,
): Command['run'] {
  return (given, { config, clock, withDatabase }) => (
    withDatabase(config.database, (database) => command(given, {
      database, config, clock,
      users: createUserStore(database),
      userChanges: createUserChanges(database, config.projectsPerUserMax),
      tokens: createTokenStore(database, config.tokensPerUserMax),
      passwords: { createHash },
    }))
  );
}

export const onUser = (
  name: string, help: string, act: (user: User, parts: CommandParts, given: Given) => Promise<string>,
  options = '',
): Command => ({
  name, takes: `USERNAME${options}`, help,
  run: onAccounts(async (given, parts) => act(await findUser(given.operand, parts), parts, given)),
});

const changeUser = (name: string, help: string, patch: UserPatch, state: string): Command =>
  onUser(name, help, async (user, { userChanges, clock }) => {
    requireChanged(await userChanges.update(user, patch, toProgramOrigin(clock)), name, user);
    return `"${user.username}" ${state}\n`;
  });

export const accountCommands: readonly Command[] = [
  {
    name: 'list', help: 'List all users, one per line: id, username, email, role and state',
    run: onAccounts(listUsers),
  },
  {
    name: 'create', takes: 'USERNAME --email ADDRESS [--password-file FILE]',
    help: 'Create an administrator',
    run: onAccounts(create),
  },
  changeUser('promote', 'Make a user an administrator', { isAdmin: true }, 'is an administrator'),
  changeUser(
    'demote', 'Make an administrator a plain user (the last administrator cannot be demoted)',
    { isAdmin: false }, 'is not an administrator',
  ),
  changeUser(
    'disable', 'Prevent a user from signing in (the last administrator cannot be disabled)',
    { isDisabled: true }, 'is disabled',
  ),
  changeUser('enable', 'Let a user sign in again', { isDisabled: false }, 'is enabled'),
  onUser(
    'reset-password', 'Set a new password for a user, and revoke all tokens of the user', resetPassword,
    ' [--password-file FILE]',
  ),
  onUser('token', 'Issue a token with the default lifetime, and print only the token', printToken),
  onUser('revoke-tokens', 'Revoke all tokens of a user', revokeAllTokens),
];

const USERS_AT_ONCE = 1000;

async function listUsers(_given: Given, { users }: CommandParts): Promise<string> {
  const lines: string[] = [];
  let batch: readonly Account[] = [];
  do {
    batch = await users.listAfter(batch.at(-1)?.user.id ?? 0, USERS_AT_ONCE);
    lines.push(...batch.map(describeUser));
  } while (batch.length > 0);
  return lines.join('');
}

function describeUser({ user, passwordHash }: Account): string {
  const { id, username, email, isAdmin, isDisabled } = user;
  const isInvited = passwordHash === NO_PASSWORD;
  const marks = [isAdmin && 'administrator', isDisabled && 'disabled', isInvited && 'invited'];
  return `${[id, username, email, ...marks.filter((mark) => mark !== false)].join('\t')}\n`;
}

/** If the username is taken, the command fails before it reads a password. */
async function create({ operand: username, options }: Given, parts: CommandParts): Promise<string> {
  if ((await parts.users.find({ name: username })) !== undefined) {
    throw new Error(`Cannot create the administrator "${username}": ${USERNAME_TAKEN}`);
  }
  const password = await readPassword(options['password-file']);
  await createAdministrator({ username, email: options['email'] ?? '', password }, parts);
  return `Created the administrator "${username}"\n`;
}

async function resetPassword(user: User, parts: CommandParts, { options }: Given): Promise<string> {
  const given = { password: await readPassword(options['password-file']) };
  const rules = { password: newPassword(parts.config.passwordLengthMin) };
  const { password } = accept(given, rules, 'Cannot use this password');
  const passwordHash = await createHash(password);
  const outcome = await parts.userChanges.setPassword(user, { passwordHash }, toProgramOrigin(parts.clock));
  requireChanged(outcome, 'change the password of', user);
  return `"${user.username}" has a new password; all tokens of the user are revoked\n`;
}

async function printToken(owner: User, { tokens, config, clock }: CommandParts): Promise<string> {
  const { tokenLifetimeSeconds: lifetimeSeconds } = config;
  const purpose = { name: 'admin.js', scope: 'full', audience: undefined } as const;
  const token = { ...purpose, userId: owner.id, lifetimeSeconds };
  const outcome = await tokens.insert(token, toProgramOrigin(clock));
  if (outcome.kind === 'refused') {
    const reason = outcome.reason === 'tooManyTokens' ? 'has too many tokens' : 'is disabled';
    throw new Error(`Cannot issue a token to "${owner.username}": the user ${reason}`);
  }
  return `${outcome.result.text}\n`;
}

async function revokeAllTokens(user: User, { tokens, clock }: CommandParts): Promise<string> {
  const outcome = await tokens.revokeAllOf(user, toProgramOrigin(clock));
  if (outcome.kind === 'refused' && outcome.reason !== 'noSuchToken') {
    requireChanged(outcome, 'revoke the tokens of', user);
  }
  return `All tokens of "${user.username}" are revoked\n`;
}

async function findUser(username: string, { users }: CommandParts): Promise<User> {
  const user = await users.find({ name: username });
  if (user === undefined) {
    throw new Error(`There is no user "${username}"`);
  }
  return user;
}

/** @param verb - A verb for the error message; for example, `disable`. */
export function requireChanged<Result>(
  outcome: Outcome<string, Result>, verb: string, { username }: User,
): Result {
  if (outcome.kind === 'refused') {
    const reason = outcome.reason === 'lastAdministrator'
      ? 'this user is the last administrator'
      : 'another request changed the user at the same time; try again';
    throw new Error(`Cannot ${verb} "${username}": ${reason}`);
  }
  return outcome.result;
}
