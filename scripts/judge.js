/** `npm run judge`: shows the description of the API to programs of other projects. See USAGE. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';
import { runCommand } from './command.js';
import { readUrl } from './listening.js';
import { projectFolder } from './runtime.js';
import { findTool } from './tools.js';

const USAGE = `Usage: npm run judge

Shows the description of the API to programs of other projects. Not part of npm test, since the first run
fetches them: some hundred megabytes, in exact versions, into .judges/.
redocly lint and spectral lint (spectral:oas) report no error and no warning. Two rules are off: one wants
a license, and this project has chosen none; one wants a 4XX of each operation, and \`default\` has those.

Exit codes: 0 no complaint, 1 a complaint, 64 wrong arguments.`;

const folder = join(projectFolder, '.judges', 'run');

await runCommand(USAGE, async () => {
  build();
  mkdirSync(folder, { recursive: true });
  const document = write('openapi.json', await readDescription());
  const rules = 'rules:\n  info-license: off\n  operation-4xx-response: off\n';
  const redoclyRules = ['--config', write('redocly.yaml', `extends: [recommended]\n${rules}`)];
  const spectralRules = ['--ruleset', write('spectral.yaml', 'extends: ["spectral:oas"]\n')];
  const verdicts = [
    run('redocly', ['lint', document, ...redoclyRules]),
    run('spectral', ['lint', document, ...spectralRules, '--fail-severity', 'hint']),
  ];
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
});

/** @returns {Promise<string>} The description that the built server gives with default settings. */
async function readDescription() {
  const server = spawn(process.execPath, [join(projectFolder, 'dist', 'server.js')], {
    env: { PORT: '0', DATABASE_URL: 'sqlite::memory:' }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    return await (await fetch(`${await readUrl(server.stdout)}/api/v1/openapi.json`)).text();
  } finally {
    server.kill();
  }
}

/** @param {string} name @param {string} text @returns {string} The path of the file. */
function write(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/**
 * @param {'redocly' | 'spectral'} tool
 * @param {readonly string[]} words
 * @returns {boolean} True without complaints. Redocly exits with 0 in spite of warnings: its output counts.
 */
function run(tool, words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [findTool(tool), ...words], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const output = `${stdout}${stderr}`.trim();
  const isGood = status === 0 && !(tool === 'redocly' && /warning/i.test(output));
  console.log(`${isGood ? 'content  ' : 'COMPLAINT'}  ${tool} lint\n${output.replace(/^/gm, '           ')}`);
  return isGood;
}
