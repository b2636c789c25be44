/** `npm run tour`: writes the page that leads from the specification to the source and the tests. */
import { writeFileSync } from 'node:fs';
import { createPage, PAGE } from '../test/tour/page.ts';

if (process.argv.length > 2) {
  console.error(
    'Usage: npm run tour\n\nWrites test/tour/README.md: the specification, its source and its tests.',
  );
  process.exitCode = process.argv[2] === '--help' ? 0 : 64;
} else {
  try {
    writeFileSync(PAGE, createPage());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
