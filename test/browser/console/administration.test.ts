import assert from 'node:assert/strict';
import { AUDIT_ACTIONS } from '../../../src/model/audit.ts';
import { assertAccessible } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest, enterPassword, send, show, signIn } from '../../support/console.ts';
import { basic } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const PASSWORD = { 'Your password': 'root-password' };

consoleTest('a plain user is not offered the actions of administrators', 'ada #/users', async ({ page }) => {
  await page.find('link', 'grace');
  assert.equal(await page.count('link', /Audit trail|System/), 0);
  assert.equal(await page.count('button', 'New user'), 0);
  assert.equal(await page.count('checkbox', /^Select/), 0);
  await page.click('link grace');
  await page.waitForText('Only this user or an administrator can change this account.');
  await assertAccessible(page, 'a record of another user');
  assert.equal(await page.count('button', /Edit|Change password|Promote|Disable|Delete/), 0);
  await page.click('link Tokens');
  await page.waitForText('this console');
  assert.equal(await page.count('searchbox', 'Tokens of'), 0);
  await (await page.find('button', /^Go to/)).click();
  await page.find('option', /^Projects/);
  assert.equal(await page.count('option', /Audit trail|System/), 0);
  await page.press(Key.escape);
  for (const screen of ['audit', 'system']) {
    await show(page, '#/users');
    await page.find('heading', 'Users');
    await show(page, `#/${screen}`);
    await page.find('heading', 'There is nothing here');
  }
});

consoleTest('with the current password, a user changes the own password and name, and deletes the account',
  'ada #/users/2', async ({ service, page }) => {
    await page.click('button Change password');
    await page.waitForText('A text that looks like a token is refused.');
    await page.waitForFocus('textbox Current password'); // the focus skips the field for the username
    await page.fill({ 'Current password': 'wrong', 'New password': 'another' });
    const sender = await page.find('button', 'Change password', await page.find('dialog', /password of/));
    await sender.click();
    await page.waitForText('The current password is wrong');
    await page.fill({ 'Current password': 'ada-password' });
    await sender.click();
    await page.waitForText('ada was changed');
    await assertAccessible(page, 'a message about a change');
    assert.deepEqual(await service.signIn(basic('ada', 'another')), [200]);
    await send(page, 'Edit', { 'Username': 'lovelace', 'Your password': 'another' }, 'Save');
    await page.find('heading', 'lovelace');
    await page.waitForText(/Signed in as\s+lovelace/);
    await send(page, 'Delete', { 'Your password': 'another' }, 'Delete user');
    await page.find('heading', 'Sign in');
  }, { provokes: [403] });

browserTest('closed registration is hidden; administrators still create users', async ({ service, page }) => {
  await service.registerAdministrator('root');
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  await page.waitFor('the page to know', `
    const { href } = new URL('../../api/v1/openapi.json', location.href);
    return performance.getEntriesByName(href).length === 1`);
  assert.equal(await page.count('button', 'Register'), 0);
  await signIn(page, 'root');
  await page.click('button New user');
  await page.fill({ Username: 'mary', Email: 'mary@example.org' });
  await (await page.find('combobox', 'Password')).fill('You choose the password now');
  await (await page.find('textbox', 'Password')).fill('mary-password');
  await page.click('button Create user');
  await page.find('heading', 'mary');
  assert.deepEqual(await service.signIn(basic('mary', 'mary-password')), [200]);
}, { settings: { registration: 'closed' } });

consoleTest('an administrator promotes, disables, enables and demotes a user, with the password for a power',
  'root #/users/2', async ({ service, page, root: as, ada }) => {
    for (const [action, next, role, state, isPasswordNeeded] of [
      ['Promote', 'Demote', true, false, true], ['Disable', 'Enable', true, true, true],
      ['Enable', 'Disable', true, false, true], ['Demote', 'Promote', false, false, true],
      ['Disable', 'Enable', false, true, false], ['Enable', 'Disable', false, false, false],
    ] as const) {
      await send(page, action, isPasswordNeeded ? PASSWORD : {});
      await page.find('button', next);
      const { json } = await service.call('GET /api/v1/users/ada', { as });
      assert.deepEqual([json['is_admin'], json['disabled']], [role, state]);
      assert.equal((await page.text()).includes('Disabled: cannot sign in'), state);
      assert.deepEqual(await service.signIn(ada), [state ? 401 : 200]);
    }
    await send(page, 'Promote', PASSWORD);
    await send(page, 'Delete', PASSWORD, 'Delete user');
    await page.waitForText('ada was deleted');
  });

for (const [choice, fields, remaining] of [
  ['Transfer 1 project', { 'New owner': 'root' }, ['engine']], ['Delete 1 project too', {}, []],
] as const) {
  consoleTest(`deleting an owner counts what is deleted, and asks about the projects: ${choice}`,
    'root #/users/1', async ({ service, page, root: as, ada }) => {
      await service.issueToken(ada);
      await show(page, '#/users/2');
      await send(page, 'Delete', {}, 'Delete user');
      await page.waitForText('Deletes the account and 1 valid token.', 'Choose an option.');
      assert.equal(await page.count('textbox', 'New owner'), 0);
      await service.expect(200, 'GET /api/v1/users/ada', { as });
      await page.fill({ 'What happens to the projects': choice, ...fields });
      await page.click('button Delete user');
      await page.find('heading', 'Users');
      await service.expect(404, 'GET /api/v1/users/ada', { as });
      assert.deepEqual(await service.namesIn('projects?owner=root', as), remaining);
    }, { project: 'engine' });
}

consoleTest('the audit trail is found by every action and by name', 'root #/audit', async ({ page }) => {
  await page.waitForText('ada created project engine', 'root signed in at the console');
  const { element } = await page.find('combobox', 'Action');
  const options = 'return [...arguments[0].options].map(({ value }) => value)';
  assert.deepEqual(await page.session.execute(options, element), ['', ...AUDIT_ACTIONS]);
  await page.fill({ Action: 'Created project' });
  await page.waitFor('one event', 'return document.querySelectorAll(".event").length === 1');
  await page.fill({ 'By or about': 'root' });
  await page.waitForText('No event matches these filters.');
}, { project: 'engine' });

consoleTest('an event leads to the id of a deleted user, and the audit trail finds the user by it',
  'root #/users', async ({ service, page, ada: as }) => {
    await service.expect(200, 'DELETE /api/v1/users/ada?owned_projects=delete', { as });
    await show(page, '#/audit?username=ada');
    await page.waitForText('No user has this name now.');
    await show(page, '#/audit?action=project.create');
    await page.waitForText('ada created project engine');
    await page.click('button Details', 'link user 2');
    await page.waitForText(/ada deleted user ada[^]*ada registered/);
    await page.fill({ 'By or about': '1' });
    await page.waitFor('the two acts of root', 'return document.querySelectorAll(".event").length === 2');
  }, { project: 'engine', provokes: [404] });

consoleTest('the console shows readiness, also when draining', 'root #/system', async ({ service, page }) => {
  await page.waitForText(/Process\s+Live/, /Readiness\s+Ready/, 'METRICS=on');
  service.services.lifeCycle.stage = 'draining';
  await page.click('button Refresh');
  await page.waitForText('Failed: draining');
}, { provokes: [404, 503] });

consoleTest('each metric has a line with the values seen by the page', 'root #/system', async ({ page }) => {
  await page.waitForText('Over 50 ms is slow');
  await page.click('button Refresh');
  await page.waitFor('a second value in each line', `
    const lines = [...document.querySelectorAll('.metrics .trend > polyline')];
    return lines.length >= 5 && lines.every((line) => line.points.length === 2)`);
}, { settings: { metrics: 'on' } });

consoleTest('however often the state was read, signing in again reads each part of it once',
  'root #/system', async ({ service, page, takeRequests }) => {
    await page.click('button Refresh', 'button Refresh');
    await page.waitFor('all parts', 'return document.querySelector("[aria-busy=true]") === null');
    service.clock.nowMs += 2 * 3_600_000;
    await page.click('button Refresh');
    await page.find('heading', 'Sign in again');
    await takeRequests();
    await enterPassword(page, 'root');
    await page.waitUntilGone('heading', 'Sign in again');
    await page.waitForText('Your session expires');
    const reads = (await takeRequests()).filter((url) => url.endsWith('/livez'));
    assert.equal(reads.length, 1);
  }, { provokes: [401, 404] });
