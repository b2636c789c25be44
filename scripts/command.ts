/**
 * Runs a script that takes no argument except `--help`, which prints the usage. Any argument except `--help`
 * prints the usage as an error, with exit code 64. If the script throws an error, the message of the error is
 * printed and the exit code is 1.
 */
export async function runCommand(usage: string, run: () => void | Promise<void>): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    console.log(usage);
  } else if (argument !== undefined) {
    console.error(`Unknown argument "${argument}"\n\n${usage}`);
    process.exitCode = 64;
  } else {
    try {
      await run();
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
