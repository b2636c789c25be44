/** Runs the command that the arguments of the program name. */
import { isSlip, listSettings, readConfig } from '../config.ts';
import { openExistingDatabase } from '../database/open.ts';
import {
  ACCOUNT_COMMANDS, administer, DATA_COMMANDS, REMOVED_COMMANDS,
} from '../extras/admin/administer.ts';
import { describeCommands } from '../extras/admin/command-line.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_USAGE, fail } from '../runtime.ts';
import { namesOf, settings, type Setting } from '../settings.ts';
import { late } from './extras.ts';
import { findLaxSettings } from './lax-settings.ts';
import { readVersion } from './version.ts';

const OPTIONS = [
  { name: '--print-config', help: 'Check and print the settings, and warn of lax ones', run: printConfig },
  { name: '--version', help: 'Print the version', run: () => process.stdout.write(`${readVersion()}\n`) },
  { name: '--help', help: 'Print this help text (short: -h)', run: printHelp },
];

const WORDS = ['admin', ...[...OPTIONS, ...DATA_COMMANDS].map(({ name }) => name)];

/** @param programArguments - Without the program itself. */
export async function runCommand(programArguments: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') { // otherwise a reader such as `head` has stopped
      fail(EXIT_FAILURE, `Cannot write the output: ${error.message}`);
    }
    process.exit();
  });
  const [name = '', ...more] = programArguments;
  if (programArguments.includes('--help') || programArguments.includes('-h')) {
    return printHelp();
  }
  const option = OPTIONS.find((known) => known.name === name);
  if (option === undefined && (WORDS.includes(name) || Object.hasOwn(REMOVED_COMMANDS, name))) {
    return administer(name === 'admin' ? more : programArguments, {
      openExistingDatabase: (location) => openExistingDatabase(location, late.openRqlite),
      findNodeFaults: late.findNodeFaults,
    });
  }
  if (option !== undefined && more.length === 0) {
    return void option.run();
  }
  const unknown = option === undefined ? name : more.join(' ');
  const meant = ACCOUNT_COMMANDS.some((command) => command.name === unknown) ? `admin ${unknown}`
    : WORDS.find((word) => isSlip(unknown, word));
  fail(EXIT_USAGE, `Unknown argument "${unknown}". ${meant ? `Did you mean ${meant}?` : 'See --help'}`);
}

/** Checks the settings as a start does, and prints them. */
function printConfig(): void {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const warnings = [
    ...Object.entries(outcome.retired).map(([name, now]) => `${name} is retired and ignored: ${now}`),
    ...findLaxSettings(outcome.config),
  ];
  process.stderr.write(warnings.map((sentence) => `${sentence}\n`).join(''));
  process.stdout.write(Object.entries(listSettings()).map(([name, value]) => `${name}=${value}\n`).join(''));
}

function printHelp(): void {
  const lines = Object.values<Setting<unknown>>(settings).map((setting) => {
    const byDefault = setting.fallback === '' ? '' : ` [${setting.fallback}]`;
    return `  ${namesOf(setting).join(' or ')}${byDefault}\n      ${setting.description}\n`;
  });
  process.stdout.write(`Usage: rollcall [COMMAND]      (from a folder: node dist/server.js [COMMAND])

Without a command: serve users, projects and tokens over HTTP until SIGTERM or SIGINT.

Commands work on the database in DATABASE_URL. Only restore creates a database.
${describeCommands(ACCOUNT_COMMANDS, 'admin ')}
${describeCommands([...DATA_COMMANDS, ...OPTIONS])}
Without --password-file, a password is read from the terminal or from standard input.
Exit codes: 0 success; 1 failure; 64 wrong arguments; 78 wrong settings, or Node.js is too old.

Settings, read from environment variables, with their defaults in square brackets:
${lines.join('')}`);
}
