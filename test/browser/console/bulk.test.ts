/** Actions on many rows at once: the selectable rows, the requests, and the result that each row shows. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { basic, type TestService } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const ROOT = basic('root', 'root-password');

async function fill(service: TestService): Promise<void> {
  await service.registerAdministrator('root');
  for (const username of ['ada', 'grace', 'mary']) {
    await service.register(username);
  }
}

async function select(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await (await page.find('checkbox', `Select ${name}`)).click();
  }
}

const press = async (page: Page, name: string | RegExp) => (await page.find('button', name)).click();

/** Presses the button that sends the requests, and waits for the text of the result. */
async function send(page: Page, name: string, result: string | RegExp): Promise<void> {
  await (await page.find('button', name, await page.find('dialog', /./))).click();
  await page.find('dialog', result);
}

async function isDisabled(service: TestService, username: string): Promise<boolean> {
  return (await service.call(`GET /api/v1/users/${username}`, { as: ROOT })).json['disabled'];
}

async function eventCount(service: TestService, action: string): Promise<number> {
  const { json } = await service.call(`GET /api/v1/audit_events?action=${action}`, { as: ROOT });
  return json['audit_events'].length;
}

browserTest('users are disabled after a question with their number', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada', 'mary');
  await page.waitForText('2 selected');
  await press(page, 'Disable 2');
  await page.find('dialog', 'Disable 2 users?');
  assert.equal(await eventCount(service, 'user.update'), 0, 'nothing is sent before the answer');
  await send(page, 'Disable 2 users', '2 users were disabled.');
  assert.equal((await page.text()).match(/✓ Done/g)?.length, 2, 'each row has a result');
  await press(page, 'Done');
  await page.waitFor('the badges', 'return document.querySelectorAll("td > .badge:not(.good)").length === 2');
  assert.deepEqual(
    [await isDisabled(service, 'ada'), await isDisabled(service, 'grace'), await isDisabled(service, 'mary')],
    [true, false, true],
  );
  assert.equal(await eventCount(service, 'user.update'), 2, 'each row is one change');
  assert.equal(await page.count('button', /^Disable/), 0, 'nothing is selected any more');
});

browserTest('an action counts only the rows that it would change', {}, async ({ service, page }) => {
  await fill(service);
  await service.call('PATCH /api/v1/users/mary', { as: ROOT, json: { disabled: true } });
  await signIn(page, 'root');
  await (await page.find('checkbox', 'Select all users on this page')).click();
  await page.find('button', 'Disable 2');
  await press(page, 'Enable 1');
  await send(page, 'Enable 1 user', '1 user was enabled.');
  assert.equal(await isDisabled(service, 'mary'), false);
});

browserTest('nobody can select themselves, nor the token in use', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await page.find('checkbox', 'Select ada');
  assert.equal(await page.count('checkbox', 'Select root'), 0);
  await (await page.find('link', 'Tokens')).click();
  await page.waitForText('this console');
  assert.equal(await page.count('checkbox', /^Select console/), 0);
});

browserTest('users who may not change others cannot select them', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'ada');
  await page.find('link', 'grace');
  assert.equal(await page.count('checkbox', /^Select/), 0);
});

browserTest('the answer No sends nothing and keeps the selection', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada');
  await press(page, 'Disable 1');
  await press(page, 'Cancel');
  await page.waitForFocus('button Disable 1');
  assert.equal(await eventCount(service, 'user.update'), 0);
});

browserTest('a row that fails says why, the others are done, and it stays selected', {
  provokes: [404],
}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada', 'grace', 'mary');
  await service.call('DELETE /api/v1/users/grace', { as: ROOT });
  await press(page, 'Disable 3');
  await send(page, 'Disable 3 users', '1 of 3 left');
  await page.waitForText(/grace\s+Not found: No such user/);
  await page.waitForText('2 users were disabled. Still selected: 1.');
  assert.deepEqual([await isDisabled(service, 'ada'), await isDisabled(service, 'mary')], [true, true]);
  await page.find('button', 'Try the other 1 again');
  await press(page, 'Close');
  await page.waitForText('2 users were disabled');
});

browserTest('without a connection the rest is not sent, and can be sent later', {
  provokes: ['no answer'],
}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada', 'grace', 'mary');
  await press(page, 'Disable 3');
  await page.setNetwork('offline');
  await send(page, 'Disable 3 users', '3 of 3 left');
  await page.waitForText(/ada\s+Can't reach the server[^]*grace\s+Not sent\s+mary\s+Not sent/);
  await page.setNetwork('well');
  await send(page, 'Try the other 3 again', '3 users were disabled.');
  assert.equal(await isDisabled(service, 'mary'), true);
});

browserTest('a session that ends in between asks for the password, and the rest is sent then', {
  provokes: [401],
}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada', 'grace');
  await press(page, 'Disable 2');
  await service.call('DELETE /api/v1/tokens', { as: ROOT });
  await (await page.find('button', 'Disable 2 users')).click();
  const again = await page.find('dialog', 'Sign in again');
  await (await page.find('textbox', 'Password', again)).fill('root-password');
  await (await page.find('button', 'Sign in', again)).click();
  await page.waitUntilGone('dialog', 'Sign in again');
  await send(page, 'Try the other 2 again', '2 users were disabled.');
  assert.equal(await isDisabled(service, 'grace'), true);
});

/** A script that holds back the next request until the test calls `release`. */
const HOLD = `
  const send = fetch;
  window.fetch = (...request) => {
    window.fetch = send;
    return new Promise((resolve) => {
      window.release = () => resolve(send(...request));
    });
  };`;

browserTest('the way back while it runs sends no more and says what was done', {}, async ({
  service, page,
}) => {
  await fill(service);
  await signIn(page, 'root', '#/projects');
  await (await page.find('link', 'Users')).click();
  await select(page, 'ada', 'grace');
  await press(page, 'Disable 2');
  await page.session.execute(HOLD);
  await (await page.find('button', 'Disable 2 users')).click();
  await page.waitForText('Sending…');
  await page.session.execute('history.back()');
  await page.find('heading', 'Projects');
  await page.session.execute('window.release()');
  await page.waitForText('1 user was disabled, 1 not.');
  assert.deepEqual([await isDisabled(service, 'ada'), await isDisabled(service, 'grace')], [true, false]);
});

browserTest('Escape while it runs sends no more, and keeps the dialog', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
  await select(page, 'ada', 'grace');
  await press(page, 'Disable 2');
  await page.session.execute(HOLD);
  await (await page.find('button', 'Disable 2 users')).click();
  await page.waitForText('Sending…');
  await page.press(Key.escape);
  await page.session.execute('window.release()');
  await page.find('dialog', '1 of 2 left');
  await page.waitForText(/ada\s+✓ Done\s+grace\s+Not sent/);
  assert.deepEqual([await isDisabled(service, 'ada'), await isDisabled(service, 'grace')], [true, false]);
});

browserTest('selected tokens of several users are revoked', {}, async ({ service, page }) => {
  await fill(service);
  const tokens = [
    await service.issueToken(basic('ada', 'ada-password')),
    await service.issueToken(basic('grace', 'grace-password')),
    await service.issueToken(basic('mary', 'mary-password')),
  ];
  await signIn(page, 'root', '#/tokens');
  const ends = tokens.map((token) => token.slice(-4));
  await (await page.find('checkbox', new RegExp(`^Select .*…${ends[0]}$`))).click();
  await (await page.find('checkbox', new RegExp(`^Select .*…${ends[1]}$`))).click();
  await press(page, 'Revoke 2');
  await send(page, 'Revoke 2 tokens', '2 tokens were revoked.');
  const statuses = tokens.map(async (as) => (await service.call('GET /api/v1/user', { as })).status);
  assert.deepEqual(await Promise.all(statuses), [401, 401, 200]);
});

browserTest('a token that is revoked already counts as revoked', {
  provokes: [404],
}, async ({ service, page }) => {
  await fill(service);
  const token = await service.issueToken(basic('ada', 'ada-password'));
  await signIn(page, 'root', '#/tokens');
  await (await page.find('checkbox', new RegExp(`^Select .*…${token.slice(-4)}$`))).click();
  await press(page, 'Revoke 1');
  await service.call('DELETE /api/v1/token', { as: token });
  await send(page, 'Revoke 1 token', '1 token was revoked.');
  await page.waitForText('Already deleted');
});

browserTest('rows are selected and changed with the keyboard alone', {}, async ({ service, page }) => {
  await fill(service);
  await signIn(page, 'root');
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
  assert.equal(await isDisabled(service, 'ada'), true);
});
