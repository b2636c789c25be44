/** The program `admin.js`, for accounts, from the command line. It works on the same database as the server, also while that is running. */
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { toTimestamp } from '../model/clock.ts';
import { createPasswords } from '../service.ts';
import { migrations } from '../stores/migrations.ts';
import { createTokenStore } from '../stores/tokens.ts';
import { createUserChanges } from '../stores/user-changes.ts';
import { createUserStore } from '../stores/users.ts';
import { COMMANDS, type Command, type CommandArguments } from './commands.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from './exit-codes.ts';

const HELP = `Usage: node dist/admin.js COMMAND [USERNAME] [OPTIONS]

Commands:
  list                              lists all users, one a line: id, username, email, and what is special
  create USERNAME --email ADDRESS   creates an administrator
  promote USERNAME                  makes a user an administrator
  demote USERNAME                   makes an administrator a plain user, unless it is the last one
  disable USERNAME                  keeps a user from signing in, unless it is the last administrator
  enable USERNAME                   lets a user sign in again
  reset-password USERNAME           sets a new password and revokes all tokens of the user
  token USERNAME                    issues a token of the default lifetime, and prints only the token
  revoke-tokens USERNAME            revokes all tokens of a user

Options:
  --password-file FILE   takes the password from a file; otherwise it is the first line of standard input
  --help                 shows this text

The database is that of the settings: DATABASE_URL, see server.js --help.
Exit codes: 0 done, 1 failed, 64 wrong arguments, 78 wrong settings or Node.js.
`;

/** A command line as it was understood. */
interface Invocation extends CommandArguments {
  readonly command: Command;
}

export async function main(programArguments: readonly string[]): Promise<void> {
  process.exitCode = await administer(programArguments);
}

async function administer(programArguments: readonly string[]): Promise<number> {
  if (programArguments.includes('--help')) {
    process.stdout.write(HELP);
    return EXIT_OK;
  }
  const invocation = parseInvocation(programArguments);
  if (invocation === undefined) {
    return complain(HELP, EXIT_USAGE);
  }
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return complain(outcome.mistakes.join('\n'), EXIT_CONFIG);
  }
  try {
    process.stdout.write(`${await run(invocation, outcome.config)}\n`);
    return EXIT_OK;
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error), EXIT_FAILURE);
  }
}

function parseInvocation(programArguments: readonly string[]): Invocation | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...programArguments],
      options: { 'email': { type: 'string' }, 'password-file': { type: 'string' } },
      allowPositionals: true,
    });
    const [name = '', username, ...rest] = positionals;
    const email = values.email ?? '';
    const command = COMMANDS.get(name);
    const takesUsername = name !== 'list';
    if (command === undefined || takesUsername !== (username !== undefined) || rest.length > 0 || (name === 'create') !== (email !== '')) {
      return undefined;
    }
    return { command, username: username ?? '', email, passwordFile: values['password-file'] };
  } catch {
    return undefined; // an option that does not exist
  }
}

async function run(invocation: Invocation, config: Config): Promise<string> {
  hideExperimentalWarning();
  const database = await openDatabase(config.database);
  try {
    await migrate(database, migrations, toTimestamp(Date.now()));
    return await invocation.command(invocation, {
      users: createUserStore(database),
      userChanges: createUserChanges(database),
      tokens: createTokenStore(database),
      passwords: createPasswords(),
      rule: config,
      tokenLifetimeSeconds: config.tokenLifetimeSeconds,
      clock: Date.now,
    });
  } finally {
    await database.close();
  }
}

/** `node:sqlite` is marked experimental in the older versions that we support; that is known and accepted. */
function hideExperimentalWarning(): void {
  process.removeAllListeners('warning');
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(message.endsWith('\n') ? message : `${message}\n`);
  return exitCode;
}
