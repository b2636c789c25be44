/** `npm run docs`: generates the pages that describe the source code. */
import { writeFileSync } from 'node:fs';
import { generatedPages } from '../test/support/generated-pages.ts';
import { read } from '../test/support/project.ts';
import { build } from './build.js';
import { runCommand } from './command.ts';
import { measurePath } from './reading-list/measure.ts';
import { createReadingList } from './reading-list/page.ts';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run docs

Writes test/tour/README.md (each sentence of the specification, with links to code and tests) and
test/walk/README.md (ten exercises, and the way of a request from the socket to the disk and back). Updates
the table of settings in src/programs/README.md, the table of protections in scripts/audit/README.md, and the
version in the files of scripts/container/. Then builds the server, and writes scripts/reading-list/README.md
(the files whose functions run while the server answers requests).`;

const pages: Readonly<Record<string, (page: string) => string | Promise<string>>> = {
  ...generatedPages,
  async 'scripts/reading-list/README.md'() {
    build();
    return createReadingList(await measurePath());
  },
};

await runCommand(USAGE, async () => {
  for (const [file, write] of Object.entries(pages)) {
    try {
      writeFileSync(`${projectFolder}/${file}`, await write(read(file)));
    } catch (error) {
      console.error(`${file}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
});
