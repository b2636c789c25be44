/** The overview, the palette, the menu of narrow windows, and the parts of a record. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { signIn } from '../../support/console.ts';
import { Key } from '../../support/webdriver.ts';

browserTest('the overview shows an administrator how everything is', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await signIn(page, 'root', '#/overview');
  await page.waitForText('ada created project engine');
  await page.waitForText(/Newest users[^]*ada@example\.org/);
  await page.waitForText(/Status\s+Ready/);
});

browserTest('the overview counts for an administrator, and its numbers lead to the lists', {}, async ({
  service, page,
}) => {
  service.clock.nowMs = Date.now();
  const as = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.register('grace');
  await service.call('PATCH /api/v1/users/grace', { as, json: { disabled: true } });
  await service.createProject(ada, 'engine');
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 3600 } });
  await signIn(page, 'root', '#/overview');
  await page.find('link', 'Users 3 1 administrator, 1 disabled');
  await page.find('link', /^Projects 1/);
  await page.find('link', 'Failed sign-ins 0 Today');
  await page.waitForText('3 in 14 days');
  const chart = await page.session.execute('return document.querySelector("[role=img]").ariaLabel');
  assert.match(String(chart), /^(\w+ \d+: 0, ){13}\w+ \d+: 3$/, 'the chart says every day');
  await (await page.find('link', 'Valid tokens 2 2 expire within a week')).click();
  await page.find('heading', 'Tokens');
});

browserTest('the overview counts for a user what is theirs', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  const [ada, grace] = [await service.register('ada'), await service.register('grace')];
  await service.createProject(ada, 'engine');
  await service.createProject(grace, 'compiler');
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 3600 } });
  await signIn(page, 'ada', '#/overview');
  await page.find('link', 'Your projects 1');
  await page.find('link', 'Your valid tokens 2 1 expires within a week');
  assert.doesNotMatch(await page.text(), /Failed sign-ins|Registrations/);
});

browserTest('the overview shows a user their own projects and tokens', {}, async ({ service, page }) => {
  const [ada, grace] = [await service.register('ada'), await service.register('grace')];
  await service.createProject(ada, 'engine');
  await service.createProject(grace, 'compiler');
  await service.call('POST /api/v1/tokens', { as: ada, json: { name: 'nightly report' } });
  await signIn(page, 'ada', '#/overview');
  await page.find('link', 'engine');
  await page.waitForText('nightly report');
  assert.doesNotMatch(await page.text(), /compiler|Recent activity/);
});

browserTest('Ctrl-K goes to a user and to a project by name', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.register('grace');
  await service.createProject(ada, 'engine');
  await signIn(page, 'ada', '#/overview');
  await page.press('\uE009', 'k');
  await page.waitForFocus('combobox Go to');
  await page.session.type(await page.session.activeElement(), 'rac');
  await page.find('option', /grace/);
  await page.press(Key.enter);
  await page.find('heading', 'grace');
  await page.press('\uE009', 'k');
  await page.session.type(await page.session.activeElement(), 'e');
  await page.find('option', /engine/);
  await page.find('option', /grace/);
  await page.press(Key.up); // leads from the first item to the last
  await page.press(Key.enter);
  await page.find('heading', 'engine');
});

browserTest('the palette offers the screens that the user may open', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/overview');
  await (await page.find('button', /^Go to/)).click();
  await page.find('option', /^Projects/);
  assert.equal(await page.count('option', /Audit trail|System/), 0);
});

browserTest('a narrow window has a menu behind a button', {}, async ({ service, page }) => {
  await service.register('ada');
  await page.emulate({ width: 390, scheme: 'light' });
  await signIn(page, 'ada', '#/users');
  assert.equal(await page.count('link', 'Tokens'), 0);
  await (await page.find('button', 'Menu')).click();
  await (await page.find('link', 'Tokens')).click();
  await page.find('heading', 'Tokens');
  await page.waitUntilGone('link', 'Projects');
});

browserTest('a click anywhere in a row opens the record', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users');
  await page.find('link', 'ada');
  await page.session.execute('document.querySelector("tbody td:last-child").click()');
  await page.find('heading', 'ada');
});

browserTest('the arrow keys lead from one part of a user to the next', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('tab', 'Projects (0)')).click();
  await page.press('\uE014');
  await page.waitForFocus('tab Tokens');
  await page.waitForText('this console');
});

browserTest('the last page of a list says how many items there are', {}, async ({ service, page }) => {
  for (const name of ['ada', 'alan', 'grace']) {
    await service.register(name);
  }
  await signIn(page, 'ada', '#/users?items_per_page=2&page=2');
  await page.waitForText('3–3 of 3');
});

browserTest('a user who owns nothing is helped to begin', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/overview');
  await (await page.find('link', 'Create your first project')).click();
  await page.find('button', 'Create your first project');
});

for (const [action, words] of [
  ['Demote', 'you will no longer be an administrator'], ['Disable', 'you will be signed out'],
] as const) {
  browserTest(`${action} warns administrators of their own account`, {}, async ({ service, page }) => {
    await service.registerAdministrator('root');
    await service.register('ada');
    await signIn(page, 'root', '#/users/1');
    await (await page.find('button', action)).click();
    await page.waitForText(words);
  });
}

browserTest('the form to delete a user counts what is lost', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await service.call('POST /api/v1/tokens', { as: ada, json: {} });
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Delete')).click();
  await page.waitForText('Deletes the account and 1 valid token.');
  await (await page.find('combobox', 'What happens to their projects')).choose('Delete 1 project too');
});
