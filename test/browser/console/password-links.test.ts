/** Password links and invitations in the console, and tokens for programs. */
import assert from 'node:assert/strict';
import { basic } from '../../support/service.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, enterPassword, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';

/** Reads the link that a dialog shows, and closes the dialog. @returns Its path, with the part after `#`. */
async function takeLink(page: Page): Promise<string> {
  const dialog = await page.find('dialog', /^A password link for/);
  const link = String(
    await page.session.execute('return arguments[0].querySelector("code").textContent', dialog.element),
  );
  await (await page.find('button', 'Done')).click();
  return link.replace(/^https?:\/\/[^/]+/, '');
}

browserTest('an invitation is one step, and its link sets a password once', {}, async (
  { service, page, openPage, takeRequests },
) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/users');
  await (await page.find('button', 'New user')).click();
  await (await page.find('textbox', 'Username')).fill('eve');
  await (await page.find('textbox', 'Email')).fill('eve@example.org');
  await (await page.find('button', 'Create user')).click();
  const link = await takeLink(page);
  assert.match(link, /^\/static\/console\/#\/password\/\d+\/eve\/rollcall_/);
  const guest = await openPage();
  await guest.open(link);
  await guest.find('heading', 'Set your password');
  assert.equal(await guest.session.execute('return location.hash'), '#/password', 'no secret in the address');
  await guest.session.reload();
  await guest.waitForText('Choose the password of the account eve');
  await guest.waitForFocus('textbox New password');
  await (await guest.find('textbox', 'New password')).fill('eve-password');
  await (await guest.find('button', 'Set password')).click();
  await guest.find('heading', 'Overview');
  await guest.find('link', 'eve');
  await guest.session.reload();
  await guest.find('heading', 'Sign in'); // the link is not there any more
  assert.equal((await service.call('GET /api/v1/user', { as: basic('eve', 'eve-password') })).status, 200);
  const secret = link.split('/').at(-1) ?? '';
  assert.deepEqual((await takeRequests()).filter((url) => url.includes(secret)), []);
});

browserTest('an invited person sees the rule before the first mistake', {
  settings: { passwordLengthMin: 12 },
}, async ({ page }) => {
  await page.open(`${CONSOLE}#/password/2/ada/rollcall_x`);
  await page.waitForText('At least 12 characters.');
});

browserTest('without its secret the page of a link says what to do', {}, async ({ page }) => {
  await page.open(`${CONSOLE}#/password`);
  await page.waitForText('Open your link again, or ask for a new link.');
});

browserTest('a used link says so, and keeps the form', { provokes: [401] }, async ({ service, page }) => {
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  const { json } = await service.call('POST /api/v1/users/ada/password_link', { as: root });
  const secret = String(json['link']).split('/').at(-1);
  await service.call('PUT /api/v1/users/ada/password', {
    as: `Bearer ${secret}`, json: { password: 'ada-password' },
  });
  await page.open(`${CONSOLE}#/password/2/ada/${secret}`);
  await (await page.find('textbox', 'New password')).fill('another phrase');
  await (await page.find('button', 'Set password')).click();
  await page.waitForText('The link has expired or was used');
  await page.open(CONSOLE);
  await enterPassword(page, 'ada');
  await page.waitUntilGone('heading', 'Sign in');
});

browserTest('an administrator makes a link for a forgotten password', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await service.register('ada');
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Password link')).click();
  await (await page.find('button', 'Make link')).click();
  const secret = (await takeLink(page)).split('/').at(-1);
  const json = { password: 'a new phrase' };
  const answer = await service.call('PUT /api/v1/users/ada/password', { as: `Bearer ${secret}`, json });
  assert.equal(answer.status, 200);
});

browserTest('an identity token does what the form says', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', 'New token')).click();
  await (await page.find('textbox', 'Name')).fill('wiki');
  await (await page.find('combobox', 'Unit')).choose('Minutes');
  await (await page.find('combobox', 'Scope')).choose('Identity: only tells a program who you are');
  await (await page.find('combobox', 'Use')).choose('For any program, and for Rollcall itself');
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Create token')).click();
  const dialog = await page.find('dialog', 'Your new token');
  const token = String(
    await page.session.execute('return arguments[0].querySelector("code").textContent', dialog.element),
  );
  await (await page.find('button', 'Done')).click();
  const as = `Bearer ${token}`;
  assert.equal((await service.call('GET /api/v1/users', { as })).status, 403);
  assert.equal((await service.call('GET /api/v1/user', { as })).json['username'], 'ada');
});
