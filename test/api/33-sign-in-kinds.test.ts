/**
 * Tests which changes need the password of the caller, because a stolen token must not suffice for these
 * changes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../support/project.ts';
import { people } from '../support/service.ts';

type Row = readonly [
  title: string, caller: 'ada' | 'root', line: string, isForTokens: boolean, json?: object,
];

const DELETION = '?owned_projects=delete';
const password = 'new password';

const ROWS: readonly Row[] = [
  ['Issue a token', 'ada', 'POST /api/v1/tokens', true],
  ['Change your own email', 'ada', 'PATCH /api/v1/users/ada', true, { email: 'new@example.org' }],
  ['Change your own username', 'ada', 'PATCH /api/v1/users/ada', false, { username: 'lovelace' }],
  ['Change your own password, with the current one', 'ada', 'PUT /api/v1/users/ada/password', true,
    { password, current_password: 'ada-password' }],
  ['Delete your own account', 'ada', `DELETE /api/v1/users/ada${DELETION}`, false],
  ["Change another user's email", 'root', 'PATCH /api/v1/users/ada', true, { email: 'new@example.org' }],
  ["Change another user's username", 'root', 'PATCH /api/v1/users/ada', false, { username: 'lovelace' }],
  ["Reset a plain user's password", 'root', 'PUT /api/v1/users/ada/password', true, { password }],
  ["Reset another administrator's password", 'root', 'PUT /api/v1/users/boss/password', false, { password }],
  ['Make an administrator', 'root', 'PATCH /api/v1/users/ada', false, { is_admin: true }],
  ['Make a password link for a plain user', 'root', 'POST /api/v1/users/ada/password_link', true],
  ['Make a password link for an administrator', 'root', 'POST /api/v1/users/boss/password_link', false],
  ['Demote an administrator', 'root', 'PATCH /api/v1/users/boss', false, { is_admin: false }],
  ['Disable an administrator', 'root', 'PATCH /api/v1/users/boss', false, { disabled: true }],
  ['Enable an administrator', 'root', 'PATCH /api/v1/users/former', false, { disabled: false }],
  ['Delete an administrator', 'root', `DELETE /api/v1/users/boss${DELETION}`, false],
  ["Change an administrator's own email", 'root', 'PATCH /api/v1/users/root', true,
    { email: 'new@example.org' }],
  ['Disable a plain user', 'root', 'PATCH /api/v1/users/ada', true, { disabled: true }],
  ['Enable a plain user', 'root', 'PATCH /api/v1/users/left', true, { disabled: false }],
  ['Delete a plain user', 'root', `DELETE /api/v1/users/ada${DELETION}`, true],
];

for (const [title, caller, line, isForTokens, json] of ROWS) {
  const others = isForTokens ? 'also' : 'not';
  people(`${title}: with the password, and ${others} with a token`, async (world) => {
    const { call, expect, registerAdministrator, root } = world;
    await registerAdministrator('boss');
    await registerAdministrator('former');
    await world.register('left');
    for (const name of ['former', 'left']) {
      await expect(200, `PATCH /api/v1/users/${name}`, { as: root, json: { disabled: true } });
    }
    const token = await world.issueToken(world[caller]);
    if (!isForTokens) {
      const refused = await expect(403, line, { as: token, json });
      assert.match(refused.json['type'], /#password-needed$/);
    }
    const answer = await call(line, { as: isForTokens ? token : world[caller], json });
    assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  });
}

people('a token may send the members that need the password, if they stay the same', async (world) => {
  const as = await world.issueToken(await world.registerAdministrator('boss'));
  const json = { username: 'ada', email: 'new@example.org', is_admin: false };
  await world.expect(200, 'PATCH /api/v1/users/ada', { as, json });
  await world.expect(200, 'PATCH /api/v1/users/root', { as, json: { is_admin: true } });
});

test('the README lists what each sign-in may do', () => {
  const readme = read('src/resources/README.md').replaceAll(/\n +/g, ' ');
  for (const [head, isForTokens] of [
    ['Only with the password', false], ['Also with a token of the scope `full`', true],
  ] as const) {
    const titles = ROWS.filter((row) => row[3] === isForTokens).map(([title]) => title);
    const line = `- **${head}:** ${joinVerbs(titles).join('; ')}.`;
    assert.ok(readme.includes(line), `Expected this line:\n${line}`);
  }
});

/** Joins titles that differ only in the first word: `disable, enable or delete a plain user`. */
function joinVerbs(titles: readonly string[]): readonly string[] {
  const verbs = Map.groupBy(titles, (title) => title.replace(/^\w+ /, ''));
  return [...verbs].map(([object, group]) => {
    const words = group.map((title) => title.replace(/ .*/, '').toLowerCase());
    return `${words.join(', ').replace(/, (\w+)$/, ' or $1')} ${object}`;
  });
}
