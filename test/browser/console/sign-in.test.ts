/** Signing in, the length of a session, and the end of a session. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, enterPassword, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import type { TestService } from '../../support/service.ts';

const HOUR_MS = 3_600_000;

browserTest('the right password opens the overview', {}, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await enterPassword(page, 'ada');
  await page.find('heading', 'Overview');
  await page.find('link', 'ada');
});

browserTest('a wrong password is told in the form', { provokes: [401] }, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await enterPassword(page, 'ada', 'wrong');
  await page.waitForText('The username or the password is wrong');
  assert.match(await page.focusedText(), /The username or the password is wrong/);
  await page.find('textbox', 'Password'); // fails if the browser shows a dialog of its own
});

browserTest('the right password works after a wrong one', { provokes: [401] }, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await enterPassword(page, 'ada', 'wrong');
  await page.waitForText('The username or the password is wrong');
  await enterPassword(page, 'ada');
  await page.find('heading', 'Overview');
});

browserTest('a password is exchanged for a token, and not sent again', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada');
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Projects');
  const signIns = service.logLines.map((line) => JSON.parse(line)).filter(
    ({ message, user_id: user }) => message === 'request' && user !== undefined,
  );
  assert.deepEqual(signIns.map(({ sign_in: how }) => how), [
    'password', ...signIns.slice(1).map(() => 'token'),
  ]);
});

browserTest('somebody new registers, and is signed in', {}, async ({ page }) => {
  await page.open(CONSOLE);
  await (await page.find('button', 'Register')).click();
  await page.find('heading', 'Register');
  await (await page.find('textbox', 'Username')).fill('grace');
  await (await page.find('textbox', 'Email')).fill('grace@example.org');
  await (await page.find('textbox', 'Password')).fill('grace-password');
  await (await page.find('button', 'Register')).click();
  await page.find('heading', 'Overview');
  await page.find('link', 'grace');
});

browserTest('a name that is taken is told at its field', { provokes: [422] }, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await (await page.find('button', 'Register')).click();
  await (await page.find('textbox', 'Username')).fill('ada');
  await (await page.find('textbox', 'Email')).fill('ada@example.org');
  await (await page.find('textbox', 'Password')).fill('another');
  await (await page.find('button', 'Register')).click();
  await page.waitForText('Username in use');
  assert.equal(await page.focused(), 'textbox Username');
});

browserTest('where registration is closed nobody is asked to register', {
  settings: { registration: 'closed' },
}, async ({ page }) => {
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  await page.waitFor(
    'the page to know',
    `const { href } = new URL('../../api/v1/openapi.json', location.href);
    return performance.getEntriesByName(href).length === 1`,
  );
  assert.equal(await page.count('button', 'Register'), 0);
});

browserTest('the token is gone after a reload by default', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada');
  await page.session.reload();
  await page.find('heading', 'Sign in');
});

browserTest('a tab that keeps the token survives a reload', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users', { keep: true });
  await page.find('heading', 'Users');
  await page.session.reload();
  await page.find('heading', 'Users');
});

browserTest('a new tab of a kept session does not ask again, and keeps nothing itself', {}, async ({
  service, page, openPage,
}) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users', { keep: true });
  const other = await openPage();
  await other.open(`${CONSOLE}#/users/1`);
  await other.find('heading', 'ada');
  const stored = await other.session.execute('return JSON.stringify([sessionStorage, localStorage])');
  assert.doesNotMatch(String(stored), /rollcall_/);
});

for (const [typed, then] of [
  ['', 'continues the session'], ['eve', 'leaves the form with its text'],
] as const) {
  browserTest(`a tab that answers late, after "${typed}" was typed, ${then}`, {}, async ({
    service, page, openPage,
  }) => {
    await service.register('ada');
    await signIn(page, 'ada', '#/users', { keep: true });
    await page.session.execute(`
      const post = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        window.answer = () => post.call(this, message);
      };`);
    const other = await openPage();
    await other.open(`${CONSOLE}#/users/1`);
    await other.find('heading', 'Sign in');
    await (await other.find('textbox', 'Username')).fill(typed);
    await other.session.execute(`
      const later = () => setTimeout(() => { window.heard = true; }, 300);
      new BroadcastChannel('rollcall /static/').onmessage = later;
    `);
    await page.focus();
    await page.waitFor('the question of the other tab', 'return window.answer');
    await page.session.execute('window.answer()');
    await other.focus();
    await other.waitFor('the answer', 'return window.heard');
    await other.find('heading', typed === '' ? 'ada' : 'Sign in');
  });
}

browserTest('a new tab asks for the password if no tab keeps the session', {}, async ({
  service, page, openPage,
}) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users');
  const other = await openPage();
  await other.open(CONSOLE);
  await other.find('heading', 'Sign in');
});

browserTest('signing out in one tab ends the session in all tabs', {}, async (
  { service, page, openPage },
) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users', { keep: true });
  const other = await openPage();
  await other.open(CONSOLE);
  await (await other.find('button', 'Sign out')).click();
  await other.find('heading', 'Sign in');
  await page.focus();
  await page.find('heading', 'Sign in');
  await page.session.reload();
  await page.find('heading', 'Sign in');
});

browserTest('the help has signing out as a line for curl', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada');
  await (await page.find('button', 'Help')).click();
  await (await page.find('button', 'Sign out with curl')).click();
  await page.waitForText(
    /curl -X DELETE \\\n\s*-H "Authorization: Bearer \$token" \\\n\s*\S+\/api\/v1\/token$/m,
  );
});

browserTest('signing out revokes the token', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signIn(page, 'ada');
  await (await page.find('button', 'Sign out')).click();
  await page.find('heading', 'Sign in');
  const { json } = await service.call('GET /api/v1/tokens', { as: ada });
  assert.deepEqual(json['tokens'], []);
});

browserTest('an expired token keeps the draft of a form, which is sent after signing in again', {
  provokes: [401],
}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signInAgainWithDraft(service, page);
  assert.equal(await (await page.find('textbox', 'Name')).value(), 'draft');
  await (await page.find('button', 'Create project')).click();
  await page.find('heading', 'draft');
  assert.equal((await service.call('GET /api/v1/projects/draft', { as: ada })).status, 200);
});

browserTest('somebody who does not sign in again sees that they are signed out', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada');
  service.clock.nowMs += 2 * HOUR_MS;
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Sign in again');
  await (await page.find('button', 'Cancel')).click();
  await page.waitUntilGone('heading', 'Sign in again');
  await page.waitForText('You are signed out.');
});

browserTest('the first field of the form to sign in has the focus', {}, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await page.waitForFocus('textbox Username');
  await enterPassword(page, 'ada');
  await page.find('heading', 'Overview');
});

browserTest('the form to sign in again begins at the password', { provokes: [401] }, async ({
  service, page,
}) => {
  await service.register('ada');
  await signIn(page, 'ada');
  service.clock.nowMs += 2 * HOUR_MS;
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Sign in again');
  await page.waitForFocus('textbox Password');
});

browserTest('the form to change a password skips the name of the account', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Change password')).click();
  await page.waitForFocus('textbox Current password');
});

browserTest('an empty field is told in our words, at the field', {}, async ({ page }) => {
  await page.open(CONSOLE);
  await (await page.find('button', 'Sign in')).click();
  await page.waitForText('Username is missing.');
  await page.waitForText('Password is missing.');
  await page.waitForFocus('textbox Username');
});

browserTest('after signing in again a form no longer says that the user is signed out', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.register('ada');
  await signInAgainWithDraft(service, page);
  assert.doesNotMatch(await page.text(), /You are signed out/);
});

browserTest('a refusal leads to the page that explains it', {
  provokes: [400],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects?sort=nothing');
  const { element } = await page.find('link', 'Explanation of this problem');
  assert.match(String(await page.session.property(element, 'href')), /\/problems\.html#invalid-parameter$/);
});

/** Signs in Ada, who fills in the form of a project, sends it with an expired token, and signs in again. */
async function signInAgainWithDraft(service: TestService, page: Page): Promise<void> {
  await signIn(page, 'ada', '#/projects');
  await (await page.find('button', 'New project')).click();
  await (await page.find('textbox', 'Name')).fill('draft');
  service.clock.nowMs += 2 * HOUR_MS;
  await (await page.find('button', 'Create project')).click();
  await page.find('heading', 'Sign in again');
  await (await page.find('textbox', 'Password')).fill('ada-password');
  await (await page.find('button', 'Sign in')).click();
  await page.waitUntilGone('heading', 'Sign in again');
}
