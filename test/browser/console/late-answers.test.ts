/** Responses that arrive after the user has moved on to another request, or has signed out. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { enterPassword, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

/** Holds back the next response to a request that begins with the line, such as `GET /api/v1/user`. */
async function holdAnswer(page: Page, line: string): Promise<void> {
  await page.session.execute(`
    const [line] = arguments;
    const ask = window.fetch;
    window.isHeld = false;
    window.fetch = async (url, options) => {
      const answer = await ask(url, options);
      if (!window.isHeld && \`\${options.method} \${url.slice(location.origin.length)}\`.startsWith(line)) {
        window.isHeld = true;
        await new Promise((release) => { window.release = release; });
      }
      return answer;
    }`, line);
}

async function waitForAnswer(page: Page): Promise<void> {
  await page.waitFor('an answer that is held', 'return window.isHeld');
}

/** Releases the response, and gives the page time to process it. */
async function releaseAnswer(page: Page): Promise<void> {
  await page.session.execute('window.release(); return new Promise((resolve) => setTimeout(resolve, 200))');
}

browserTest('a late response does not replace a newer search', {}, async ({ service, page }) => {
  await service.register('ada');
  await service.register('bob');
  await signIn(page, 'ada', '#/users');
  await holdAnswer(page, 'GET /api/v1/users?items_per_page=25&contains=ada');
  await (await page.find('searchbox', 'Username to search')).fill('ada');
  await waitForAnswer(page);
  await (await page.find('searchbox', 'Username to search')).fill('bob');
  await page.find('link', 'bob');
  await releaseAnswer(page);
  assert.equal(await page.count('link', 'bob'), 1);
});

browserTest('signing out waits for no answer', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users', { keep: true });
  await holdAnswer(page, 'DELETE /api/v1/token');
  await (await page.find('button', 'Sign out')).click();
  await page.find('heading', 'Sign in');
  assert.equal(await page.session.execute('return sessionStorage.length'), 0);
  await waitForAnswer(page);
  await releaseAnswer(page);
  await page.waitForText('Signed out; the token is revoked');
});

browserTest('a late new token is not shown to the next user', {}, async ({ service, page }) => {
  await service.register('ada');
  await service.register('bob');
  await signIn(page, 'ada', '#/tokens');
  await holdAnswer(page, 'POST /api/v1/tokens');
  await (await page.find('button', 'New token')).click();
  await (await page.find('combobox', 'Use')).choose('For any program, and for Rollcall itself');
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Create token')).click();
  await waitForAnswer(page);
  await page.press(Key.escape);
  await page.waitUntilGone('heading', 'New token');
  await (await page.find('button', 'Sign out')).click();
  await enterPassword(page, 'bob');
  await page.find('button', 'Sign out');
  await releaseAnswer(page);
  assert.equal(await page.count('dialog', /./), 0);
  assert.doesNotMatch(await page.text(), /rollcall_/);
});

browserTest('a late response does not sign anybody in again', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/ada');
  await holdAnswer(page, 'GET /api/v1/user');
  await (await page.find('button', 'Edit')).click();
  await (await page.find('textbox', 'Email')).fill('countess@example.org');
  await (await page.find('button', 'Save')).click();
  await waitForAnswer(page);
  await (await page.find('button', 'Sign out')).click();
  await page.find('heading', 'Sign in');
  await releaseAnswer(page);
  assert.equal(await page.count('button', 'Sign out'), 0);
});

browserTest('a late response does not sign in a user who has postponed signing in again', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users');
  service.clock.nowMs += 2 * 3_600_000;
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Sign in again');
  await holdAnswer(page, 'POST /api/v1/tokens');
  await enterPassword(page, 'ada');
  await waitForAnswer(page);
  await page.press(Key.escape);
  await page.waitUntilGone('heading', 'Sign in again');
  await (await page.find('button', 'Sign out')).click();
  await page.find('heading', 'Sign in');
  await releaseAnswer(page);
  assert.equal(await page.count('button', 'Sign out'), 0);
});
