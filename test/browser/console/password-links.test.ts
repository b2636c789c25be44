import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest, enterPassword, readCode, send } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { basic } from '../../support/service.ts';

async function takeLink(page: Page): Promise<string> {
  const link = await readCode(page, /^A password link for/);
  await page.click('button Done');
  return link.replace(/^https?:\/\/[^/]+/, '');
}

const secretOf = (link: string) => link.split('/').at(-1) ?? '';

consoleTest('an invitation is one step, and its link sets a password once', 'root #/users', async (world) => {
  const { service, page, openPage, takeRequests } = world;
  await send(page, 'New user', { Username: 'eve', Email: 'eve@example.org' }, 'Create user');
  const link = await takeLink(page);
  assert.match(link, /^\/static\/console\/#\/password\/\d+\/eve\/rollcall_/);
  const guest = await openPage();
  await guest.open(link);
  await guest.find('heading', 'Set your password');
  assert.equal(await guest.session.execute('return location.hash'), '#/password', 'no secret in the address');
  await guest.session.reload();
  await guest.waitForText('Choose the password of the account eve');
  await guest.waitForFocus('textbox New password');
  await guest.fill({ 'New password': 'eve-password' });
  await guest.click('button Set password');
  await guest.find('heading', 'Overview');
  await guest.find('link', 'eve');
  await guest.session.reload();
  await guest.find('heading', 'Sign in'); // after the first load, the secret is no longer in the address
  assert.deepEqual(await service.signIn(basic('eve', 'eve-password')), [200]);
  assert.deepEqual((await takeRequests()).filter((url) => url.includes(secretOf(link))), []);
});

browserTest.each('{0}', [
  ['an invited person sees the rules before the first mistake', '#/password/2/ada/rollcall_x',
    /At least 12 characters\..* The most common passwords are refused\./],
  ['without its secret the page of a link says what to do', '#/password',
    'Open your link again, or ask for a new link.'],
], async ({ page }, [, hash, words]) => {
  await page.open(CONSOLE + hash);
  await page.waitForText(words);
}, { settings: { passwordLengthMin: 12 } });

browserTest('a used link says so, and keeps the form', async ({ service, page }) => {
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  const as = await service.makeLink(root, 'ada');
  await service.expect(200, 'PUT /api/v1/users/ada/password', { as, json: { password: 'ada-password' } });
  await page.open(`${CONSOLE}#/password/2/ada/${as.replace('Bearer ', '')}`);
  await page.fill({ 'New password': 'another phrase' });
  await page.click('button Set password');
  await page.waitForText('The link has expired or was used');
  await page.open(CONSOLE);
  await enterPassword(page, 'ada');
  await page.waitUntilGone('heading', 'Sign in');
}, { provokes: [401] });

consoleTest('a password link replaces a forgotten password', 'root #/users/2', async ({ service, page }) => {
  await send(page, 'Password link', {}, 'Make link');
  const as = `Bearer ${secretOf(await takeLink(page))}`;
  await service.expect(200, 'PUT /api/v1/users/ada/password', { as, json: { password: 'a new phrase' } });
});
