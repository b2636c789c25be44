/** Judges of the document alone: two linters, and a generator whose types must compile. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../runtime.js';
import { findTool } from '../tools.js';

const ENVIRONMENT = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** A client that omits every optional member. The compiler refuses it if a required member is missing. */
const CLIENT = `
import type { components } from './types.ts';

type Schemas = components['schemas'];
export const project: Schemas['NewProject'] = { name: 'notes' };
export const tokens: Schemas['NewToken'][] = [{}, { name: 'ci' }, { scope: 'read_only' }, { expiration: 60 }];
export const user: Schemas['NewUser'] = { username: 'ada', password: 'a phrase', email: 'ada@example.org' };
export const changes: Schemas['ProjectPatch'][] = [{}, { name: 'notes' }, { owner: 'ada' }];
// @ts-expect-error The name of a project must be given.
export const nameless: Schemas['NewProject'] = { description: '' };
`;

/**
 * @param {string} document - The path of a document.
 * @param {string} folder - For files that the judges read and write.
 * @returns {number} The number of judges that complain.
 */
export function judgeDocument(document, folder) {
  const types = join(folder, 'types.ts');
  // All recommended rules except one: the document names no license, because this project has none yet.
  const redoclyRules = write('redocly.yaml', 'extends: [recommended]\nrules:\n  info-license: off\n');
  const spectralRules = write('spectral.yaml', 'extends: ["spectral:oas"]\n');
  const rules = join(projectFolder, 'tsconfig.json');
  const compilerOptions = { types: [], allowImportingTsExtensions: true, noEmit: true };
  const project = { extends: rules, compilerOptions, include: [types, write('client.ts', CLIENT)] };
  const tsc = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  /** @type {readonly (readonly [title: string, ...command: readonly string[]])[]} */
  const commands = [
    [
      'redocly lint', findTool('redocly'), 'lint', document,
      '--config', redoclyRules, '--max-problems', '1000',
    ],
    [
      'spectral lint', findTool('spectral'), 'lint', document,
      '--ruleset', spectralRules, '--fail-severity', 'hint',
    ],
    ['openapi-typescript', findTool('openapiTypescript'), document, '--output', types],
    ['tsc of these types and a client', tsc, '--project', write('tsconfig.json', JSON.stringify(project))],
  ];
  return commands.filter(([title, ...command]) => !run(title, command)).length;

  /** @param {string} name @param {string} text */
  function write(name, text) {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }
}

/**
 * @param {string} title
 * @param {readonly string[]} command
 * @returns {boolean} True without complaints. The output is read, too, since redocly exits with 0 in spite of
 *   warnings.
 */
function run(title, command) {
  const env = { ...process.env, ...ENVIRONMENT };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env });
  const output = `${stdout}${stderr}`.trim();
  const isGood = status === 0 && !(title.startsWith('redocly') && /warning/i.test(output));
  console.log(`${isGood ? 'content  ' : 'COMPLAINT'}  ${title}`);
  console.log(output.replace(/^/gm, '           '));
  return isGood;
}
