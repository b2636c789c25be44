/**
 * `npm run start:locked`: starts the service under the permission model of Node.js
 * (nodejs.org/api/permissions.html). The service gets only the permissions that it needs.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOrEnd } from './build.js';
import { runInForeground } from './foreground.js';
import { projectFolder } from './runtime.js';

/**
 * Creates the folder of the database, because Node.js grants access only to a folder that exists.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {Promise<string[]>} Arguments of Node.js. The server can read only its own files, and the files
 *   whose paths are in the settings. The server can write only in the folder of the database.
 */
export async function prepareLockedArguments(environment) {
  const { readConfig } = await import(new URL('../dist/config.js', import.meta.url).href);
  // The server is started even with invalid settings, because the server reports the mistakes.
  const outcome = readConfig(environment);
  const database = outcome.kind === 'valid' ? outcome.config.database : undefined;
  const dataFolders = database?.driver === 'sqlite' && database.path !== ':memory:'
    ? [dirname(resolve(database.path))]
    : [];
  dataFolders.forEach((folder) => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const namedFiles = (await fileSettings()).flatMap((name) => environment[name] || []);
  const readable = [
    ...['dist', 'static', 'package.json'].map((name) => join(projectFolder, name)),
    ...namedFiles.map((file) => resolve(file)), ...dataFolders,
  ];
  return [
    '--max-semi-space-size=4', // see scripts/container/README.md#memory
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...dataFolders.map((path) => `--allow-fs-write=${path}`),
    // Versions of Node.js before 25 do not restrict the network, and lack the flag `--allow-net`.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

async function fileSettings() {
  const { settings, namesOf } = await import(new URL('../dist/settings.js', import.meta.url).href);
  return Object.values(settings).flatMap(namesOf).filter((name) => name.endsWith('_FILE'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildOrEnd();
  const lockedArguments = await prepareLockedArguments(process.env);
  runInForeground(process.execPath, [
    ...lockedArguments, join(projectFolder, 'dist', 'server.js'), ...process.argv.slice(2),
  ]);
}
