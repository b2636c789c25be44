/** Runs the Python client exactly as the guide `lists.html` prints it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { skipWithout } from './support/commands.ts';
import { testUnless } from './support/each.ts';
import { createFolder } from './support/programs.ts';
import { readBlock } from './support/proxies.ts';
import { startService } from './support/service.ts';

const python = testUnless(skipWithout('python3'));

async function start(t: TestContext, basePath = '') {
  const service = await startService(t, { basePath });
  const as = await service.register('ada');
  const issued = await service.issueToken(as);
  for (const name of ['engine', 'a/b c?d#e', 'ملاحظات']) {
    await service.createProject(as, name);
  }
  const file = join(createFolder(t), 'client.py');
  writeFileSync(file, readBlock('Program', 'client.py', 'lists.html'));
  const runClient = (text: string, token = issued.replace('Bearer ', '')) => promisify(execFile)(
    'python3', [file, `http://127.0.0.1:${service.port}${basePath}`, token, text],
    { env: { ...process.env, PYTHONIOENCODING: 'utf-8' } },
  ).then(({ stdout }) => ({ code: 0, output: stdout }), ({ code, stderr }) => ({ code, output: stderr }));
  return { service, as, runClient };
}

python.each('the client changes the projects of all pages below "{0}"', [
  '', '/rollcall',
], async (t, basePath) => {
  const { service, as, runClient } = await start(t, basePath);
  assert.deepEqual(await runClient('a new description'), {
    code: 0, output: 'changed engine\nchanged a/b c?d#e\nchanged ملاحظات\n',
  });
  const { json } = await service.call(`GET ${basePath}/api/v1/projects`, { as });
  const descriptions = json['projects'].map(({ description }: any) => description);
  assert.deepEqual(descriptions, Array(3).fill('a new description'));
});

python('the client prints what is wrong and ends', async (t) => {
  const { runClient } = await start(t);
  assert.deepEqual(await runClient('x'.repeat(2_001)), {
    code: 1, output: 'The body has invalid values: "description" must be at most 2000 characters long\n',
  });
  assert.deepEqual((await runClient('x', 'rollcall_wrong')).code, 1);
});
