/**
 * `npm run start:locked`: serves under the permission model of Node.js (nodejs.org/api/permissions.html), with the least that
 * the service works with. What that confines and what not, the README says and a test asserts.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.js';
import { runInForeground } from './foreground.js';
import { projectFolder } from './runtime.js';

/**
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {Promise<string[]>} What Node.js is to be told: the program, its files and the files that settings name may be
 *   read, and the folder of the database may be read and written.
 */
export async function toLockedArguments(environment) {
  const { readConfig } = await import(new URL('../dist/config.js', import.meta.url).href);
  const outcome = readConfig(environment); // with mistakes in it, the server starts all the same and names them
  const database = outcome.kind === 'valid' ? outcome.config.database : undefined;
  const dataFolders = database?.driver === 'sqlite' && database.path !== ':memory:' ? [dirname(resolve(database.path))] : [];
  dataFolders.forEach((folder) => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const namedFiles = Object.entries(environment).flatMap(([name, file]) => (name.endsWith('_FILE') && file ? [resolve(file)] : []));
  const readable = [...['dist', 'static', 'package.json'].map((name) => join(projectFolder, name)), ...namedFiles, ...dataFolders];
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...dataFolders.map((path) => `--allow-fs-write=${path}`),
    ...(Number(environment['WORKERS'] ?? 1) > 1 ? ['--allow-child-process'] : []),
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []), // before Node.js 25 the network is not confined
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build();
  runInForeground(process.execPath, [...(await toLockedArguments(process.env)), join(projectFolder, 'dist', 'server.js'), ...process.argv.slice(2)]);
}
