/**
 * `npm run judge`: lets third-party programs judge the description of the API, and the requests and answers
 * of the API tests. Not part of `npm test`, because the first run fetches some hundred megabytes.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.js';
import { judgeDocument } from './judge/static.js';
import { judgeExchanges } from './judge/prism.js';
import { projectFolder } from './runtime.js';

const USAGE = `Usage: npm run judge

Runs the tests of the API and records every exchange and every description of the API that a service gives.
- redocly lint and spectral lint (spectral:oas) look at each description: no error and no warning.
- openapi-typescript makes types of each description. They must compile with the compiler of this project, and
  so must a client that omits every optional member.
- prism, as a validating proxy, sees every exchange: no sl-violations.
These tools are fetched once, in exact versions, into .judges/. npm chooses versions of their dependencies.

Exit codes: 0 no complaint, 1 a complaint, 64 wrong arguments.`;

await runCommand(USAGE, async () => {
  // Signals end this process through `exit`, so that prism ends, too.
  ['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, () => process.exit(1)));
  process.exitCode = (await judge()) ? 0 : 1;
});

/** @returns {Promise<boolean>} True when no judge complains. */
async function judge() {
  const folder = join(projectFolder, '.judges', 'run');
  const recorded = join(folder, 'recorded');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(recorded, { recursive: true });
  if (!record(recorded)) {
    return false;
  }
  let complaints = 0;
  for (const document of readdirSync(recorded).filter((file) => file.endsWith('.json'))) {
    console.log(`The description ${document}`);
    complaints += judgeDocument(join(recorded, document), folder);
  }
  complaints += await judgeExchanges(recorded);
  console.log(complaints === 0 ? 'No complaints' : `${complaints} complaints`);
  return complaints === 0;
}

/**
 * @param {string} folder - The folder for the recordings.
 * @returns {boolean} Whether the tests passed.
 */
function record(folder) {
  console.log('Recording the tests of the API');
  const { status, stdout } = spawnSync(process.execPath, [join('scripts', 'test.js'), 'test/api/*.test.ts'], {
    cwd: projectFolder,
    env: { ...process.env, RECORD_EXCHANGES: folder },
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  console.log(status === 0 ? stdout.split('\n').filter((line) => line.startsWith('ℹ')).join('\n') : stdout);
  return status === 0;
}
