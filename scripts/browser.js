/**
 * Finds what tests drive: Chromium, and chromedriver, through which they do so. Debian's packages
 * chromium and chromium-driver.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const DRIVERS = ['chromedriver'];

/**
 * @returns {{ browser: string, driver: string }} Paths of the two programs.
 * @throws {Error} When one is not on PATH; the message says which.
 */
export function findBrowser() {
  return { browser: findProgram(BROWSERS), driver: findProgram(DRIVERS) };
}

/** @param {readonly string[]} names - Of which any will do. */
function findProgram(names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(
    (file) => existsSync(file),
  );
  if (found === undefined) {
    throw new Error(
      `there is no ${names.join(' or ')} on PATH (Debian has the packages chromium and chromium-driver)`,
    );
  }
  return found;
}
