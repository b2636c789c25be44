/** Runs the command on the command line. The word `admin` may stand before the command. */
import { listSettings, readConfig } from '../config.ts';
import { openExistingDatabase } from '../database/open.ts';
import { ACCOUNT_COMMANDS, administer, DATA_COMMANDS } from '../extras/admin/administer.ts';
import { describeCommands } from '../extras/admin/command-line.ts';
import { EXIT_CONFIG, EXIT_FAILURE, fail } from '../runtime.ts';
import { namesOf, settings, type Setting } from '../settings.ts';
import { late } from './extras.ts';
import { findLaxSettings } from './lax-settings.ts';
import { readVersion } from './version.ts';

/** The options that need neither a database nor valid settings. */
const OPTIONS = [
  { name: '--print-config', help: 'Check and print the settings; warn of lax settings', run: printConfig },
  { name: '--version', help: 'Print the version', run: async () => `${readVersion()}\n` },
  { name: '--help', help: 'Print this help text (short: -h)', run: printHelp },
];

export async function runCommand(programArguments: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') { // EPIPE: a reader such as `head` has stopped
      fail(EXIT_FAILURE, `Cannot write the output: ${error.message}`);
    }
    process.exit();
  });
  const isHelp = programArguments.includes('--help') || programArguments.includes('-h');
  const [name = '', ...more] = isHelp ? ['--help'] : programArguments;
  const option = OPTIONS.find((known) => known.name === name && more.length === 0);
  if (option !== undefined) {
    process.stdout.write(await option.run());
  } else {
    await administer(name === 'admin' ? more : programArguments, OPTIONS, {
      openExistingDatabase: (location) => openExistingDatabase(location, late.openRqlite),
      findNodeFaults: late.findNodeFaults,
    });
  }
}

async function printConfig(): Promise<string> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
    return '';
  }
  const warnings = [
    ...Object.entries(outcome.retired).map(([name, now]) => `${name} is retired and ignored: ${now}`),
    ...findLaxSettings(outcome.config),
  ];
  process.stderr.write(warnings.map((sentence) => `${sentence}\n`).join(''));
  return Object.entries(listSettings()).map(([name, value]) => `${name}=${value}\n`).join('');
}

async function printHelp(): Promise<string> {
  const lines = Object.values<Setting<unknown>>(settings).map((setting) => {
    const byDefault = setting.fallback === '' ? '' : ` [${setting.fallback}]`;
    return `  ${namesOf(setting).join(' or ')}${byDefault}\n      ${setting.description}\n`;
  });
  return `Usage: rollcall [COMMAND]      (from a folder: node dist/server.js [COMMAND])

Without a command: serve users, projects and tokens over HTTP until SIGTERM or SIGINT.

Commands work on the database in DATABASE_URL. Only the command restore creates a database.
${describeCommands(ACCOUNT_COMMANDS, 'admin ')}
${describeCommands([...DATA_COMMANDS, ...OPTIONS])}
Without --password-file, a password is read from the terminal or from standard input.
Exit codes: 0 success; 1 failure; 64 wrong arguments; 78 wrong settings, or Node.js is too old.

Settings, read from environment variables, with their defaults in square brackets:
${lines.join('')}`;
}
