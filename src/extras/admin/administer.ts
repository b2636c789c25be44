/** The commands that manage accounts and data. */
import { readConfig } from '../../config.ts';
import { EXIT_CONFIG, EXIT_USAGE, fail, failWith } from '../../runtime.ts';
import { accountCommands } from './account-commands.ts';
import { linkCommands } from './add-users.ts';
import { parseCommandLine, type Command, type OpenDatabase } from './command-line.ts';
import { dataCommands } from './data-commands.ts';

/** The commands for accounts. In the help, the names of these commands begin with the word `admin`. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  ...accountCommands,
  ...linkCommands,
];

export const DATA_COMMANDS: readonly Command[] = [
  ...dataCommands,
];

export const COMMANDS: readonly Command[] = [...ACCOUNT_COMMANDS, ...DATA_COMMANDS];

/** Commands of version 1.0 that were removed, and what to use instead. */
export const REMOVED_COMMANDS: Readonly<Record<string, string>> = {
  export: 'use backup to copy a file, and GET /db/backup of rqlite to copy a cluster',
  import: 'use restore to replace a file, and POST /db/load of rqlite to fill a cluster',
};

/**
 * Runs a command and sets the exit code.
 *
 * @param others - Commands in addition to `COMMANDS`.
 */
export async function administer(
  programArguments: readonly string[], others: readonly Command[],
  openDatabase: OpenDatabase,
): Promise<void> {
  const [name = ''] = programArguments;
  if (Object.hasOwn(REMOVED_COMMANDS, name)) {
    return fail(EXIT_USAGE, `The command "${name}" was removed: ${REMOVED_COMMANDS[name]}`);
  }
  const parsed = parseCommandLine(programArguments, [...COMMANDS, ...others]);
  if (typeof parsed === 'string') {
    return fail(EXIT_USAGE, `${parsed}\nSee --help`);
  }
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  // Some supported versions of Node.js would warn that `node:sqlite` is experimental.
  process.removeAllListeners('warning');
  try {
    const context = { config: outcome.config, clock: Date.now, openDatabase };
    process.stdout.write(await parsed.command.run(parsed.given, context));
  } catch (error) {
    failWith(error);
  }
}
