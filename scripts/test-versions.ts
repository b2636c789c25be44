/** `npm run test:versions`: runs the tests of the core under other versions of Node.js. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildOrEnd } from './build.js';
import { runCommand } from './command.ts';
import { findNodeOf, OTHER_VERSIONS, projectFolder } from './runtime.js';

const USAGE = `Usage: npm run test:versions

Runs the tests of the core under Node.js ${OTHER_VERSIONS.join(' and ')}.
Fetches each version once into .node/.
Tests outside the core run only in npm test, under a single version of Node.js.

Exit codes: 0 if all tests passed, 1 if a test failed, 64 if the arguments are wrong.`;

/**
 * Tests that only read source text are left out, because their result does not depend on the version of
 * Node.js.
 */
const FILES = [
  'test/{auth,database,http,jsonschema,model,scheduling,stores}/*.test.ts',
  'test/core/{caller-first,requests}.test.ts', 'test/api/0[1-8]-*.test.ts',
  'test/programs/{server,tls,upgrade}.test.ts',
];

await runCommand(USAGE, () => {
  buildOrEnd();
  for (const version of OTHER_VERSIONS) {
    console.log(`\nThe core under Node.js ${version}:`);
    const { status } = spawnSync(findNodeOf(version), [
      '--import', 'tsx', '--test', '--test-reporter=dot', `--test-concurrency=${availableParallelism() + 1}`,
      '--test-timeout=600000', ...globSync(FILES, { cwd: projectFolder }),
    ], { cwd: projectFolder, stdio: 'inherit' });
    if (status !== 0) {
      throw new Error(`The tests of the core fail under Node.js ${version}`);
    }
  }
});
