/**
 * The program `admin.js`, for accounts and data, from the command line. It works on the same database as the server, also
 * while that is running.
 */
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config.ts';
import { createSchema } from '../database/create-schema.ts';
import { openDatabase } from '../database/open.ts';
import { toTimestamp } from '../model/clock.ts';
import { createPasswords } from '../service.ts';
import { schema } from '../stores/schema.ts';
import { createTokenStore } from '../stores/tokens.ts';
import { createUserChanges } from '../stores/user-changes.ts';
import { createUserStore } from '../stores/users.ts';
import { COMMANDS, type Command, type CommandArguments } from './commands.ts';
import { DATA_COMMANDS } from './data-commands.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from './exit-codes.ts';

const HELP = `Usage: node dist/admin.js COMMAND [USERNAME | FILE] [OPTIONS]

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

  backup FILE                       copies the database to a new file, while the service runs
  restore FILE                      puts a backup in the place of the database; the service must not run
  check [FILE]                      looks for damage: in the file, in its references, in what is derived from other data
  export FILE                       writes all data to a new file, as JSON lines
  import FILE                       reads them into an empty database, or goes on where it was interrupted

Options:
  --password-file FILE   takes the password from a file; otherwise it is the first line of standard input
  --help                 shows this text

The database is that of the settings: DATABASE_URL, see server.js --help.
Exit codes: 0 done, 1 failed, 64 wrong arguments, 78 wrong settings or Node.js.
`;

/** A command line as it was understood. */
type Invocation = (config: Config) => Promise<string>;

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
    hideExperimentalWarning();
    process.stdout.write(`${await invocation(outcome.config)}\n`);
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
    const [name = '', operand, ...rest] = positionals;
    if (rest.length > 0) {
      return undefined;
    }
    const dataCommand = DATA_COMMANDS.get(name);
    if (dataCommand !== undefined) {
      const isComplete = operand !== undefined || dataCommand.file === 'optional';
      return isComplete && Object.keys(values).length === 0
        ? ({ database: location }) => dataCommand.run(operand ?? '', { location, clock: Date.now })
        : undefined;
    }
    const email = values.email ?? '';
    const command = COMMANDS.get(name);
    const takesUsername = name !== 'list';
    if (command === undefined || takesUsername !== (operand !== undefined) || (name === 'create') !== (email !== '')) {
      return undefined;
    }
    return (config) => run(command, { username: operand ?? '', email, passwordFile: values['password-file'] }, config);
  } catch {
    return undefined; // an option that does not exist
  }
}

async function run(command: Command, given: CommandArguments, config: Config): Promise<string> {
  const database = await openDatabase(config.database);
  try {
    await createSchema(database, schema, toTimestamp(Date.now()));
    return await command(given, {
      users: createUserStore(database),
      userChanges: createUserChanges(database, config),
      tokens: createTokenStore(database, config),
      passwords: createPasswords(config),
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
