/**
 * Used by `npm start` and `npm run admin`. Builds `dist/` if necessary, then imports a program of `dist/`.
 * The program gets the arguments that follow its name on the command line.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildOrEnd } from './build.js';
import { projectFolder } from './runtime.js';

const program = join(projectFolder, 'dist', process.argv[2] ?? '');
process.argv.splice(1, 2, program);
buildOrEnd();
await import(pathToFileURL(program).href);
