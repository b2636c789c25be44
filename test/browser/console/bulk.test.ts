import assert from 'node:assert/strict';
import { assertAccessible } from '../../support/accessibility.ts';
import { consoleTest, enterPassword, holdAnswer, releaseAnswer, send } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { basic, type TestService } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const ROOT = basic('root', 'root-password');

const disabledUsers = (service: TestService) => service.namesIn('users?state=disabled', ROOT);
const readChanges = (service: TestService) => service.readTrail(ROOT, '?action=user.update');

const SELECT_BOTH = ['checkbox Select ada', 'checkbox Select grace'] as const;

consoleTest('users are disabled only after a confirmation', 'root #/users', async ({ service, page }) => {
  await page.click(...SELECT_BOTH);
  await page.waitForText('2 selected');
  await page.click('button Disable 2');
  await page.find('dialog', 'Disable 2 users?');
  await page.click('button Cancel');
  await page.waitForFocus('button Disable 2');
  assert.deepEqual(await readChanges(service), [], 'nothing is sent before the answer');
  await send(page, 'Disable 2', {}, 'Disable 2 users');
  await page.find('dialog', '2 users were disabled.');
  assert.equal((await page.text()).match(/✓ Done/g)?.length, 2, 'each row has a result');
  await page.click('button Done');
  await page.waitFor('the badges', 'return document.querySelectorAll("td > .badge:not(.good)").length === 2');
  assert.deepEqual(await disabledUsers(service), ['ada', 'grace']);
  assert.equal((await readChanges(service)).length, 2, 'each row is one change');
  assert.equal(await page.count('button', /^Disable/), 0, 'no row is selected any more');
});

consoleTest('an action counts the rows it would change', 'root #/projects', async ({ service, page }) => {
  await service.expect(200, 'PATCH /api/v1/users/grace', { as: ROOT, json: { disabled: true } });
  await page.click('link Users', 'checkbox Select all users on this page');
  assert.equal(await page.count('checkbox', 'Select root'), 0);
  await page.find('button', 'Disable 1');
  await send(page, 'Enable 1', {}, 'Enable 1 user');
  await page.find('dialog', '1 user was enabled.');
  assert.deepEqual(await disabledUsers(service), []);
});

consoleTest('a failed row stays selected; the others are done', 'root #/users', async ({ service, page }) => {
  await page.click(...SELECT_BOTH);
  await service.expect(200, 'DELETE /api/v1/users/ada', { as: ROOT });
  await send(page, 'Disable 2', {}, 'Disable 2 users');
  await page.find('dialog', '1 of 2 left');
  await assertAccessible(page, 'the results of several requests');
  await page.waitForText(/ada\s+Not found: No such user/, '1 user was disabled. Still selected: 1.');
  assert.deepEqual(await disabledUsers(service), ['grace']);
  await page.find('button', 'Try the remaining 1 again');
  await page.click('button Close');
  await page.waitForText('1 user was disabled');
}, { provokes: [404] });

consoleTest('without connection or token, the rest waits', 'root #/users', async ({ service, page }) => {
  await page.click(...SELECT_BOTH, 'button Disable 2');
  await page.setNetwork('offline');
  await page.click('button Disable 2 users');
  await page.find('dialog', '2 of 2 left');
  await page.waitForText(/ada\s+Can't reach the server[^]*grace\s+Not sent/);
  await page.setNetwork('well');
  await service.expect(200, 'DELETE /api/v1/tokens', { as: ROOT });
  await page.click('button Try the remaining 2 again');
  await page.find('dialog', 'Sign in again');
  await enterPassword(page, 'root');
  await page.waitUntilGone('dialog', 'Sign in again');
  await page.click('button Try the remaining 2 again');
  await page.find('dialog', '2 users were disabled.');
  assert.deepEqual(await disabledUsers(service), ['ada', 'grace']);
}, { provokes: [401, 'no answer'] });

for (const [title, leave, shown] of [
  ['Back during the requests sends no more of them, and the page says what was done',
    async (page) => {
      await page.session.back();
      await page.find('heading', 'Projects');
    }, '1 user was disabled. Still selected: 1.'],
  ['Escape during the requests sends no more of them, and keeps the dialog',
    (page) => page.press(Key.escape), /1 of 2 left[^]*ada\s+✓ Done\s+grace\s+Not sent/],
] satisfies readonly (readonly [string, (page: Page) => Promise<void>, string | RegExp])[]) {
  consoleTest(title, 'root #/projects', async ({ service, page }) => {
    await page.click('link Users', ...SELECT_BOTH, 'button Disable 2');
    await holdAnswer(page, 'PATCH /api/v1/users/2', () => page.click('button Disable 2 users'));
    await page.waitForText('Sending…');
    await leave(page);
    await releaseAnswer(page);
    await page.waitForText(shown);
    assert.deepEqual(await disabledUsers(service), ['ada']);
  });
}

consoleTest('selected tokens of several users are revoked, also one that is revoked already',
  'root #/overview', async ({ service, page, ada, grace }) => {
    const tokens = [
      await service.issueToken(ada), await service.issueToken(grace), await service.issueToken(grace),
    ];
    await page.click('link Tokens');
    await page.waitForText('this console');
    assert.equal(await page.count('checkbox', /^Select console/), 0, 'the token in use');
    for (const token of tokens.slice(0, 2)) {
      await (await page.find('checkbox', new RegExp(`^Select .*…${token.slice(-4)}$`))).click();
    }
    await page.click('button Revoke 2');
    await service.expect(200, 'DELETE /api/v1/token', { as: String(tokens[0]) });
    await page.click('button Revoke 2 tokens');
    await page.find('dialog', '2 tokens were revoked.');
    await page.waitForText('Already deleted');
    assert.deepEqual(await service.signIn(...tokens), [401, 401, 200]);
  }, { provokes: [404] });

consoleTest('rows are selected and changed with keys alone', 'root #/users', async ({ service, page }) => {
  await page.find('link', 'ada');
  await page.session.execute('document.querySelector("tbody input").focus()');
  await page.press(Key.space);
  await page.waitForText('1 selected');
  assert.equal(await page.focused(), 'checkbox Select ada');
  await page.session.execute('document.getElementById("bulk-disable").focus()');
  await page.press(Key.enter);
  await page.waitForFocus('button Cancel');
  await page.press(Key.tab);
  await page.waitForFocus('button Disable 1 user');
  await page.press(Key.enter);
  await page.waitForFocus('button Done');
  await page.press(Key.enter);
  await page.waitUntilGone('dialog', /./);
  assert.deepEqual(await disabledUsers(service), ['ada']);
});
