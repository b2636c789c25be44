/** The overview, the palette, the menu of narrow windows, and the parts of a record. */
import assert from 'node:assert/strict';
import { toTimestamp, type Timestamp } from '../../../src/model/clock.ts';
import { createAuditStore } from '../../../src/stores/audit.ts';
import { browserTest } from '../../support/browser-test.ts';
import { signIn } from '../../support/console.ts';
import type { TestService } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const DAY_MS = 86_400_000;

browserTest('the overview shows an administrator how everything is', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await signIn(page, 'root', '#/overview');
  await page.waitForText('ada created project engine');
  await page.waitForText(/Newest users[^]*ada@example\.org/);
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
  const audit = createAuditStore(service.database);
  const attempts = { user: undefined, network: '192.0.2.7', count: 9 };
  await audit.insertFailures([attempts], toTimestamp(service.clock.nowMs - DAY_MS));
  await audit.insertFailures([attempts, attempts], toTimestamp(service.clock.nowMs));
  await signIn(page, 'root', '#/overview');
  await page.find('link', 'Users 3');
  await page.find('link', 'Projects 1');
  await page.find('link', 'Expiring tokens 0 Within a week, of 0');
  await (await page.find('link', 'Failed sign-ins 2 Records since midnight UTC')).click();
  await page.find('heading', 'Audit trail');
  await page.waitFor('only the counted records', 'return document.querySelectorAll(".event").length === 2');
});

browserTest('the tile of expiring tokens leads to what it counts, which are no sessions', {}, async ({
  service, page,
}) => {
  service.clock.nowMs = Date.now();
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  for (const [name, days] of [['backup', 30], ['report', 3], ['probe', 5]] as const) {
    await service.call('POST /api/v1/tokens', { as: ada, json: { name, expiration: days * 86_400 } });
  }
  await signIn(page, 'root', '#/overview');
  await (await page.find('link', 'Expiring tokens 2 Within a week, of 3')).click();
  await page.find('heading', 'Tokens');
  await page.waitForText(/report[^]*probe[^]*backup/);
  const rows = await page.session.execute('return document.querySelector("table").innerText');
  assert.doesNotMatch(String(rows), /console/);
});

browserTest('sessions are told as sign-ins, and equal neighbours as one entry', {}, async (
  { service, page },
) => {
  const root = await service.registerAdministrator('root');
  const json = { name: 'console', expiration: 3600 };
  for (let count = 0; count < 3; count += 1) {
    await service.call('POST /api/v1/tokens', { as: root, json });
  }
  await service.call('POST /api/v1/tokens', { as: root, json: { name: 'report' } });
  await service.call('POST /api/v1/users', {
    as: root, json: { username: 'grace', email: 'g@example.org', password: 'grace-password' },
  });
  await signIn(page, 'root', '#/audit');
  await page.waitForText(/root signed in at the console \(3 times\)/);
  await page.waitForText('root created token report');
  await page.waitForText('root created user grace'); // not: grace registered
  assert.doesNotMatch(await page.text(), /token console/);
  await page.session.execute('[...document.querySelectorAll(".fold")].at(-2).click()');
  const events = 'return document.querySelectorAll(".more:not([hidden]) dl").length === 3';
  await page.waitFor('three events', events);
});

/** Registers users on a day in the past, `u1` and so on. */
function insertUsers({ database }: TestService, count: number, at: Timestamp) {
  return database.write([{
    sql: `
      WITH RECURSIVE ids (id) AS (
        SELECT coalesce(max(id), 0) + 1 FROM users UNION ALL SELECT id + 1 FROM ids LIMIT ${count}
      )
      INSERT INTO users (username, username_key, email, password_hash, date_created)
      SELECT 'u' || id, 'u' || id, '', '', ? FROM ids`,
    parameters: [at],
  }]);
}

const CHART = 'return document.querySelector("[role=img]")?.ariaLabel';

browserTest('the chart shows the registrations of each of 14 days', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  const daysAgo = (count: number) => toTimestamp(service.clock.nowMs - count * DAY_MS);
  await insertUsers(service, 5, daysAgo(14));
  await insertUsers(service, 2, daysAgo(13));
  await insertUsers(service, 7, daysAgo(1));
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/overview');
  await page.waitForText('10 registrations in 14 days');
  const numbers = String(await page.session.execute(CHART)).replaceAll(/\w+ \d+: /g, '');
  assert.equal(numbers, `2, ${'0, '.repeat(11)}7, 1`);
});

browserTest('there is no chart if the newest 500 users do not reach back 14 days', {}, async (
  { service, page },
) => {
  service.clock.nowMs = Date.now();
  const daysAgo = (count: number) => toTimestamp(service.clock.nowMs - count * DAY_MS);
  await insertUsers(service, 9, daysAgo(3));
  await insertUsers(service, 400, daysAgo(2));
  await insertUsers(service, 100, daysAgo(1));
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/overview');
  await page.waitForText('500+ registrations in 14 days');
  assert.equal(await page.session.execute(CHART), null);
});

browserTest('the chart of 500 users is complete if there are no others', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  await insertUsers(service, 499, toTimestamp(service.clock.nowMs - 2 * DAY_MS));
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/overview');
  await page.waitForText('500 registrations in 14 days');
});

browserTest('the overview counts for a user what is theirs', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  const [ada, grace] = [await service.register('ada'), await service.register('grace')];
  await service.createProject(ada, 'engine');
  await service.createProject(grace, 'compiler');
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 3600 } });
  await signIn(page, 'ada', '#/overview');
  await page.find('link', 'Your projects 1');
  await page.find('link', 'Your valid tokens 2');
  assert.doesNotMatch(await page.text(), /Failed sign-ins|14 days/);
});

browserTest('the overview shows a user their own projects and tokens', {}, async ({ service, page }) => {
  const [ada, grace] = [await service.register('ada'), await service.register('grace')];
  await service.createProject(ada, 'engine');
  await service.createProject(grace, 'compiler');
  const json = { name: 'nightly report', expiration: 172_800 };
  await service.call('POST /api/v1/tokens', { as: ada, json });
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
  await (await page.find('combobox', 'What happens to the projects')).choose('Delete 1 project too');
});
