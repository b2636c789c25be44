/** The commands that manage accounts and data. */
import { statSync } from 'node:fs';
import { readConfig, type Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import { IN_MEMORY, type DatabaseLocation } from '../../database/location.ts';
import { EXIT_CONFIG, EXIT_USAGE, fail, failWith } from '../../runtime.ts';
import { readSchemaVersion, refuseVersion, SCHEMA_VERSION } from '../../stores/schema.ts';
import { accountCommands } from './account-commands.ts';
import { linkCommands } from './add-users.ts';
import { parseCommandLine, type Command, type CommandContext } from './command-line.ts';
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

type OpenDatabase = (location: DatabaseLocation) => Promise<Database>;

/**
 * Runs a command and sets the exit code.
 *
 * @param others - Commands in addition to `COMMANDS`.
 */
export async function administer(
  programArguments: readonly string[], others: readonly Command[], openDatabase: OpenDatabase,
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
    const context = createContext(outcome.config, openDatabase);
    process.stdout.write(await parsed.command.run(parsed.given, context));
  } catch (error) {
    failWith(error);
  }
}

function createContext(config: Config, openDatabase: OpenDatabase): CommandContext {
  return {
    config, clock: Date.now,
    async withDatabase(location, act) {
      const path = location.driver === 'sqlite' ? location.path : IN_MEMORY;
      if (path !== IN_MEMORY && !statSync(path, { throwIfNoEntry: false })?.size) {
        const advice = 'start the service first, or correct DATABASE_URL';
        throw new Error(`There is no database at "${path}": ${advice}`);
      }
      const database = await openDatabase(location);
      try {
        const version = await readSchemaVersion(database);
        if (version < SCHEMA_VERSION) {
          throw new Error(version === 0
            ? 'The database is empty: start the service, which creates the tables'
            : `The database has schema version ${version}: start the service, which upgrades it`);
        }
        return version > SCHEMA_VERSION ? refuseVersion(version) : await act(database);
      } finally {
        await database.close();
      }
    },
  };
}
