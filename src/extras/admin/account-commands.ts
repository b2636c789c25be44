/**
 * The commands that concern accounts. Each returns the text that is printed, or throws a Failure. They work
 * on an existing database, also while a service uses it.
 */
import {
  createAdministrator, hashNewPassword, USERNAME_TAKEN, type AccountParts,
} from '../../administrators.ts';
import { createPasswordHasher } from '../../auth/password.ts';
import { createToken, toLastFour, toTokenDigest } from '../../auth/token.ts';
import { requireSchema } from '../../database/create-schema.ts';
import { toProgramOrigin } from '../../model/audit.ts';
import { toTimestamp } from '../../model/clock.ts';
import type { User } from '../../model/user.ts';
import { Failure } from '../../runtime.ts';
import { createQueues } from '../../queues.ts';
import type { Outcome } from '../../stores/guards.ts';
import { schema } from '../../stores/schema.ts';
import { createTokenStore, type TokenStore } from '../../stores/tokens.ts';
import { createUserChanges, type UserChanges, type UserPatch } from '../../stores/user-changes.ts';
import { createUserStore } from '../../stores/users.ts';
import { createPasswordLinkStore, type PasswordLinkStore } from '../password-links/store.ts';
import type { Command, Given } from './command-line.ts';
import { readPassword } from './input.ts';

export interface CommandParts extends AccountParts {
  readonly userChanges: UserChanges;
  readonly tokens: TokenStore;
  readonly links: PasswordLinkStore;
  /** A prefix such as `/rollcall`; empty without a prefix. */
  readonly basePath: string;
  readonly tokenLifetimeSeconds: number;
}

export type AccountCommand = (given: Given, parts: CommandParts) => Promise<string>;

const USERS_AT_ONCE = 1000;

/** Opens the database, runs the command, and closes the database again. */
export function onAccounts(command: AccountCommand): Command['run'] {
  return async (given, { config, clock, openExistingDatabase }) => {
    const database = await openExistingDatabase(config.database);
    try {
      await requireSchema(database, schema);
      return await command(given, {
        users: createUserStore(database),
        userChanges: createUserChanges(database),
        tokens: createTokenStore(database, config),
        links: createPasswordLinkStore(database),
        basePath: config.basePath ?? '',
        passwords: createPasswordHasher(createQueues(config).passwords),
        rule: config,
        tokenLifetimeSeconds: config.tokenLifetimeSeconds,
        clock,
      });
    } finally {
      await database.close();
    }
  };
}

export async function listUsers(_given: Given, { users }: CommandParts): Promise<string> {
  const lines: string[] = [];
  let batch = await users.listAfter(undefined, USERS_AT_ONCE);
  while (batch.length > 0) {
    lines.push(...batch.map(describeUser));
    batch = await users.listAfter(batch.at(-1)?.id, USERS_AT_ONCE);
  }
  return lines.join('');
}

function describeUser({ id, username, email, isAdmin, isDisabled }: User): string {
  const marks = [...(isAdmin ? ['administrator'] : []), ...(isDisabled ? ['disabled'] : [])];
  return `${[id, username, email, ...marks].join('\t')}\n`;
}

/** Creates an administrator. Checks that the name is free before it asks for a password. */
export async function create({ operand: username, options }: Given, parts: CommandParts): Promise<string> {
  if ((await parts.users.find({ name: username })) !== undefined) {
    throw new Failure(`Cannot create the administrator "${username}": ${USERNAME_TAKEN}`);
  }
  const password = await readPassword(options['password-file']);
  await createAdministrator({ username, email: options['email'] ?? '', password }, parts);
  return `Created the administrator "${username}"\n`;
}

/** @param verb - The verb of an error message. @param state - Ends the sentence that reports success. */
export function updateWith(verb: string, patch: UserPatch, state: string): AccountCommand {
  return async ({ operand: username }, parts) => {
    const user = await findUser(username, parts);
    const outcome = await parts.userChanges.update(user, patch, toProgramOrigin(parts.clock));
    requireChanged(outcome, verb, user);
    return `"${user.username}" ${state}\n`;
  };
}

export async function resetPassword({ operand, options }: Given, parts: CommandParts): Promise<string> {
  const user = await findUser(operand, parts);
  const passwordHash = await hashNewPassword(await readPassword(options['password-file']), parts);
  const origin = toProgramOrigin(parts.clock);
  const outcome = await parts.userChanges.setPassword(user, { passwordHash }, origin);
  requireChanged(outcome, 'change the password of', user);
  return `"${user.username}" has a new password; all tokens are revoked\n`;
}

export async function printToken({ operand: username }: Given, parts: CommandParts): Promise<string> {
  const { tokens, tokenLifetimeSeconds, clock } = parts;
  const owner = await findUser(username, parts);
  const text = createToken();
  const nowMs = clock();
  const outcome = await tokens.insert(
    {
      digest: toTokenDigest(text),
      lastFour: toLastFour(text),
      owner,
      name: 'admin.js',
      scope: 'full',
      dateCreated: toTimestamp(nowMs),
      expiresAt: toTimestamp(nowMs + tokenLifetimeSeconds * 1000),
    },
    toProgramOrigin(clock),
  );
  if (outcome.kind === 'refused') {
    const reason = outcome.reason === 'tooManyTokens' ? 'has too many tokens' : 'is disabled';
    throw new Failure(`Cannot issue a token to "${owner.username}": the user ${reason}`);
  }
  return `${text}\n`;
}

export async function revokeTokens({ operand }: Given, parts: CommandParts): Promise<string> {
  const user = await findUser(operand, parts);
  const outcome = await parts.tokens.revokeAllOf(user, toProgramOrigin(parts.clock));
  if (outcome.kind === 'refused' && outcome.reason !== 'noSuchToken') {
    requireChanged(outcome, 'revoke the tokens of', user);
  }
  return `All tokens of "${user.username}" are revoked\n`;
}

export async function findUser(username: string, { users }: CommandParts): Promise<User> {
  const user = await users.find({ name: username });
  if (user === undefined) {
    throw new Failure(`There is no user "${username}"`);
  }
  return user;
}

/** @param verb - What was asked for, for the error message. */
function requireChanged(outcome: Outcome<string>, verb: string, { username }: User): void {
  if (outcome.kind === 'refused') {
    const reason = outcome.reason === 'lastAdministrator'
      ? 'who is the last administrator'
      : 'who was changed by another request at the same moment: try again';
    throw new Failure(`Cannot ${verb} "${username}", ${reason}`);
  }
}
