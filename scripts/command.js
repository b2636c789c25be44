/** Reads the command line of scripts that take no arguments. */

/**
 * Runs the script. With `--help`, prints the usage. With other arguments, prints the usage as an error, with
 * exit code 64.
 *
 * @param {string} usage
 * @param {() => void | Promise<void>} run - The script. If the script throws an error, its message is printed
 * and the
 *   exit code is 1.
 */
export async function runCommand(usage, run) {
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
