/** Changes that a stolen token must not make need the password. The README lists them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { api } from '../support/service.ts';

interface Row {
  readonly title: string;
  readonly caller: 'ada' | 'root';
  readonly line: string;
  readonly json?: object;
  readonly isForTokens: boolean;
}

const DELETION = '?owned_projects=delete';

const ROWS: readonly Row[] = [
  { title: 'Issue a token', caller: 'ada', line: 'POST /api/v1/tokens', isForTokens: true },
  {
    title: 'Change your own email', caller: 'ada', line: 'PATCH /api/v1/users/ada',
    json: { email: 'new@example.org' }, isForTokens: true,
  },
  {
    title: 'Change your own username', caller: 'ada', line: 'PATCH /api/v1/users/ada',
    json: { username: 'lovelace' }, isForTokens: false,
  },
  {
    title: 'Change your own password, with the current one', caller: 'ada',
    line: 'PUT /api/v1/users/ada/password',
    json: { password: 'new password', current_password: 'ada-password' }, isForTokens: true,
  },
  {
    title: 'Delete your own account', caller: 'ada', line: `DELETE /api/v1/users/ada${DELETION}`,
    isForTokens: false,
  },
  {
    title: "Change another user's email", caller: 'root', line: 'PATCH /api/v1/users/ada',
    json: { email: 'new@example.org' }, isForTokens: true,
  },
  {
    title: "Change another user's username", caller: 'root', line: 'PATCH /api/v1/users/ada',
    json: { username: 'lovelace' }, isForTokens: false,
  },
  {
    title: "Reset a plain user's password", caller: 'root', line: 'PUT /api/v1/users/ada/password',
    json: { password: 'new password' }, isForTokens: true,
  },
  {
    title: "Reset another administrator's password", caller: 'root', line: 'PUT /api/v1/users/boss/password',
    json: { password: 'new password' }, isForTokens: false,
  },
  {
    title: 'Make an administrator', caller: 'root', line: 'PATCH /api/v1/users/ada', json: { is_admin: true },
    isForTokens: false,
  },
  {
    title: 'Make a password link for a plain user', caller: 'root',
    line: 'POST /api/v1/users/ada/password_link', isForTokens: true,
  },
  {
    title: 'Make a password link for an administrator', caller: 'root',
    line: 'POST /api/v1/users/boss/password_link', isForTokens: false,
  },
  {
    title: 'Demote an administrator', caller: 'root', line: 'PATCH /api/v1/users/boss',
    json: { is_admin: false }, isForTokens: false,
  },
  {
    title: 'Disable an administrator', caller: 'root', line: 'PATCH /api/v1/users/boss',
    json: { disabled: true }, isForTokens: false,
  },
  {
    title: 'Enable an administrator', caller: 'root', line: 'PATCH /api/v1/users/former',
    json: { disabled: false }, isForTokens: false,
  },
  {
    title: 'Delete an administrator', caller: 'root', line: `DELETE /api/v1/users/boss${DELETION}`,
    isForTokens: false,
  },
  {
    title: "Change an administrator's own email", caller: 'root', line: 'PATCH /api/v1/users/root',
    json: { email: 'new@example.org' }, isForTokens: true,
  },
  {
    title: 'Disable a plain user', caller: 'root', line: 'PATCH /api/v1/users/ada', json: { disabled: true },
    isForTokens: true,
  },
  {
    title: 'Enable a plain user', caller: 'root', line: 'PATCH /api/v1/users/left', json: { disabled: false },
    isForTokens: true,
  },
  {
    title: 'Delete a plain user', caller: 'root', line: `DELETE /api/v1/users/ada${DELETION}`,
    isForTokens: true,
  },
];

for (const { title, caller, line, json, isForTokens } of ROWS) {
  api(`${title}: with the password, and ${isForTokens ? 'also' : 'not'} with a token`, async (service) => {
    const basics = {
      root: await service.registerAdministrator('root'), ada: await service.register('ada'),
    };
    await service.registerAdministrator('boss');
    await service.registerAdministrator('former');
    await service.register('left');
    for (const name of ['former', 'left']) {
      await service.call(`PATCH /api/v1/users/${name}`, { as: basics.root, json: { disabled: true } });
    }
    const as = await service.issueToken(basics[caller]);
    if (!isForTokens) {
      const refused = await service.expect(403, line, { as, json });
      assert.match(refused.json['type'], /#password-needed$/);
    }
    const answer = await service.call(line, { as: isForTokens ? as : basics[caller], json });
    assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  });
}

api('a token may send the members that need the password, if they stay the same', async (service) => {
  await service.registerAdministrator('root');
  await service.register('ada');
  const as = await service.issueToken(await service.registerAdministrator('boss'));
  for (const [name, json] of [
    ['ada', { username: 'ada', email: 'new@example.org', is_admin: false }], ['root', { is_admin: true }],
  ] as const) {
    await service.expect(200, `PATCH /api/v1/users/${name}`, { as, json });
  }
});

test('the README lists what each sign-in may do', () => {
  const readme = readFileSync(new URL('../../src/resources/README.md', import.meta.url), 'utf8');
  for (const [head, isForTokens] of [
    ['Only with the password', false], ['Also with a token of the scope `full`', true],
  ] as const) {
    const titles = ROWS.filter((row) => row.isForTokens === isForTokens)
      .map(({ title }) => title.charAt(0).toLowerCase() + title.slice(1));
    const line = `- **${head}:** ${titles.join('; ')}.`;
    assert.ok(readme.replaceAll(/\n +/g, ' ').includes(line), `Expected this line:\n${line}`);
  }
});
