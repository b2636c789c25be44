/**
 * Tests accounts, the audit trail, and the state of the system. Users change their own account, and
 * administrators change any account.
 */
import assert from 'node:assert/strict';
import { AUDIT_ACTIONS } from '../../../src/model/audit.ts';
import { browserTest } from '../../support/browser-test.ts';
import { consoleTest, enterPassword, send, show, signIn } from '../../support/console.ts';
import { basic } from '../../support/service.ts';

const PASSWORD = { 'Your password': 'root-password' };

consoleTest('a plain user is not offered the actions of administrators', 'ada #/users', async ({ page }) => {
  await page.find('link', 'grace');
  assert.equal(await page.count('link', /Audit trail|System/), 0);
  assert.equal(await page.count('button', 'New user'), 0);
  await page.click('link grace');
  await page.waitForText('Only this user or an administrator can change this account.');
  assert.equal(await page.count('button', /Edit|Change password|Promote|Disable|Delete/), 0);
});

for (const screen of ['audit', 'system']) {
  consoleTest(`the address #/${screen} shows nothing to a plain user`,
    `ada #/${screen}`, async ({ page }) => {
      await page.find('heading', 'There is nothing here');
    });
}

consoleTest('the menu shows the new name of a user who changes the own username',
  'ada #/users/2', async ({ page }) => {
    await send(page, 'Edit', { 'Username': 'lovelace', 'Your password': 'ada-password' }, 'Save');
    await page.find('heading', 'lovelace');
    await page.waitForText(/Signed in as\s+lovelace/);
  });

consoleTest('a user changes the own password with the current one, and stays signed in',
  'ada #/users/2', async ({ service, page }) => {
    await send(page, 'Change password', { 'Current password': 'wrong', 'New password': 'another' });
    await page.waitForFocus('textbox Current password');
    await page.fill({ 'Current password': 'ada-password' });
    await (await page.find('button', 'Change password', await page.find('dialog', /password of/))).click();
    await page.waitForText('ada was changed');
    assert.deepEqual(await service.signIn(basic('ada', 'another')), [200]);
    await page.click('link Users');
    await page.find('heading', 'Users');
  }, { provokes: [403] });

consoleTest('a user who deletes the own account is signed out', 'ada #/users/2', async ({ page }) => {
  await send(page, 'Delete', { 'Your password': 'ada-password' }, 'Delete user');
  await page.find('heading', 'Sign in');
});

browserTest('an administrator creates a user although registration is closed', async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root');
  await page.click('button New user');
  await page.fill({ Username: 'mary', Email: 'mary@example.org' });
  await (await page.find('combobox', 'Password')).fill('You choose the password now');
  await (await page.find('textbox', 'Password')).fill('mary-password');
  await page.click('button Create user');
  await page.find('heading', 'mary');
  assert.deepEqual(await service.signIn(basic('mary', 'mary-password')), [200]);
}, { settings: { registration: 'closed' } });

consoleTest('an administrator promotes a user, and demotes the user again',
  'root #/users/2', async ({ service, page, ada: as }) => {
    for (const [action, next, isAdmin] of [
      ['Promote', 'Demote', true], ['Demote', 'Promote', false],
    ] as const) {
      await send(page, action, PASSWORD);
      await page.find('button', next);
      assert.equal((await service.call('GET /api/v1/users/ada', { as })).json['is_admin'], isAdmin);
    }
  });

consoleTest('a disabled user cannot sign in until an administrator enables the account',
  'root #/users/2', async ({ service, page, ada }) => {
    await send(page, 'Disable');
    await page.waitForText('Disabled: cannot sign in');
    assert.deepEqual(await service.signIn(ada), [401]);
    await send(page, 'Enable');
    await page.find('button', 'Disable');
    assert.deepEqual(await service.signIn(ada), [200]);
  });

consoleTest('another administrator is disabled, enabled and deleted with the password',
  'root #/users', async ({ service, page }) => {
    await service.registerAdministrator('boss');
    await show(page, '#/users/4');
    for (const [action, next] of [['Disable', 'Enable'], ['Enable', 'Disable']] as const) {
      await send(page, action, { 'Your password': 'wrong' });
      await page.waitForText('The password is wrong');
      await page.fill(PASSWORD);
      await (await page.find('button', action, await page.find('dialog', /boss/))).click();
      await page.find('button', next);
    }
    await send(page, 'Delete', PASSWORD, 'Delete user');
    await page.waitForText('boss was deleted');
  }, { provokes: [401] });

consoleTest('deleting an owner asks what happens to the projects',
  'root #/users/2', async ({ service, page, root: as }) => {
    await send(page, 'Delete', {}, 'Delete user');
    await page.waitForText('Choose an option.');
    assert.equal(await page.count('textbox', 'New owner'), 0);
    await service.expect(200, 'GET /api/v1/users/ada', { as });
    await page.fill({ 'What happens to the projects': 'Transfer 1 project', 'New owner': 'root' });
    await page.click('button Delete user');
    await page.find('heading', 'Users');
    await service.expect(404, 'GET /api/v1/users/ada', { as });
    assert.deepEqual(await service.namesIn('projects?owner=root', as), ['engine']);
  }, { project: 'engine' });

consoleTest('deleting a user with the projects deletes both',
  'root #/users/2', async ({ service, page, root: as }) => {
    await send(page, 'Delete', { 'What happens to the projects': 'Delete 1 project too' }, 'Delete user');
    await page.find('heading', 'Users');
    await service.expect(404, 'GET /api/v1/projects/engine', { as });
  }, { project: 'engine' });

consoleTest('a user who was changed meanwhile is not changed again (412)',
  'root #/users/2', async ({ service, page, root: as }) => {
    await page.click('button Edit');
    await page.fill({ 'Username': 'mine', ...PASSWORD });
    await service.expect(200, 'PATCH /api/v1/users/2', { as, json: { email: 'theirs@example.org' } });
    await page.click('button Save');
    await page.waitForText('Somebody else has changed this');
    assert.equal((await service.call('GET /api/v1/users/2', { as })).json['username'], 'ada');
  }, { provokes: [412] });

consoleTest('the audit trail is found by action and by name', 'root #/audit', async ({ page }) => {
  await page.waitForText('ada created project engine');
  await page.waitForText('root signed in at the console');
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

consoleTest('the audit trail can be filtered by every recorded action', 'root #/audit', async ({ page }) => {
  const { element } = await page.find('combobox', 'Action');
  const offered = await page.session.execute(
    'return [...arguments[0].options].map(({ value }) => value)', element,
  );
  assert.deepEqual(offered, ['', ...AUDIT_ACTIONS]);
});

consoleTest('an administrator sees whether the service is ready, also while it ends',
  'root #/system', async ({ service, page }) => {
    await page.waitForText(/Process\s+Live/);
    await page.waitForText(/Readiness\s+Ready/);
    await page.waitForText('METRICS=on');
    service.services.lifeCycle.isEnding = true;
    await page.click('button Refresh');
    await page.waitForText('Failed: draining');
  }, { provokes: [404, 503] });

consoleTest('each number of the metrics has a line with the values that the page has seen',
  'root #/system', async ({ page }) => {
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
