/** `npm run tour`: updates the pages about the source: tour, walk, reading list, and two tables. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fillProtections, PROTECTIONS_PAGE } from '../test/protections/protections.ts';
import { fillSettings, SETTINGS_PAGE } from '../test/support/settings-table.ts';
import * as tour from '../test/tour/page.ts';
import * as walk from '../test/walk/page.ts';
import { measurePath } from './reading-list/measure.ts';
import * as readingList from './reading-list/page.ts';

const USAGE = `Usage: npm run tour

Writes test/tour/README.md (the specification, its source and its tests), test/walk/README.md (one request
from the socket to the disk and back, and exercises), the table of settings in src/programs/README.md, and
the table of protections in README.md. Then builds the server, and writes scripts/reading-list/README.md (the
files that its operations enter).`;

const settingsTable = {
  PAGE: SETTINGS_PAGE, createPage: () => fillSettings(readFileSync(SETTINGS_PAGE, 'utf8')),
};
const protectionsTable = {
  PAGE: PROTECTIONS_PAGE, createPage: () => fillProtections(readFileSync(PROTECTIONS_PAGE, 'utf8')),
};

const readingListPage = {
  PAGE: readingList.PAGE,
  async createPage() {
    const build = fileURLToPath(new URL('build.js', import.meta.url));
    const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) {
      throw new Error('Cannot measure the reading list: the build failed');
    }
    return readingList.createPage((await measurePath()).files);
  },
};

if (process.argv.length > 2) {
  console.error(USAGE);
  process.exitCode = process.argv[2] === '--help' ? 0 : 64;
} else {
  for (const { PAGE, createPage } of [tour, walk, settingsTable, protectionsTable, readingListPage]) {
    try {
      writeFileSync(PAGE, await createPage());
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
