import assert from 'node:assert/strict';
import { assertAccessible } from '../../support/accessibility.ts';
import { consoleTest, enterPassword, holdAnswer, releaseAnswer, send } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

async function signOut(page: Page): Promise<void> {
  await page.click('button Sign out');
  await page.find('heading', 'Sign in');
}

consoleTest('a late response does not replace a newer search', 'ada #/users', async ({ page }) => {
  await holdAnswer(page, 'GET /api/v1/users?items_per_page=25&contains=ada', () =>
    page.fill({ 'Username to search': 'ada' }));
  await page.fill({ 'Username to search': 'grace' });
  await page.find('link', 'grace');
  await releaseAnswer(page);
  assert.equal(await page.count('link', 'grace'), 1);
});

consoleTest('signing out waits for no response', 'ada #/users', async ({ page }) => {
  await holdAnswer(page, 'DELETE /api/v1/token', () => signOut(page));
  assert.equal(await page.session.execute('return sessionStorage.length'), 0);
  await releaseAnswer(page);
  await page.waitForText('You have signed out. Your token is revoked');
}, { keep: true });

consoleTest('a late new token is not shown to the next user', 'ada #/tokens', async ({ page }) => {
  const fields = { 'Use': 'For any program, and for Rollcall itself', 'Your password': 'ada-password' };
  await holdAnswer(page, 'POST /api/v1/tokens', () => send(page, 'New token', fields, 'Create token'));
  await page.press(Key.escape);
  await page.waitUntilGone('heading', 'New token');
  await page.click('button Sign out');
  await enterPassword(page, 'grace');
  await page.find('button', 'Sign out');
  await releaseAnswer(page);
  assert.equal(await page.count('dialog', /./), 0);
  assert.doesNotMatch(await page.text(), /rollcall_/);
});

consoleTest('a late response signs nobody in again', 'ada #/users/ada', async ({ page }) => {
  const fields = { Email: 'countess@example.org' };
  await holdAnswer(page, 'GET /api/v1/user', () => send(page, 'Edit', fields, 'Save'));
  await signOut(page);
  await releaseAnswer(page);
  assert.equal(await page.count('button', 'Sign out'), 0);
});

consoleTest('a late response signs in no user who postponed it', 'ada #/users', async ({ service, page }) => {
  service.clock.nowMs += 2 * 3_600_000;
  await page.click('link Projects');
  await page.find('heading', 'Sign in again');
  await assertAccessible(page, 'the form to sign in again');
  await holdAnswer(page, 'POST /api/v1/tokens', () => enterPassword(page, 'ada'));
  await page.press(Key.escape);
  await page.waitUntilGone('heading', 'Sign in again');
  await page.waitForText('You are signed out.');
  await assertAccessible(page, 'a list of a user who has not signed in again');
  await signOut(page);
  await releaseAnswer(page);
  assert.equal(await page.count('button', 'Sign out'), 0);
}, { provokes: [401] });
