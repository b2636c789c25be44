/**
 * The commands that manage accounts and data. They use the database of the server, also while the server is
 * running.
 */
import { readConfig } from '../../config.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from '../../runtime.ts';
import { describeError } from '../../telemetry/error-text.ts';
import {
  create, listUsers, onAccounts, printToken, resetPassword, revokeTokens, updateWith,
} from './account-commands.ts';
import { addUsers, printLink } from './add-users.ts';
import { parseCommandLine, type Command, type DatabaseOpeners } from './command-line.ts';
import { backUp, check, restore } from './data-commands.ts';

/** Commands on accounts, which follow the word `admin`. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'list', help: 'List all users, one per line: id, username, email, role and state',
    run: onAccounts(listUsers),
  },
  {
    name: 'create', takes: 'USERNAME --email ADDRESS [--password-file FILE]',
    help: 'Create an administrator',
    run: onAccounts(create),
  },
  {
    name: 'add', takes: '[USERNAME] [--email ADDRESS] [--file FILE] [--url URL] [--sheets FILE]',
    help: 'Add a user, or a file of lines username,email; print username,link',
    run: onAccounts(addUsers),
  },
  {
    name: 'link', takes: 'USERNAME [--url URL]',
    help: 'Print a link that sets a new password, once, within a day',
    run: onAccounts(printLink),
  },
  {
    name: 'promote', takes: 'USERNAME', help: 'Make a user an administrator',
    run: onAccounts(updateWith('promote', { isAdmin: true }, 'is an administrator')),
  },
  {
    name: 'demote', takes: 'USERNAME', help: 'Make an administrator a plain user, except the last one',
    run: onAccounts(updateWith('demote', { isAdmin: false }, 'is not an administrator')),
  },
  {
    name: 'disable', takes: 'USERNAME', help: 'Keep a user from signing in, except the last administrator',
    run: onAccounts(updateWith('disable', { isDisabled: true }, 'is disabled')),
  },
  {
    name: 'enable', takes: 'USERNAME', help: 'Let a user sign in again',
    run: onAccounts(updateWith('enable', { isDisabled: false }, 'is enabled')),
  },
  {
    name: 'reset-password', takes: 'USERNAME [--password-file FILE]',
    help: 'Set a new password and revoke all tokens of a user',
    run: onAccounts(resetPassword),
  },
  {
    name: 'token', takes: 'USERNAME', help: 'Issue a token of the default lifetime, and print only the token',
    run: onAccounts(printToken),
  },
  {
    name: 'revoke-tokens', takes: 'USERNAME', help: 'Revoke all tokens of a user',
    run: onAccounts(revokeTokens),
  },
];

/** Commands on the data as a whole, with or without the word `admin`. */
export const DATA_COMMANDS: readonly Command[] = [
  {
    name: 'backup', takes: 'FILE',
    help: 'Copy the database to a new file, or to standard output (-), also while the service runs',
    run: backUp,
  },
  {
    name: 'restore', takes: 'FILE', help: 'Replace the database with a backup; stop the service first',
    run: restore,
  },
  {
    name: 'check', takes: '[FILE]', help: 'Look for damage: in the file, in references, and in derived data',
    run: check,
  },
];

export const COMMANDS: readonly Command[] = [...ACCOUNT_COMMANDS, ...DATA_COMMANDS];

/** Commands of version 1.0 that were removed, and what to use instead. */
export const REMOVED_COMMANDS: Readonly<Record<string, string>> = {
  export: 'use backup to copy a file, and GET /db/backup of rqlite to copy a cluster',
  import: 'use restore to replace a file, and POST /db/load of rqlite to fill a cluster',
};

/** Runs a command and sets the exit code. */
export async function administer(
  programArguments: readonly string[], openers: DatabaseOpeners,
): Promise<void> {
  process.stdout.on('error', () => process.exit(EXIT_OK)); // a reader such as `head` stopped
  process.exitCode = await runCommand(programArguments, openers);
}

async function runCommand(programArguments: readonly string[], openers: DatabaseOpeners): Promise<number> {
  const [name = ''] = programArguments;
  if (Object.hasOwn(REMOVED_COMMANDS, name)) {
    return complain(`The command "${name}" was removed: ${REMOVED_COMMANDS[name]}`, EXIT_USAGE);
  }
  const parsed = parseCommandLine(programArguments, COMMANDS);
  if (parsed.kind === 'mistake') {
    return complain(`${parsed.mistake}\nSee --help`, EXIT_USAGE);
  }
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return complain(outcome.mistakes.join('\n'), EXIT_CONFIG);
  }
  try {
    hideExperimentalWarning();
    const context = { ...openers, config: outcome.config, clock: Date.now };
    process.stdout.write(await parsed.command.run(parsed.given, context));
    return EXIT_OK;
  } catch (error) {
    return complain(toSentence(error), EXIT_FAILURE);
  }
}

/** Makes a text of an error. Messages are sentences for people, except for a TypeError, which is a bug. */
function toSentence(error: unknown): string {
  return error instanceof Error && !(error instanceof TypeError) ? error.message : describeError(error);
}

/** Hides the warning with which older supported versions of Node.js mark `node:sqlite` as experimental. */
function hideExperimentalWarning(): void {
  process.removeAllListeners('warning');
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}
