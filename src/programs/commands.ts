/** The commands of `admin.js`. Each answers with what is printed, or throws with a sentence that is. */
import { createToken, toLastFour, toTokenDigest } from '../auth/token.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { User } from '../model/user.ts';
import type { TokenStore } from '../stores/tokens.ts';
import { isActiveAdministrator, type UserChanges, type UserValues } from '../stores/user-changes.ts';
import { createAdministrator, toAcceptedHash, type AccountParts } from './administrators.ts';
import { readPassword } from './password-input.ts';
import { toProgramOrigin } from './program-origin.ts';

export interface CommandArguments {
  readonly username: string;
  readonly email: string;
  readonly passwordFile: string | undefined;
}

interface CommandParts extends AccountParts {
  readonly userChanges: UserChanges;
  readonly tokens: TokenStore;
  readonly tokenLifetimeSeconds: number;
}

export type Command = (commandArguments: CommandArguments, parts: CommandParts) => Promise<string>;

const USERS_AT_ONCE = 1000;

export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['list', list],
  ['create', create],
  ['promote', createUpdate('promote', { isAdmin: true }, 'is an administrator')],
  ['demote', createUpdate('demote', { isAdmin: false }, 'is no administrator')],
  ['disable', createUpdate('disable', { isDisabled: true }, 'is disabled')],
  ['enable', createUpdate('enable', { isDisabled: false }, 'is enabled')],
  ['reset-password', resetPassword],
  ['token', issueToken],
  ['revoke-tokens', revokeTokens],
]);

async function list(_given: CommandArguments, { users }: CommandParts): Promise<string> {
  const lines: string[] = [];
  let batch = await users.listAfter(undefined, USERS_AT_ONCE);
  while (batch.length > 0) {
    lines.push(...batch.map(describeUser));
    batch = await users.listAfter(batch.at(-1)?.id, USERS_AT_ONCE);
  }
  return lines.join('\n');
}

function describeUser({ id, username, email, isAdmin, isDisabled }: User): string {
  return [id, username, email, ...(isAdmin ? ['administrator'] : []), ...(isDisabled ? ['disabled'] : [])].join('\t');
}

async function create({ username, email, passwordFile }: CommandArguments, parts: CommandParts): Promise<string> {
  await createAdministrator({ username, email, password: await readPassword(passwordFile) }, parts);
  return `Created the administrator "${username}"`;
}

function createUpdate(verb: string, patch: Partial<UserValues>, state: string): Command {
  return async ({ username }, parts) => {
    const user = await findUser(username, parts);
    const to = { ...user, ...patch };
    if (isActiveAdministrator(user) && !isActiveAdministrator(to) && !(await parts.users.hasOtherAdministrator(user))) {
      throw new Error(`Cannot ${verb} "${user.username}": the last administrator must stay one`);
    }
    const isChange = to.isAdmin !== user.isAdmin || to.isDisabled !== user.isDisabled;
    const origin = toProgramOrigin(parts.clock);
    if (isChange && (await parts.userChanges.update(user, to, origin)).kind !== 'changed') {
      throw overtaken(user);
    }
    return `"${user.username}" ${state}`;
  };
}

async function resetPassword({ username, passwordFile }: CommandArguments, parts: CommandParts): Promise<string> {
  const user = await findUser(username, parts);
  const passwordHash = await toAcceptedHash(await readPassword(passwordFile), parts);
  const outcome = await parts.userChanges.setPassword(user, { passwordHash }, toProgramOrigin(parts.clock));
  if (outcome.kind !== 'changed') {
    throw overtaken(user);
  }
  return `"${user.username}" has a new password and no tokens`;
}

async function issueToken({ username }: CommandArguments, { users, tokens, tokenLifetimeSeconds, clock }: CommandParts): Promise<string> {
  const account = await users.findWithPassword(toNameKey(username));
  if (account === undefined) {
    throw unknown(username);
  }
  const text = createToken();
  const nowMs = clock();
  const outcome = await tokens.insert(
    {
      digest: toTokenDigest(text),
      lastFour: toLastFour(text),
      owner: account.user,
      name: 'admin.js',
      scope: 'full',
      dateCreated: toTimestamp(nowMs),
      expiresAt: toTimestamp(nowMs + tokenLifetimeSeconds * 1000),
    },
    { kind: 'password', passwordVersion: account.passwordVersion },
    toProgramOrigin(clock),
  );
  if (outcome.kind !== 'inserted') {
    const reason = outcome.kind === 'too-many-tokens' ? 'has too many tokens' : 'is disabled';
    throw new Error(`Cannot issue a token to "${account.user.username}": the user ${reason}`);
  }
  return text;
}

async function revokeTokens({ username }: CommandArguments, parts: CommandParts): Promise<string> {
  const user = await findUser(username, parts);
  await parts.tokens.revokeAllOf(user, toProgramOrigin(parts.clock));
  return `"${user.username}" has no tokens`;
}

async function findUser(username: string, { users }: CommandParts): Promise<User> {
  const user = await users.find({ name: username });
  if (user === undefined) {
    throw unknown(username);
  }
  return user;
}

function unknown(username: string): Error {
  return new Error(`There is no user "${username}"`);
}

function overtaken({ username }: User): Error {
  return new Error(`Cannot go on: "${username}" was changed by somebody else at the same moment; try again`);
}
