/**
 * The program `admin.js`, which manages accounts and data from the command line. It uses the database of the
 * server, also while the server is running.
 */
import { readConfig } from '../config.ts';
import { describeError } from '../telemetry/log.ts';
import { describeCommands, parseCommandLine } from './command-line.ts';
import { COMMANDS, OPTIONS } from './commands.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from '../runtime.ts';

const HELP = `Usage: node dist/admin.js COMMAND [USERNAME | FILE] [OPTIONS]

${describeCommands(COMMANDS, OPTIONS)}
The database is that of the settings: DATABASE_URL, see server.js --help. Only import and restore make a
new one.
Exit codes: 0 done, 1 failed, 64 wrong arguments, 78 wrong settings or Node.js.
`;

export async function main(programArguments: readonly string[]): Promise<void> {
  process.stdout.on('error', () => process.exit(EXIT_OK)); // a reader such as `head` stopped
  process.exitCode = await administer(programArguments);
}

async function administer(programArguments: readonly string[]): Promise<number> {
  if (programArguments.includes('--help') || programArguments.includes('-h')) {
    process.stdout.write(HELP);
    return EXIT_OK;
  }
  const parsed = parseCommandLine(programArguments, COMMANDS, OPTIONS);
  if (parsed.kind === 'mistake') {
    return complain(`${parsed.mistake}\nSee admin.js --help`, EXIT_USAGE);
  }
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return complain(outcome.mistakes.join('\n'), EXIT_CONFIG);
  }
  try {
    hideExperimentalWarning();
    process.stdout.write(await parsed.command.run(parsed.given, { config: outcome.config, clock: Date.now }));
    return EXIT_OK;
  } catch (error) {
    return complain(toSentence(error), EXIT_FAILURE);
  }
}

/** Makes a text of an error. Messages are sentences for people, except for a TypeError, which is a bug. */
function toSentence(error: unknown): string {
  return error instanceof Error && !(error instanceof TypeError) ? error.message : describeError(error);
}

/** Hides the warning with which older supported versions of Node.js mark `node:sqlite` as experimental. */
function hideExperimentalWarning(): void {
  process.removeAllListeners('warning');
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}
