/** Runs the command that the arguments of the program name. */
import { isSlip, listSettings, readConfig } from '../config.ts';
import { openExistingDatabase } from '../database/open.ts';
import {
  ACCOUNT_COMMANDS, administer, DATA_COMMANDS, REMOVED_COMMANDS,
} from '../extras/admin/administer.ts';
import { describeCommands, toColumns, type DatabaseOpeners } from '../extras/admin/command-line.ts';
import { EXIT_CONFIG, EXIT_USAGE, fail } from '../runtime.ts';
import { namesOf, settings, type Setting } from '../settings.ts';
import { late } from './extras.ts';
import { findLaxSettings } from './lax-settings.ts';
import { readVersion } from './version.ts';

const openers: DatabaseOpeners = {
  openExistingDatabase: (location) => openExistingDatabase(location, late.openRqlite),
  findNodeFaults: late.findNodeFaults,
};

const OPTIONS: Readonly<Record<string, { readonly help: string; readonly run: () => void }>> = {
  '--print-config': { help: 'Check and print the settings, and name lax ones', run: showConfig },
  '--version': { help: 'Print the version', run: () => print(`${readVersion()}\n`) },
  '--help': { help: 'Print this text; also -h', run: () => print(helpText()) },
};

/** @param programArguments - Without the program itself. */
export async function runCommand(programArguments: readonly string[]): Promise<void> {
  const [name = '', ...more] = programArguments;
  if (programArguments.includes('--help') || programArguments.includes('-h')) {
    return print(helpText());
  }
  if (name === 'admin') {
    return administer(more, openers);
  }
  if (DATA_COMMANDS.some((command) => command.name === name) || Object.hasOwn(REMOVED_COMMANDS, name)) {
    return administer(programArguments, openers);
  }
  const option = OPTIONS[name];
  return option !== undefined && more.length === 0
    ? option.run()
    : fail(EXIT_USAGE, toMistake(option === undefined ? name : more.join(' ')));
}

function toMistake(unknown: string): string {
  const meant = ACCOUNT_COMMANDS.some(({ name }) => name === unknown)
    ? `admin ${unknown}`
    : [...Object.keys(OPTIONS), 'admin', ...DATA_COMMANDS.map(({ name }) => name)]
      .find((known) => isSlip(unknown, known));
  return `Unknown argument "${unknown}". ${meant === undefined ? 'See --help' : `Did you mean ${meant}?`}`;
}

/** Checks the settings as a start does, and prints them. */
function showConfig(): void {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const warnings = [
    ...Object.entries(outcome.retired).map(([name, now]) => `${name} is retired and ignored: ${now}`),
    ...findLaxSettings(outcome.config),
  ];
  process.stderr.write(warnings.map((sentence) => `${sentence}\n`).join(''));
  print(Object.entries(listSettings()).map(([name, value]) => `${name}=${value}\n`).join(''));
}

function helpText(): string {
  const options = Object.entries(OPTIONS).map(([usage, { help }]) => ({ usage, help }));
  const lines = Object.values<Setting<unknown>>(settings).map((setting) => {
    const { fallback, description } = setting;
    const byDefault = fallback === '' ? '' : ` [${fallback}]`;
    return `  ${namesOf(setting).join(' or ')}${byDefault}\n      ${description}\n`;
  });
  return `Usage: rollcall [COMMAND]      (from a folder: node dist/server.js [COMMAND])

Without a command: serve users, projects and tokens over HTTP. SIGTERM and SIGINT shut it down in order.

Commands, on the database that the settings name; only restore makes a new one:
${toColumns(describeCommands(ACCOUNT_COMMANDS, 'admin '))}
${toColumns([...describeCommands(DATA_COMMANDS), ...options])}
A password comes from the file, else it is typed at a terminal, else it is read from standard input.
Exit codes: 0 done, or ended in order; 1 failed; 64 wrong arguments; 78 wrong settings or Node.js.

Settings, from the environment, with their defaults:
${lines.join('')}`;
}

function print(text: string): void {
  process.stdout.on('error', () => {}); // a reader such as `head` may stop reading
  process.stdout.write(text);
}
