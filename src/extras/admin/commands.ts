/** Runs the command in the command line. The word `admin` before the command is optional. */
import { statSync } from 'node:fs';
import { listSettings, readConfig, type Config } from '../../config.ts';
import { IN_MEMORY } from '../../database/location.ts';
import { openDatabase } from '../../programs/database.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_USAGE, fail, failWith, readVersion } from '../../runtime.ts';
import { namesOf, settings, type Setting } from '../../settings.ts';
import { readSchemaVersion, refuseVersion, SCHEMA_VERSION } from '../../stores/schema.ts';
import { accountCommands } from './account-commands.ts';
import { linkCommands } from './add-users.ts';
import { describeCommands, parseCommandLine, type Command, type CommandContext } from './command-line.ts';
import { dataCommands } from './data-commands.ts';

/** In the help, the names of these commands begin with the word `admin`. */
const ACCOUNT_COMMANDS: readonly Command[] = [
  ...accountCommands,
  ...linkCommands,
];

const DATA_COMMANDS: readonly Command[] = [
  ...dataCommands,
];

export const COMMANDS: readonly Command[] = [...ACCOUNT_COMMANDS, ...DATA_COMMANDS];

/** Only version 1.0 had these commands. The value of each entry says what to use instead. */
export const REMOVED_COMMANDS: Readonly<Record<string, string>> = {
  export: 'use backup to copy a file, and GET /db/backup of rqlite to copy a cluster',
  import: 'use restore to replace a file, and POST /db/load of rqlite to fill a cluster',
};

/** These options need neither a database nor valid settings. */
const OPTIONS = [
  {
    name: '--print-config', help: 'Check and print the settings; warn about settings too lax for production',
    run: printConfig,
  },
  { name: '--version', help: 'Print the version', run: async () => `${readVersion()}\n` },
  { name: '--help', help: 'Print this help text (short: -h)', run: printHelp },
];

/** After a failure, prints a message and sets the exit code. */
export async function runCommand(programArguments: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') { // EPIPE means that a reader such as `head` has stopped
      fail(EXIT_FAILURE, `Cannot write the output: ${error.message}`);
    }
    process.exit();
  });
  const isHelp = programArguments.includes('--help') || programArguments.includes('-h');
  const words = isHelp ? ['--help'] : programArguments.slice(programArguments[0] === 'admin' ? 1 : 0);
  const [name = ''] = words;
  if (Object.hasOwn(REMOVED_COMMANDS, name)) {
    return fail(EXIT_USAGE, `The command "${name}" was removed: ${REMOVED_COMMANDS[name]}`);
  }
  const parsed = parseCommandLine(words, [...COMMANDS, ...OPTIONS]);
  if (typeof parsed === 'string') {
    return fail(EXIT_USAGE, `${parsed}\nSee --help`);
  }
  const option = OPTIONS.find((known) => known === parsed.command);
  if (option !== undefined) {
    process.stdout.write(await option.run());
    return;
  }
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  // Some supported versions of Node.js would warn that `node:sqlite` is experimental.
  process.removeAllListeners('warning');
  try {
    process.stdout.write(await parsed.command.run(parsed.given, createContext(outcome.config)));
  } catch (error) {
    failWith(error);
  }
}

function createContext(config: Config): CommandContext {
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

async function printConfig(): Promise<string> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
    return '';
  }
  const lax = findLaxSettings(outcome.config);
  process.stderr.write(lax.map((sentence) => `Too lax for production: ${sentence}\n`).join(''));
  return Object.entries(listSettings()).map(([name, value]) => `${name}=${value}\n`).join('');
}

const FIRST_AND_LAST = [['0.0.0.1', '255.255.255.254'], ['::2', 'fe80::1']]; // of IPv4, and of IPv6

/** Finds settings that are good for a first try, but unsafe if strangers can reach the service. */
function findLaxSettings(config: Config): readonly string[] {
  const { passwordLengthMin, registration, directory, metrics, metricsToken, host, tlsCertFile } = config;
  const isReachable = !/^(localhost|127\.|::1$)/.test(host);
  return [
    // NIST SP 800-63B asks for 15 characters if the password is the only factor, but 12 characters are usual.
    passwordLengthMin < 12 && `PASSWORD_MIN_LENGTH=${passwordLengthMin} allows weak passwords; set it to 15`,
    registration === 'open' && 'REGISTRATION=open lets everybody create an account; set REGISTRATION=closed',
    directory === 'open' && 'DIRECTORY=open shows all email addresses to every user; set DIRECTORY=closed',
    isReachable && tlsCertFile === undefined &&
      `HOST=${host} without TLS lets others on the network read passwords; ` +
      'set HOST to 127.0.0.1, or set TLS_CERT_FILE',
    isReachable && metrics === 'on' && metricsToken === undefined &&
      'METRICS=on shows the metrics to other machines; set METRICS_TOKEN',
    FIRST_AND_LAST.some((addresses) => addresses.every((address) => config.trustedProxies?.(address))) &&
      'TRUST_PROXY trusts every client, so clients can choose their address; name only the proxy',
  ].filter((sentence) => sentence !== false);
}

async function printHelp(): Promise<string> {
  const lines = Object.values<Setting<unknown>>(settings).map((setting) => {
    const byDefault = setting.fallback === '' ? '' : ` [${setting.fallback}]`;
    return `  ${namesOf(setting).join(' or ')}${byDefault}\n      ${setting.description}\n`;
  });
  return `Usage: rollcall [COMMAND]      (if not installed: node dist/server.js [COMMAND])

Without a command: run the HTTP service for users, projects and tokens until SIGTERM or SIGINT.

Commands work on the database in DATABASE_URL. Only the command "restore" creates a database.
${describeCommands(ACCOUNT_COMMANDS, 'admin ')}
${describeCommands([...DATA_COMMANDS, ...OPTIONS])}
Without --password-file, commands read a password from the terminal or from standard input.
Exit codes: 0 success; 1 failure; 64 wrong arguments; 78 wrong settings, or Node.js is too old.

Settings, read from environment variables, with their defaults in square brackets:
${lines.join('')}`;
}
