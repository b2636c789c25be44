import assert from 'node:assert/strict';
import { createFailureReport } from '../../../src/extras/audit/failure-report.ts';
import { toProgramOrigin } from '../../../src/model/audit.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { assertAccessible } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { consoleTest, show, showAgain, signIn } from '../../support/console.ts';
import type { TestService } from '../../support/service.ts';
import { sql } from '../../support/sql.ts';
import { Key } from '../../support/webdriver.ts';

const DAY_MS = 86_400_000;

browserTest('the tiles of the overview count, and lead to what they count', async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  const as = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.register('grace');
  await service.call('PATCH /api/v1/users/grace', { as, json: { disabled: true } });
  await service.createProject(ada, 'engine');
  for (const [name, days] of [['backup', 30], ['report', 3], ['probe', 5], ['brief', 1 / 24]] as const) {
    await service.call('POST /api/v1/tokens', { as: ada, json: { name, expiration: days * 86_400 } });
  }
  const { onSignInFailure, recordFailures } = createFailureReport(service.database);
  for (const [ageMs, ...addresses] of [
    [DAY_MS, '192.0.2.7'], [0, '192.0.2.7', '192.0.2.7', '192.0.2.8'],
  ] as const) {
    addresses.forEach((address) => onSignInFailure(undefined, address));
    await recordFailures(toProgramOrigin(() => service.clock.nowMs - ageMs));
  }
  await signIn(page, 'root', '#/overview');
  await page.find('link', 'Users 3');
  await page.find('link', 'Projects 1');
  await page.waitForText('ada created project engine', /Newest users[^]*ada@example\.org/);
  await page.click('link Expiring tokens 2 In the next 7 days, out of 3 long-lived tokens');
  await page.find('heading', 'Tokens');
  await page.waitForText(/report[^]*probe[^]*backup/);
  const rows = await page.session.execute('return document.querySelector("table").innerText');
  assert.doesNotMatch(String(rows), /console|brief/, 'sessions are not counted');
  await page.session.back();
  await page.click('link Failed sign-ins 3 Recorded since midnight UTC');
  await page.find('heading', 'Audit trail');
  await page.waitForText('2 failed sign-ins', '1 failed sign-in');
  await page.waitFor('only the counted sign-ins', 'return document.querySelectorAll(".event").length === 2');
});

browserTest('sessions are shown as sign-ins, equal neighbours as one entry', async ({ service, page }) => {
  const as = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  for (const user of [as, as, ada, as, ada, as, as, ada, as]) {
    const { json } = await service.call('POST /api/v1/tokens', { as: user, json: { name: 'console' } });
    await service.call('DELETE /api/v1/token', { as: `Bearer ${json['token']}` });
  }
  await service.call('POST /api/v1/tokens', { as, json: { name: 'report', expiration: 3600 } });
  const json = { username: 'grace', email: 'g@example.org', password: 'grace-password' };
  await service.call('POST /api/v1/users', { as, json });
  for (const password of ['a long phrase', 'a longer phrase']) {
    await service.call('PUT /api/v1/users/grace/password', { as, json: { password } });
  }
  await signIn(page, 'root', '#/overview');
  for (const screen of ['#/overview', '#/audit']) {
    await show(page, screen);
    // root created grace, so grace did not register; ada registered before all sessions
    await page.waitForText('root created token report', 'root created user grace', 'ada registered');
    await page.waitForText(
      'root signed in 6 times and signed out 6 times at the console', 'grace (2 times)',
      'ada signed in 3 times and signed out 3 times at the console',
    );
    assert.doesNotMatch(await page.text(), /token console/);
    await page.session.execute('document.querySelectorAll(".fold")[5].click()');
    await page.waitFor('6 events', 'return document.querySelectorAll(".more:not([hidden]) dl").length === 6');
  }
});

function insertUsers({ clock, database }: TestService, count: number, days: number) {
  return database.write([sql(`
    WITH RECURSIVE ids (id) AS (
      SELECT coalesce(max(id), 0) + 1 FROM users UNION ALL SELECT id + 1 FROM ids LIMIT ${count}
    )
    INSERT INTO users (username, username_key, email, password_hash, date_created)
    SELECT 'u' || id, 'u' || id, '', '', ? FROM ids`, toTimestamp(clock.nowMs - days * DAY_MS))]);
}

browserTest.each('{0}', [
  ['the chart shows the registrations of each of 14 days', [[5, 14], [2, 13], [7, 1]],
    '10 registrations in 14 days', `2, ${'0, '.repeat(11)}7, 1`],
  ['there is no chart if the newest 500 users do not reach back 14 days', [[9, 3], [400, 2], [100, 1]],
    '500+ registrations in 14 days', undefined],
  ['the chart of 500 users is complete if there are no others', [[499, 2]],
    '500 registrations in 14 days', `${'0, '.repeat(11)}499, 0, 1`],
], async ({ service, page }, [, inserted, words, chart]) => {
  service.clock.nowMs = Date.now();
  for (const [count, days] of inserted) {
    await insertUsers(service, count, days);
  }
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/overview');
  await page.waitForText(words);
  const label = await page.session.execute('return document.querySelector("[role=img]")?.ariaLabel');
  assert.equal(label === null ? undefined : String(label).replaceAll(/\w+ \d+: /g, ''), chart);
});

consoleTest('users see only their own overview', 'ada #/overview', async ({ service, page, ada, grace }) => {
  await service.createProject(grace, 'compiler');
  const json = { name: 'nightly report', expiration: 172_800 };
  await service.call('POST /api/v1/tokens', { as: ada, json });
  await showAgain(page, '#/overview');
  await page.find('link', 'Your projects 1');
  await page.find('link', 'Your valid tokens 2');
  await page.find('link', 'engine');
  await page.waitForText('nightly report');
  assert.doesNotMatch(await page.text(), /compiler|Recent activity|Failed sign-ins|14 days/);
}, { project: 'engine', keep: true });

consoleTest('Ctrl-K goes to a user and to a project by name', 'ada #/overview', async ({ page }) => {
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
  await page.press(Key.up); // from the first item, the key moves the focus to the last item
  await page.press(Key.enter);
  await page.find('heading', 'engine');
}, { project: 'engine' });

consoleTest('narrow windows have a menu button; rows open with a click', 'ada #/users', async ({ page }) => {
  await page.find('link', 'ada');
  await page.session.execute('document.querySelector("tbody td:last-child").click()');
  await page.find('heading', 'root');
  await page.emulate({ width: 390, scheme: 'light' });
  assert.equal(await page.count('link', 'Tokens'), 0);
  await page.click('button Menu', 'link Tokens');
  await page.find('heading', 'Tokens');
  await page.waitUntilGone('link', 'Projects');
});

consoleTest('a user without a project is led to the first one', 'ada #/overview', async ({ page }) => {
  await page.click('link Create your first project');
  await page.waitForText('No projects yet.');
  await assertAccessible(page, 'no projects');
  await page.click('button Create your first project');
  await page.find('dialog', 'New project');
});

consoleTest('a warning precedes demoting or disabling oneself', 'root #/users/1', async ({ page }) => {
  await page.click('button Demote');
  await page.waitForText('you will no longer be an administrator');
  await page.click('button Cancel', 'button Disable');
  await page.waitForText('You will be signed out');
});
