/** Some changes need the password of the caller, because the thief of a token does not know the password. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../support/project.ts';
import { people } from '../support/service.ts';

type Row = readonly [title: string, token: 'also' | 'not', as: 'ada' | 'root', line: string, json?: object];

const DELETION = '?owned_projects=delete';
const password = 'new password';

const ROWS: readonly Row[] = [
  ['Issue a token', 'also', 'ada', 'POST /api/v1/tokens'],
  ['Change your own email', 'also', 'ada', 'PATCH /api/v1/users/ada', { email: 'new@example.org' }],
  ['Change your own username', 'not', 'ada', 'PATCH /api/v1/users/ada', { username: 'lovelace' }],
  ['Change your own password (with the current password)', 'also', 'ada', 'PUT /api/v1/users/ada/password',
    { password, current_password: 'ada-password' }],
  ['Delete your own account', 'not', 'ada', `DELETE /api/v1/users/1${DELETION}`],
  ["Change another user's email", 'also', 'root', 'PATCH /api/v1/users/ada', { email: 'new@example.org' }],
  ["Change another user's username", 'not', 'root', 'PATCH /api/v1/users/ada', { username: 'lovelace' }],
  ["Reset a plain user's password", 'also', 'root', 'PUT /api/v1/users/ada/password', { password }],
  ["Reset another administrator's password", 'not', 'root', 'PUT /api/v1/users/boss/password', { password }],
  ['Make an administrator', 'not', 'root', 'PATCH /api/v1/users/ada', { is_admin: true }],
  ['Make a password link for a plain user', 'also', 'root', 'POST /api/v1/users/ada/password_link'],
  ['Make a password link for an administrator', 'not', 'root', 'POST /api/v1/users/boss/password_link'],
  ['Demote an administrator', 'not', 'root', 'PATCH /api/v1/users/boss', { is_admin: false }],
  ['Disable an administrator', 'not', 'root', 'PATCH /api/v1/users/boss', { disabled: true }],
  ['Enable an administrator', 'not', 'root', 'PATCH /api/v1/users/former', { disabled: false }],
  ['Delete an administrator', 'not', 'root', `DELETE /api/v1/users/boss${DELETION}`],
  ['Change your own email as an administrator', 'also', 'root', 'PATCH /api/v1/users/root',
    { email: 'new@example.org' }],
  ['Disable a plain user', 'also', 'root', 'PATCH /api/v1/users/ada', { disabled: true }],
  ['Enable a plain user', 'also', 'root', 'PATCH /api/v1/users/left', { disabled: false }],
  ['Delete a plain user', 'also', 'root', `DELETE /api/v1/users/ada${DELETION}`],
];

people.each('{0}: with the password, and {1} with a token', ROWS, async (world, row) => {
  const [, withToken, caller, line, json] = row;
  const { call, expect, registerAdministrator, root } = world;
  await registerAdministrator('boss');
  await registerAdministrator('former');
  await world.register('left');
  for (const name of ['former', 'left']) {
    await expect(200, `PATCH /api/v1/users/${name}`, { as: root, json: { disabled: true } });
  }
  const token = await world.issueToken(world[caller]);
  if (withToken === 'not') {
    await expect('403 password-needed', line, { as: token, json });
  }
  const answer = await call(line, { as: withToken === 'also' ? token : world[caller], json });
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
});

people('a token may send the members that need the password, if they stay the same', async (world) => {
  const as = await world.issueToken(await world.registerAdministrator('boss'));
  const json = { username: 'ada', email: 'new@example.org', is_admin: false };
  await world.expect(200, 'PATCH /api/v1/users/ada', { as, json });
  await world.expect(200, 'PATCH /api/v1/users/root', { as, json: { is_admin: true } });
});

test('the README lists what each sign-in may do', () => {
  const readme = read('src/resources/README.md').replaceAll(/\n +/g, ' ');
  for (const [head, withToken] of [
    ['Only with the password', 'not'], ['With the password or a token of the scope `full`', 'also'],
  ] as const) {
    // In the README, `your own email` also stands for the row that ends in `as an administrator`.
    const titles = ROWS.filter((row) => row[1] === withToken)
      .map(([title]) => title.replace(/ as an administrator$/, ''));
    const line = `- **${head}:** ${joinVerbs([...new Set(titles)]).join('; ')}.`;
    assert.ok(readme.includes(line), `Expected this line:\n${line}`);
  }
});

/** Joins titles that differ only in the first word, as in `disable, enable or delete a plain user`. */
function joinVerbs(titles: readonly string[]): readonly string[] {
  return [...Map.groupBy(titles, (title) => title.replace(/^\w+ /, ''))].map(([object, group]) => {
    const words = group.map((title) => title.replace(/ .*/, '').toLowerCase());
    return `${words.join(', ').replace(/, (\w+)$/, ' or $1')} ${object}`;
  });
}
