/**
 * Programs load this file first. The file uses only old features of JavaScript, so it runs on every version
 * of Node.js that supports modules.
 */
import { readFileSync } from 'node:fs';

/** The oldest version of Node.js whose `node:sqlite` has everything that `src/database/` needs. */
export const NODE_VERSION_MIN = '22.16.0';

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
/** The exit code for wrong arguments (EX_USAGE of sysexits.h). */
export const EXIT_USAGE = 64;
/** The exit code for wrong settings, or for a wrong version of Node.js (EX_CONFIG). */
export const EXIT_CONFIG = 78;

export function fail(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

/** If the error is a bug, prints the stack trace. For all other errors, prints only the message. */
export function failWith(error: unknown): void {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  fail(EXIT_FAILURE, isBug(error) ? stack : message);
}

/** Errors that JavaScript itself throws, such as a TypeError, are bugs. */
export function isBug(error: unknown): boolean {
  return [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
}

export function requireSupportedNode(): void {
  const version = process.versions.node;
  if (version.localeCompare(NODE_VERSION_MIN, 'en', { numeric: true }) < 0) {
    fail(EXIT_CONFIG, `Rollcall needs Node.js ${NODE_VERSION_MIN} or later (for node:sqlite), but this is ` +
      `Node.js ${version}: install a newer Node.js, or use "npm start" and "npm run admin" in the project, ` +
      'which download a newer Node.js');
    process.exit();
  }
}

export function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
