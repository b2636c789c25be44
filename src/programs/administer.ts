/** The program `admin.js`, for administrators' accounts. It works on the same database as the server, also while that is running. */
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { toTimestamp } from '../model/clock.ts';
import type { User } from '../model/user.ts';
import { createPasswords } from '../service.ts';
import { migrations } from '../stores/migrations.ts';
import { createUserStore } from '../stores/users.ts';
import { createAdministrator, toAcceptedHash, type AccountParts } from './administrators.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from './exit-codes.ts';
import { readPassword } from './password-input.ts';

const HELP = `Usage: node dist/admin.js COMMAND USERNAME [OPTIONS]

Commands:
  create USERNAME --email ADDRESS   creates an administrator
  promote USERNAME                  makes a user an administrator
  demote USERNAME                   makes an administrator a plain user, unless it is the last one
  reset-password USERNAME           sets a new password and revokes all tokens of the user

Options:
  --password-file FILE   takes the password from a file; otherwise it is the first line of standard input
  --help                 shows this text

The database is that of the settings: DATABASE_URL, see server.js --help.
Exit codes: 0 done, 1 failed, 64 wrong arguments, 78 wrong settings or Node.js.
`;

/** A command line as it was understood. */
interface Invocation {
  readonly command: Command;
  readonly username: string;
  readonly email: string;
  readonly passwordFile: string | undefined;
}

type Command = (invocation: Invocation, parts: AccountParts) => Promise<string>;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['create', create],
  ['promote', promote],
  ['demote', demote],
  ['reset-password', resetPassword],
]);

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
    if (command === undefined || username === undefined || rest.length > 0 || (name === 'create') !== (email !== '')) {
      return undefined;
    }
    return { command, username, email, passwordFile: values['password-file'] };
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
      passwords: createPasswords(),
      passwordLengthMin: config.passwordLengthMin,
      clock: Date.now,
    });
  } finally {
    await database.close();
  }
}

async function create({ username, email, passwordFile }: Invocation, parts: AccountParts): Promise<string> {
  await createAdministrator({ username, email, password: await readPassword(passwordFile) }, parts);
  return `Created the administrator "${username}"`;
}

async function promote({ username }: Invocation, { users }: AccountParts): Promise<string> {
  const user = await findUser(username, users);
  await users.promote(user.id);
  return `"${user.username}" is an administrator`;
}

async function demote({ username }: Invocation, { users }: AccountParts): Promise<string> {
  const user = await findUser(username, users);
  if (user.isAdmin && !(await users.demote(user.id))) {
    throw new Error(`Cannot demote "${user.username}": the last administrator must stay one`);
  }
  return `"${user.username}" is no administrator`;
}

async function resetPassword({ username, passwordFile }: Invocation, parts: AccountParts): Promise<string> {
  const user = await findUser(username, parts.users);
  await parts.users.resetPassword(user.id, await toAcceptedHash(await readPassword(passwordFile), parts));
  return `"${user.username}" has a new password and no tokens`;
}

async function findUser(username: string, users: AccountParts['users']): Promise<User> {
  const user = await users.findByName(username);
  if (user === undefined) {
    throw new Error(`There is no user "${username}"`);
  }
  return user;
}

/** `node:sqlite` is marked experimental in the older versions that we support; that is known and accepted. */
function hideExperimentalWarning(): void {
  process.removeAllListeners('warning');
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(message.endsWith('\n') ? message : `${message}\n`);
  return exitCode;
}
