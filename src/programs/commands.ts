/** Runs the command that the command line names. The word `admin` may stand before this command. */
import { listSettings, readConfig, type Config } from '../config.ts';
import { ACCOUNT_COMMANDS, administer, DATA_COMMANDS } from '../extras/admin/administer.ts';
import { describeCommands } from '../extras/admin/command-line.ts';
import { EXIT_CONFIG, EXIT_FAILURE, fail, readVersion } from '../runtime.ts';
import { namesOf, settings, type Setting } from '../settings.ts';
import { openDatabase } from './database.ts';

/** The options that need neither a database nor valid settings. */
const OPTIONS = [
  { name: '--print-config', help: 'Check and print the settings; warn of lax settings', run: printConfig },
  { name: '--version', help: 'Print the version', run: async () => `${readVersion()}\n` },
  { name: '--help', help: 'Print this help text (short: -h)', run: printHelp },
];

export async function runCommand(programArguments: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') { // EPIPE means that a reader such as `head` has stopped
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
    await administer(name === 'admin' ? more : programArguments, OPTIONS, openDatabase);
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
    ...findLaxSettings(outcome.config).map((sentence) => `Too lax for production: ${sentence}`),
  ];
  process.stderr.write(warnings.map((sentence) => `${sentence}\n`).join(''));
  return Object.entries(listSettings()).map(([name, value]) => `${name}=${value}\n`).join('');
}

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
      `HOST=${host} accepts passwords without encryption; set HOST to 127.0.0.1, or set TLS_CERT_FILE`,
    isReachable && metrics === 'on' && metricsToken === undefined &&
      'METRICS=on shows the metrics to other machines; set METRICS_TOKEN',
  ].filter((sentence) => sentence !== false);
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
Without --password-file, commands read a password from the terminal or from standard input.
Exit codes: 0 success; 1 failure; 64 wrong arguments; 78 wrong settings, or Node.js is too old.

Settings, read from environment variables, with their defaults in square brackets:
${lines.join('')}`;
}
