/**
 * Fetches programs of others that judge the description of the API: once each, in exact versions, as npm
 * packages, into the ignored folder `.judges/`. None of them is a dependency of this project.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchFolder, projectFolder } from '../runtime.js';

const JUDGES = {
  redocly: { name: '@redocly/cli', version: '2.77.0', program: 'bin/cli.js' },
  spectral: { name: '@stoplight/spectral-cli', version: '6.16.3', program: 'dist/index.js' },
  prism: { name: '@stoplight/prism-cli', version: '5.14.2', program: 'dist/index.js' },
  openapiTypescript: { name: 'openapi-typescript', version: '7.13.0', program: 'bin/cli.js' },
};

/**
 * @param {keyof typeof JUDGES} key
 * @returns {string} The path of a script to run with Node.js.
 * @throws {Error} When it cannot be had; the message says why.
 */
export function findJudge(key) {
  const { name, version, program } = JUDGES[key];
  const folder = join(projectFolder, '.judges', `${name.replace('/', '-')}-${version}`);
  if (!existsSync(folder)) {
    console.error(`Fetching ${name} ${version} into .judges/ (once)`);
    // The folder as a whole, since its packages look for each other in one that is called `node_modules`.
    fetchFolder(folder, { specifier: `${name}@${version}`, source: '..', assertUsable: () => undefined });
  }
  return join(folder, 'node_modules', name, program);
}
