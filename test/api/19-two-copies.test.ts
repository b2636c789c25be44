import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openFile } from '../support/database.ts';
import { starting } from '../support/each.ts';
import { createFolder } from '../support/programs.ts';
import { startService, startWorld } from '../support/service.ts';
import { readColumn } from '../support/sql.ts';

const twoCopies = starting(async (t) => {
  const path = join(createFolder(t), 'service.sqlite');
  const here = await startWorld(t, {}, await openFile(t, path));
  const there = await startService(t, {}, await openFile(t, path));
  return { here, there, ada: here.ada, root: here.root, token: await here.issueToken(here.ada) };
});

twoCopies.each('after {0}, an administrator gets {3} with password and token in both, even cached', [
  ['a new password', 'PUT /api/v1/users/ada/password', { password: 'new' }, [401, 401]],
  ['being disabled', 'PATCH /api/v1/users/ada', { disabled: true }, [401, 401]],
  ['being deleted', 'DELETE /api/v1/users/ada', undefined, [401, 401]],
  ['a demotion', 'PATCH /api/v1/users/ada', { is_admin: false }, [403, 403]],
  ['revocation of all tokens', 'DELETE /api/v1/tokens?username=ada', undefined, [200, 401]],
  ['DELETE /api/v1/token', 'DELETE /api/v1/token?username=ada', undefined, [200, 401]],
], async ({ here, there, ada, token, root }, [, line, json, expected]) => {
  const promotion = { as: root, json: { is_admin: true } };
  assert.equal((await here.expect(200, 'PATCH /api/v1/users/ada', promotion)).json['is_admin'], true);
  for (const statuses of [[200, 200], expected]) {
    for (const service of [here, there]) {
      for (const [index, as] of [ada, token].entries()) {
        await service.expect(statuses[index] ?? NaN, 'GET /api/v1/audit_events', { as });
        await service.expect(statuses[index] ?? NaN, 'PATCH /api/v1/users/eve', { as, json: {} });
      }
    }
    if (statuses !== expected) {
      await here.expect(200, line, { as: root, json });
    }
  }
});

twoCopies('a read in either service sees every earlier change in the other', async (copies) => {
  const { here, there, token: as } = copies;
  const line = '/api/v1/projects/notes';
  for (const [writer, reader] of [[here, there], [there, here]] as const) {
    await writer.createProject(as, 'notes');
    await reader.expect(200, `GET ${line}`, { as });
    await writer.expect(200, `PATCH ${line}`, { as, json: { description: 'new' } });
    assert.equal((await reader.expect(200, `GET ${line}`, { as })).json['description'], 'new');
    await writer.expect(200, `DELETE ${line}`, { as });
    await reader.expect(404, `GET ${line}`, { as });
  }
});

twoCopies.each('if four administrators of two services {0} each other at once, one remains', [
  ['demote', 'PATCH', { is_admin: false }], ['disable', 'PATCH', { disabled: true }],
  ['delete', 'DELETE', undefined],
], async ({ here, there, root }, [, line, json]) => {
  const names = ['root', 'root2', 'root3', 'root4'];
  const others = await Promise.all(names.slice(1).map((name) => here.registerAdministrator(name)));
  const calls = names.flatMap((target) => [root, ...others].map((as, index) => (
    (index % 2 === 0 ? here : there).call(`${line} /api/v1/users/${target}`, { as, json })
  )));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.ok(statuses.every((status) => [200, 401, 403, 404, 409].includes(status)), statuses.join());
  const count = 'SELECT count(*) FROM users WHERE is_admin = 1 AND disabled = 0';
  assert.deepEqual(await readColumn(here.database, count), [1]);
});
