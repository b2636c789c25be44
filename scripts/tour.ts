/** `npm run tour`: writes the pages that lead through the source: the tour and the walk. */
import { writeFileSync } from 'node:fs';
import * as tour from '../test/tour/page.ts';
import * as walk from '../test/walk/page.ts';

const USAGE = `Usage: npm run tour

Writes test/tour/README.md (the specification, its source and its tests) and test/walk/README.md (one request
from the socket to the disk and back, and exercises).`;

if (process.argv.length > 2) {
  console.error(USAGE);
  process.exitCode = process.argv[2] === '--help' ? 0 : 64;
} else {
  for (const { PAGE, createPage } of [tour, walk]) {
    try {
      writeFileSync(PAGE, createPage());
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
