/**
 * Runs a script that has no argument except `--help`. The exit code is 64 after any other argument, and 1 if
 * the script throws an error.
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
