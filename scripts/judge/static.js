/** Judges that look at the document alone: two linters, and a generator whose types have to compile. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../runtime.js';
import { findJudge } from './fetch.js';

/** The recommended rules but one: the document names no license, as this project has chosen none. */
const REDOCLY_RULES = 'extends: [recommended]\nrules:\n  info-license: off\n';

const SPECTRAL_RULES = 'extends: ["spectral:oas"]\n';

/** Leaves out every member that may be left out. Leaving out a required one is an error of the compiler. */
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
 * @param {string} folder - For what judges need and make.
 * @returns {number} How many of them complain.
 */
export function judgeDocument(document, folder) {
  const redoclyRules = join(folder, 'redocly.yaml');
  const spectralRules = join(folder, 'spectral.yaml');
  const types = join(folder, 'types.ts');
  const client = join(folder, 'client.ts');
  const project = join(folder, 'tsconfig.json');
  writeFileSync(redoclyRules, REDOCLY_RULES);
  writeFileSync(spectralRules, SPECTRAL_RULES);
  writeFileSync(client, CLIENT);
  const compilerOptions = { types: [], allowImportingTsExtensions: true, noEmit: true };
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(projectFolder, 'tsconfig.json'),
      compilerOptions,
      include: [types, client],
    }),
  );
  const verdicts = [
    run(
      'redocly lint',
      findJudge('redocly'),
      ['lint', '--config', redoclyRules, '--max-problems', '1000', document],
      (output) => !/warning/i.test(output),
    ),
    run('spectral lint', findJudge('spectral'), ['lint', '--ruleset', spectralRules, '--fail-severity', 'hint', document]),
    run('openapi-typescript', findJudge('openapiTypescript'), [document, '--output', types]),
    run(
      'tsc of these types and a client',
      join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc'),
      ['--project', project],
    ),
  ];
  return verdicts.filter((isContent) => !isContent).length;
}

/**
 * @param {string} title
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {(output: string) => boolean} isContent - Of an output with exit code 0.
 */
function run(title, program, programArguments, isContent = () => true) {
  const env = { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...programArguments], { encoding: 'utf8', env });
  const output = `${stdout}${stderr}`.trim();
  const isGood = status === 0 && isContent(output);
  console.log(`${isGood ? 'content  ' : 'COMPLAINT'}  ${title}`);
  console.log(output.replace(/^/gm, '           '));
  return isGood;
}
