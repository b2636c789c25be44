/**
 * Accounts: the changes that users make to their own account, and administrators to any; the audit trail; and
 * the state of the system.
 */
import assert from 'node:assert/strict';
import { AUDIT_ACTIONS } from '../../../src/model/audit.ts';
import { browserTest } from '../../support/browser-test.ts';
import { enterPassword, signIn } from '../../support/console.ts';
import { basic } from '../../support/service.ts';

browserTest('a user is not offered what only administrators may do', {}, async ({ service, page }) => {
  await service.register('ada');
  await service.register('grace');
  await signIn(page, 'ada', '#/users');
  await page.find('link', 'grace');
  assert.equal(await page.count('link', /Audit trail|System/), 0);
  assert.equal(await page.count('button', 'New user'), 0);
  await (await page.find('link', 'grace')).click();
  await page.waitForText('Only this user or an administrator can change this account.');
  assert.equal(await page.count('button', /Edit|Change password|Promote|Disable|Delete/), 0);
});

for (const screen of ['audit', 'system']) {
  browserTest(`the address #/${screen} shows a user nothing`, {}, async ({ service, page }) => {
    await service.register('ada');
    await signIn(page, 'ada', `#/${screen}`);
    await page.find('heading', 'There is nothing here');
  });
}

browserTest('a user changes their own name, which the menu follows', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Edit')).click();
  await (await page.find('textbox', 'Username')).fill('lovelace');
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Save')).click();
  await page.find('heading', 'lovelace');
  await page.waitForText(/Signed in as\s+lovelace/);
});

browserTest('a user changes their own password with the current one, and stays signed in', {
  provokes: [403],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Change password')).click();
  await (await page.find('textbox', 'Current password')).fill('wrong');
  await (await page.find('textbox', 'New password')).fill('another');
  const dialog = await page.find('dialog', /password of/);
  await (await page.find('button', 'Change password', dialog)).click();
  await page.waitForFocus('textbox Current password');
  await (await page.find('textbox', 'Current password')).fill('ada-password');
  await (await page.find('button', 'Change password', dialog)).click();
  await page.waitForText('ada was changed');
  assert.equal((await service.call('GET /api/v1/user', { as: basic('ada', 'another') })).status, 200);
  await (await page.find('link', 'Users')).click();
  await page.find('heading', 'Users');
});

browserTest('a user who deletes their own account is signed out', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Delete')).click();
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Delete user')).click();
  await page.find('heading', 'Sign in');
});

browserTest('an administrator creates a user, also where registration is closed', {
  settings: { registration: 'closed' },
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root');
  await (await page.find('button', 'New user')).click();
  await (await page.find('textbox', 'Username')).fill('grace');
  await (await page.find('textbox', 'Email')).fill('grace@example.org');
  await (await page.find('combobox', 'Password')).choose('You choose the password now');
  await (await page.find('textbox', 'Password')).fill('grace-password');
  await (await page.find('button', 'Create user')).click();
  await page.find('heading', 'grace');
  assert.equal(
    (await service.call('GET /api/v1/user', { as: basic('grace', 'grace-password') })).status, 200,
  );
});

browserTest('an administrator promotes a user, and demotes them again', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const isAdmin = async () => (await service.call('GET /api/v1/users/ada', { as: ada })).json['is_admin'];
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Promote')).click();
  await (await page.find('textbox', 'Your password')).fill('root-password');
  await (await page.find('button', 'Promote', await page.find('dialog', /ada/))).click();
  await page.find('button', 'Demote');
  assert.equal(await isAdmin(), true);
  await (await page.find('button', 'Demote')).click();
  await (await page.find('textbox', 'Your password')).fill('root-password');
  await (await page.find('button', 'Demote', await page.find('dialog', /ada/))).click();
  await page.find('button', 'Promote');
  assert.equal(await isAdmin(), false);
});

browserTest('a disabled user cannot sign in until they are enabled', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const status = async () => (await service.call('GET /api/v1/user', { as: ada })).status;
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Disable')).click();
  await (await page.find('button', 'Disable', await page.find('dialog', /ada/))).click();
  await page.waitForText('Disabled: cannot sign in');
  assert.equal(await status(), 401);
  await (await page.find('button', 'Enable')).click();
  await (await page.find('button', 'Enable', await page.find('dialog', /ada/))).click();
  await page.find('button', 'Disable');
  assert.equal(await status(), 200);
});

browserTest('another administrator is disabled, enabled and deleted with the password', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await service.registerAdministrator('boss');
  await signIn(page, 'root', '#/users/2');
  for (const [action, next] of [['Disable', 'Enable'], ['Enable', 'Disable']] as const) {
    await (await page.find('button', action)).click();
    const dialog = await page.find('dialog', /boss/);
    await (await page.find('textbox', 'Your password')).fill('wrong');
    await (await page.find('button', action, dialog)).click();
    await page.waitForText('The password is wrong');
    await (await page.find('textbox', 'Your password')).fill('root-password');
    await (await page.find('button', action, dialog)).click();
    await page.find('button', next);
  }
  await (await page.find('button', 'Delete')).click();
  await (await page.find('textbox', 'Your password')).fill('root-password');
  await (await page.find('button', 'Delete user')).click();
  await page.waitForText('boss was deleted');
});

browserTest('the last administrator cannot be demoted, and the dialog says why', {
  provokes: [409],
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/users/1');
  await (await page.find('button', 'Demote')).click();
  await (await page.find('textbox', 'Your password')).fill('root-password');
  await (await page.find('button', 'Demote', await page.find('dialog', /root/))).click();
  await page.waitForText(/last administrator/i);
});

browserTest('deleting an owner asks what happens to the projects', {}, async ({ service, page }) => {
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Delete')).click();
  await (await page.find('button', 'Delete user')).click();
  await page.waitForText('Choose an option.');
  assert.equal(await page.count('textbox', 'New owner'), 0);
  assert.equal((await service.call('GET /api/v1/users/ada', { as: root })).status, 200);
  await (await page.find('combobox', 'What happens to the projects')).choose('Transfer 1 project');
  await (await page.find('textbox', 'New owner')).fill('root');
  await (await page.find('button', 'Delete user')).click();
  await page.find('heading', 'Users');
  assert.equal((await service.call('GET /api/v1/users/ada', { as: root })).status, 404);
  assert.equal(
    (await service.call('GET /api/v1/projects/engine', { as: root })).json['owner'].username, 'root',
  );
});

browserTest('deleting a user with their projects deletes both', {}, async ({ service, page }) => {
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Delete')).click();
  await (await page.find('combobox', 'What happens to the projects')).choose('Delete 1 project too');
  await (await page.find('button', 'Delete user')).click();
  await page.find('heading', 'Users');
  assert.equal((await service.call('GET /api/v1/projects/engine', { as: root })).status, 404);
});

browserTest('a user who was changed by somebody else meanwhile is not changed over it (412)', {
  provokes: [412],
}, async ({ service, page }) => {
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Edit')).click();
  await (await page.find('textbox', 'Username')).fill('mine');
  await (await page.find('textbox', 'Your password')).fill('root-password');
  await service.call('PATCH /api/v1/users/2', { as: root, json: { email: 'theirs@example.org' } });
  await (await page.find('button', 'Save')).click();
  await page.waitForText('Somebody else has changed this');
  assert.equal((await service.call('GET /api/v1/users/2', { as: root })).json['username'], 'ada');
});

browserTest('the audit trail is found by action and by name', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await signIn(page, 'root', '#/audit');
  await page.waitForText('ada created project engine');
  await page.waitForText('root signed in at the console');
  await (await page.find('combobox', 'Action')).choose('Created project');
  await page.waitFor('one event', 'return document.querySelectorAll(".event").length === 1');
  await (await page.find('searchbox', 'By or about')).fill('root');
  await page.waitForText('No event matches these filters.');
});

browserTest('the audit trail finds a deleted user by the id, which an event leads to', {
  provokes: [404],
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await service.call('DELETE /api/v1/users/ada?owned_projects=delete', { as: ada });
  await signIn(page, 'root', '#/audit?username=ada');
  await page.waitForText('No user has this name now.');
  await page.session.execute('location.hash = "#/audit?action=project.create"');
  await page.waitForText('ada created project engine');
  await (await page.find('button', 'Details')).click();
  await (await page.find('link', 'user 2')).click();
  await page.waitForText(/ada deleted user ada[^]*ada registered/);
  await (await page.find('searchbox', 'By or about')).fill('1');
  await page.waitFor('the two acts of root', 'return document.querySelectorAll(".event").length === 2');
});

browserTest('the audit trail can be filtered by every recorded action', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/audit');
  const { element } = await page.find('combobox', 'Action');
  const offered = await page.session.execute(
    'return [...arguments[0].options].map(({ value }) => value)', element,
  );
  assert.deepEqual(offered, ['', ...AUDIT_ACTIONS]);
});

browserTest('an administrator sees whether the service is ready', {
  provokes: [404],
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/system');
  await page.waitForText(/Process\s+Live/);
  await page.waitForText(/Readiness\s+Ready/);
  await page.waitForText('METRICS=on');
});

browserTest('each number of the metrics has a line of what the page has seen', {
  settings: { metrics: 'on' },
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/system');
  await page.waitForText('Over 50 ms is slow');
  await (await page.find('button', 'Refresh')).click();
  await page.waitFor('a second value in each line', `
    const lines = [...document.querySelectorAll('.metrics .trend > polyline')];
    return lines.length >= 5 && lines.every((line) => line.points.length === 2)`);
});

browserTest('a service that is about to end is shown as not ready', {
  provokes: [404, 503],
}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/system');
  await page.waitForText(/Readiness\s+Ready/);
  service.services.lifeCycle.isEnding = true;
  await (await page.find('button', 'Refresh')).click();
  await page.waitForText('Failed: draining');
});

browserTest('however often the state was read, signing in again reads each part of it once', {
  provokes: [401, 404],
}, async ({ service, page, takeRequests }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/system');
  const again = await page.find('button', 'Refresh');
  await again.click();
  await again.click();
  await page.waitFor('all parts', 'return document.querySelector("[aria-busy=true]") === null');
  service.clock.nowMs += 2 * 3_600_000;
  await again.click();
  await page.find('heading', 'Sign in again');
  await takeRequests();
  await enterPassword(page, 'root');
  await page.waitUntilGone('heading', 'Sign in again');
  await page.waitForText('Your session expires');
  const reads = (await takeRequests()).filter((url) => url.endsWith('/livez'));
  assert.equal(reads.length, 1);
});
