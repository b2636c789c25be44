/**
 * How programs start and end: the version of Node.js that they need, exit codes and refusals. This file
 * imports nothing and uses only old features, so that it runs on every Node.js that supports modules.
 */

/**
 * The first version whose node:sqlite has everything that `src/database/` uses; `engines` in package.json
 * says the same.
 */
export const NODE_VERSION_MIN = '22.16.0';

/** The exit codes of the programs (sysexits.h for 64 and 78). */
export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
/** The command line was wrong. */
export const EXIT_USAGE = 64;
/** The settings or the runtime were wrong. */
export const EXIT_CONFIG = 78;

/** Writes one message for the operator, and sets the exit code. */
export function fail(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

/** Reports an error by its message, which is a sentence for operators, and a bug with its stack. */
export function failWith(error: unknown): void {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  fail(EXIT_FAILURE, isBug(error) ? stack : message);
}

/** Errors of JavaScript itself are bugs. */
export function isBug(error: unknown): boolean {
  return [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
}

/** Ends the process with an error message when its Node.js is too old. */
export function requireSupportedNode(): void {
  const version = process.versions.node;
  if (!isAtLeast(version, NODE_VERSION_MIN)) {
    process.stderr.write(
      `Rollcall needs Node.js ${NODE_VERSION_MIN} or later (for node:sqlite), but this is Node.js ` +
        `${version}: install a newer Node.js, or use "npm start" and "npm run admin" in the project, ` +
        'which download a newer Node.js\n',
    );
    process.exit(EXIT_CONFIG);
  }
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

