/** Tests types from openapi-typescript. If it is missing, the test fails in CI, and is skipped elsewhere. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTool } from '../../../scripts/tools.ts';
import { createDocument } from '../../../src/extras/documents/openapi.ts';
import { findObstacle } from '../../support/commands.ts';
import { defaultConfig } from '../../support/config.ts';
import { operations } from '../../support/operations.ts';
import { createFolder } from '../../support/programs.ts';
import { projectFolder } from '../../support/project.ts';

const CLIENT = `
import type { components, operations } from './types.ts';

type Schemas = components['schemas'];
export const project: Schemas['NewProject'] = { name: 'notes' };
export const tokens: Schemas['NewToken'][] = [{}, { scope: 'read_only' }, { expiration: 60 }];
export const changes: Schemas['ProjectPatch'][] = [{}, { owner: 'ada' }];
// @ts-expect-error The name of a project must be given.
export const nameless: Schemas['NewProject'] = { description: '' };

type Responses = operations['readProject']['responses'];
export const nameOf = (body: Responses[200]['content']['application/json']): string => body.owner.username;
type AnyError = Responses['default']['content']['application/problem+json'];
export const isTransient = ({ status }: AnyError): boolean => status === 503;
// @ts-expect-error No error has this status.
export const isTeapot = ({ status }: AnyError): boolean => status === 418;
`;

const skip = findObstacle(() => findTool('openapiTypescript'));

test('types that a generator makes of the document compile, without a warning', { skip }, (t) => {
  const folder = createFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('openapi.json', JSON.stringify(createDocument(operations, defaultConfig(), '1.0.0')));
  const generated = run(folder, findTool('openapiTypescript'), 'openapi.json', '--output', 'types.ts');
  assert.doesNotMatch(generated, /warn|⚠/i);
  write('package.json', '{"type":"module"}');
  write('client.ts', CLIENT);
  write('tsconfig.json', JSON.stringify({
    extends: join(projectFolder, 'tsconfig.json'),
    compilerOptions: { types: [], allowImportingTsExtensions: true, noEmit: true },
    include: ['types.ts', 'client.ts'],
  }));
  run(folder, join(projectFolder, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.json');
});

function run(folder: string, ...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}
