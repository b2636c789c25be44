/** `npm run tour`: updates the pages that quote the source: the tour, the walk and the table of settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fillSettings, SETTINGS_PAGE } from '../test/support/settings-table.ts';
import * as tour from '../test/tour/page.ts';
import * as walk from '../test/walk/page.ts';

const USAGE = `Usage: npm run tour

Writes test/tour/README.md (the specification, its source and its tests), test/walk/README.md (one request
from the socket to the disk and back, and exercises), and the table of settings in src/programs/README.md.`;

const settingsTable = {
  PAGE: SETTINGS_PAGE, createPage: () => fillSettings(readFileSync(SETTINGS_PAGE, 'utf8')),
};

if (process.argv.length > 2) {
  console.error(USAGE);
  process.exitCode = process.argv[2] === '--help' ? 0 : 64;
} else {
  for (const { PAGE, createPage } of [tour, walk, settingsTable]) {
    try {
      writeFileSync(PAGE, createPage());
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
