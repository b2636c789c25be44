/** The compiler must report mistakes in operations. The test compiles each row as a file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { createProject, readFolder } from '../support/project.ts';

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

const folder = createProject({ after }, [...readFolder('src'), ...rows.map(([, members], index) => ({
  file: `src/operation${index}.ts`,
  text: `
    import { object, optional, text } from './jsonschema/schema.ts';
    import { jsonBody } from './api/body.ts';
    import { operation } from './api/operation.ts';
    import { refuse } from './api/problems.ts';
    import { words } from './api/replies.ts';

    const newProject = object({ name: text(), description: optional(text()) });

    export const createProject = operation({
      method: 'POST', body: jsonBody(newProject), replies: words({ status: 'created' }),
      ${members.includes('path:') ? '' : "path: '/projects',"}
      ${members}
    });`,
}))]);
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'src', '--noEmit'];
const { stdout: errors } = spawnSync(process.execPath, compiler, { cwd: folder, encoding: 'utf8' });

rows.forEach(([title, , complaint], index) => test(title, () => {
  const own = errors.split('\n').filter((line) => line.includes(`operation${index}.ts`)).join('\n');
  assert.match(own, complaint);
}));
