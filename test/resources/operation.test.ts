/** Tests that the compiler finds the wrong part of an operation. The test compiles each row as a file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectFolder } from '../support/project.ts';

/** Each row has a title, the members of an operation, and the expected errors of the compiler. */
const rows = [
  ['an operation that reads and refuses only what it declares compiles', `
    access: 'authenticated',
    refuses: ['scopeTooNarrow'],
    handle: async (_, { body, caller }) =>
      body.name === caller.user.username ? refuse('scopeTooNarrow', body.description ?? '') : undefined,`,
    /^$/],
  ['a handler that refuses with a problem that it does not declare does not compile',
    "access: 'authenticated', refuses: ['projectNameTaken'], handle: async () => refuse('unknownOwner'),",
    /Refusal<"unknownOwner">>' is not assignable/],
  ['a handler that reads a member that its schema does not have does not compile',
    "access: 'authenticated', handle: async (_, { body }) => void body.owner,",
    /Property 'owner' does not exist/],
  ['a handler that uses an optional member as a required one does not compile',
    "access: 'authenticated', handle: async (_, { body }) => void body.description.length,",
    /'body.description' is possibly 'undefined'/],
  ['a handler that reads the caller of a public request does not compile',
    "access: 'public', handle: async (_, { caller }) => void caller.user,",
    /'caller' is possibly 'undefined'|Property 'user' does not exist/],
  ['a handler that refuses without the facts that the problem needs does not compile',
    "access: 'public', refuses: ['scopeTooNarrow'], handle: async () => refuse('scopeTooNarrow'),",
    /Expected 2 arguments/],
  ['a handler that reads a name that its path does not have does not compile',
    "access: 'public', path: '/projects/{id}', handle: async (_, { path }) => void path.name,",
    /Property 'name' does not exist/],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'rollcall-compile-'));
after(() => rmSync(folder, { recursive: true }));
const errors = compileAll();

rows.forEach(([title, , complaint], index) => test(title, () => {
  const own = errors.split('\n').filter((line) => line.includes(`operation${index}.ts`)).join('\n');
  assert.match(own, complaint);
}));

/** @returns The errors of the compiler, each with the name of the file. */
function compileAll(): string {
  const src = join(projectFolder, 'src');
  rows.forEach(([, members], index) => writeFileSync(join(folder, `operation${index}.ts`), `
    import { object, optional, text } from '${src}/jsonschema/typed.ts';
    import { jsonBody } from '${src}/api/body.ts';
    import { operation } from '${src}/api/operation.ts';
    import { refuse } from '${src}/api/problems.ts';
    import { words } from '${src}/api/replies.ts';

    const newProject = object({ name: text(), description: optional(text()) });

    export const createProject = operation({
      method: 'POST', body: jsonBody(newProject), replies: words({ status: 'created' }),
      ${members.includes('path:') ? '' : "path: '/projects',"}
      ${members}
    });`));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
    extends: join(projectFolder, 'tsconfig.json'),
    compilerOptions: {
      rewriteRelativeImportExtensions: false, typeRoots: [join(projectFolder, 'node_modules', '@types')],
    },
    include: ['operation*.ts'],
  }));
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}
