/**
 * The compiler checks that the parts of an operation fit. The tests compile small files with one wrong
 * part.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { projectFolder } from '../support/project.ts';

const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');

/** The source of an operation on projects with these members. */
function source(members: string, path = '/projects'): string {
  const src = join(projectFolder, 'src');
  return `
    import { object, optional, text } from '${src}/jsonschema/typed.ts';
    import { jsonBody } from '${src}/api/body.ts';
    import { operation } from '${src}/api/operation.ts';
    import { refuse } from '${src}/api/problems.ts';
    import { done } from '${src}/api/replies.ts';

    const newProject = object({ name: text(), description: optional(text()) });

    export const createProject = operation({
      method: 'POST', path: '${path}', body: jsonBody(newProject), replies: done({ status: 'created' }),
      ${members}
    });`;
}

/** @returns The errors of the compiler; empty if the file compiles. */
function compile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-compile-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'operation.ts'), text);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
    extends: join(projectFolder, 'tsconfig.json'),
    compilerOptions: {
      rewriteRelativeImportExtensions: false, typeRoots: [join(projectFolder, 'node_modules', '@types')],
    },
    include: [],
    files: ['operation.ts'],
  }));
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}

test('an operation that reads and refuses only what it declares compiles', (t) => {
  assert.equal(compile(t, source(`
    access: 'authenticated',
    refuses: ['projectNameTaken'],
    handle: (_, { body, caller }) =>
      body.name === caller.user.username
        ? refuse('projectNameTaken', body.description ?? '')
        : undefined,`)), '');
});

for (const [title, members, complaint] of [
  ['refuses with a problem that it does not declare',
    "access: 'authenticated', refuses: ['projectNameTaken'], handle: () => refuse('unknownOwner', 'ada'),",
    /Refusal<"unknownOwner">' is not assignable/],
  ['reads a member that its schema does not have',
    "access: 'authenticated', handle: (_, { body }) => void body.owner,", /Property 'owner' does not exist/],
  ['uses an optional member as a required one',
    "access: 'authenticated', handle: (_, { body }) => void body.description.length,",
    /'body.description' is possibly 'undefined'/],
  ['reads the caller of a public request',
    "access: 'public', handle: (_, { caller }) => void caller.user,",
    /'caller' is possibly 'undefined'|Property 'user' does not exist/],
  ['refuses without the facts that the problem needs',
    "access: 'public', refuses: ['projectNameTaken'], handle: () => refuse('projectNameTaken'),",
    /Expected 2 arguments/],
] as const) {
  test(`a handler that ${title} does not compile`, (t) => {
    const said = compile(t, source(members));
    assert.match(said, complaint);
  });
}

test('a path with an undeclared parameter does not compile', (t) => {
  const said = compile(
    t, source("access: 'public', parameters: {}, handle: () => undefined,", '/projects/{id}'),
  );
  assert.match(said, /Property 'id' is missing/);
});
