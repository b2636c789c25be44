/** Tokens are issued, shown once and revoked: by their owners, and by administrators. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

/** Creates a token that expires with the session; such a token needs no password. */
async function createToken(page: Page): Promise<void> {
  await (await page.find('button', 'New token')).click();
  await (await page.find('combobox', 'Unit')).choose('Minutes');
  await (await page.find('combobox', 'Use')).choose('For any program, and for Rollcall itself');
  await (await page.find('button', 'Create token')).click();
}

browserTest('a new token is shown once, and does what its scope says', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', 'New token')).click();
  await (await page.find('textbox', 'Name')).fill('nightly report');
  await (await page.find('spinbutton', 'Lifetime')).fill('2');
  await (await page.find('combobox', 'Unit')).choose('Hours');
  await (await page.find('combobox', 'Use')).choose('For any program, and for Rollcall itself');
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Create token')).click();
  const dialog = await page.find('dialog', 'Your new token');
  const token = String(
    await page.session.execute('return arguments[0].querySelector("code").textContent', dialog.element),
  );
  const as = `Bearer ${token}`;
  const { json } = await service.call('GET /api/v1/user', { as });
  assert.equal(json['token'].name, 'nightly report');
  assert.equal(json['token'].expiration_date, '2026-01-01T02:00:00.000');
  assert.equal((await service.call('POST /api/v1/projects', { as, json: { name: 'refused' } })).status, 403);
  await (await page.find('button', 'Done')).click();
  await page.waitForText('nightly report');
  // The browser removes a closed dialog in a later task.
  await page.waitFor(
    'the text of the token to go', `return !document.documentElement.outerHTML.includes('${token}')`,
  );
});

browserTest('a new token is for one program unless the user chooses any', {
  provokes: [400],
}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', 'New token')).click();
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await (await page.find('button', 'Create token')).click();
  await page.waitForText('Host of the program is missing.');
  await (await page.find('textbox', 'Host of the program')).fill('https://wiki.example.org/');
  await (await page.find('button', 'Create token')).click();
  await page.waitForText('It must be a host name, with the port unless it is 80 or 443.');
  await (await page.find('textbox', 'Host of the program')).fill('Wiki.example.org');
  await (await page.find('button', 'Create token')).click();
  await page.find('dialog', 'Your new token');
  await (await page.find('button', 'Done')).click();
  await page.waitForText('for wiki.example.org');
  const { json } = await service.call('GET /api/v1/tokens', { as: ada });
  assert.deepEqual(json['tokens'].at(-1).audience, ['wiki.example.org']);
});

browserTest('a token that another session revokes signs the console out at its next request', {
  provokes: [401],
}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signIn(page, 'ada');
  await service.call('DELETE /api/v1/tokens', { as: ada });
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Sign in again');
});

browserTest('revoking the token that the console uses signs it out', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', /^Revoke console/)).click();
  await page.waitForText('you will be signed out');
  await (await page.find('button', 'Revoke', await page.find('dialog', /^Revoke/))).click();
  await page.find('heading', 'Sign in');
  assert.deepEqual((await service.call('GET /api/v1/tokens', { as: ada })).json['tokens'], []);
});

browserTest('revoking another token leaves the console signed in', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  const { json } = await service.call('POST /api/v1/tokens', { as: ada, json: { name: 'other' } });
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', /^Revoke other/)).click();
  await (await page.find('button', 'Revoke', await page.find('dialog', /^Revoke/))).click();
  await page.waitUntilGone('button', /^Revoke other/);
  assert.equal((await service.call('GET /api/v1/user', { as: `Bearer ${json['token']}` })).status, 401);
  await page.find('button', /^Revoke console/);
});

browserTest('revoking all of them signs the console out', {}, async ({ service, page }) => {
  const token = await service.registerWithToken('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Revoke all')).click();
  await page.waitForText('you will be signed out');
  await (await page.find('button', 'Revoke', await page.find('dialog', 'Revoke all tokens of ada'))).click();
  await page.find('heading', 'Sign in');
  assert.equal((await service.call('GET /api/v1/user', { as: token })).status, 401);
});

browserTest("an administrator finds and revokes somebody else's tokens", {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const { json } = await service.call('POST /api/v1/tokens', { as: ada, json: { name: 'nightly report' } });
  await signIn(page, 'root', '#/tokens');
  await (await page.find('searchbox', 'Tokens of')).fill('ada');
  await (await page.find('button', /^Revoke nightly report/)).click();
  await (await page.find('button', 'Revoke', await page.find('dialog', /^Revoke/))).click();
  await page.waitUntilGone('button', /^Revoke nightly report/);
  assert.equal((await service.call('GET /api/v1/user', { as: `Bearer ${json['token']}` })).status, 401);
});

browserTest("an administrator sees everyone's tokens with their owners", {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.call('POST /api/v1/tokens', { as: ada, json: { name: 'nightly report' } });
  await signIn(page, 'root', '#/tokens');
  await page.waitForText(/nightly report[^]*\bada\b/);
  await page.waitForText('this console');
  assert.equal(await page.count('button', 'Revoke all'), 0, 'whose, is not said');
  await (await page.find('link', 'ada')).click();
  await page.find('heading', 'ada');
});

browserTest('an administrator revokes a leaked token by its end alone', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const [leaked] = [await service.registerWithToken('ada'), await service.registerWithToken('grace')];
  await signIn(page, 'root', '#/tokens');
  await (await page.find('searchbox', 'Last four characters')).fill(leaked.slice(-4));
  await page.waitForText('1–1 of 1');
  await (await page.find('button', /^Revoke /)).click();
  await (await page.find('button', 'Revoke', await page.find('dialog', /^Revoke/))).click();
  await page.waitForText('No token matches these filters.');
  assert.equal((await service.call('GET /api/v1/user', { as: leaked })).status, 401);
});

browserTest('of a token that is pasted nothing but its end is sent, or gets into the address', {}, async ({
  service, page, takeRequests,
}) => {
  const token = (await service.registerWithToken('ada')).replace('Bearer ', '');
  await signIn(page, 'ada', '#/tokens');
  await page.waitForText('this console');
  await takeRequests();
  await (await page.find('searchbox', 'Last four characters')).fill(token);
  await page.waitForText('1–1 of 1');
  const requests = (await takeRequests()).filter((url) => url.includes('/tokens'));
  assert.ok(requests.length > 0);
  assert.ok(requests.every((url) => url.endsWith(`last_four=${encodeURIComponent(token.slice(-4))}`)));
  assert.ok(!(await page.session.url()).includes(token.slice(0, 20)));
});

browserTest('a user is not asked whose tokens to show', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await page.waitForText('this console');
  assert.equal(await page.count('searchbox', 'Tokens of'), 0);
});

browserTest('an administrator revokes all tokens of somebody else', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  const token = await service.registerWithToken('ada');
  await signIn(page, 'root', '#/users/2');
  await (await page.find('button', 'Revoke all')).click();
  await (await page.find('button', 'Revoke', await page.find('dialog', 'Revoke all tokens of ada'))).click();
  await page.waitForText('No valid tokens.');
  assert.equal((await service.call('GET /api/v1/user', { as: token })).status, 401);
});

browserTest('the text of a new token can be copied', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await page.session.devtools('Browser.grantPermissions', {
    permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
  });
  await createToken(page);
  await (await page.find('button', 'Copy the token')).click();
  await page.waitForText('Copied the token');
  const [copied, token] = await page.session.execute(
    `const { textContent } = document.querySelector('dialog code');
    return navigator.clipboard.readText().then((copied) => [copied, textContent])`,
  ) as string[];
  assert.equal(copied, token);
});

browserTest('a password is asked for only if a token outlives the session', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now(); // the same time as in the browser
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', 'New token')).click();
  await page.find('textbox', 'Your password');
  await (await page.find('combobox', 'Unit')).choose('Minutes');
  await page.waitUntilGone('textbox', 'Your password');
  await (await page.find('spinbutton', 'Lifetime')).fill('61');
  await page.find('textbox', 'Your password');
});

browserTest('a wrong password for a new token is told in its form', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await (await page.find('button', 'New token')).click();
  await (await page.find('combobox', 'Use')).choose('For any program, and for Rollcall itself');
  await (await page.find('textbox', 'Your password')).fill('wrong');
  await (await page.find('button', 'Create token')).click();
  await page.waitForText('The password is wrong');
});

browserTest('neither Escape nor Back closes a new token', {}, async ({ service, page }) => {
  service.clock.nowMs = Date.now();
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await (await page.find('link', 'Tokens')).click();
  await page.find('heading', 'Tokens');
  await createToken(page);
  await page.find('dialog', 'Your new token');
  await page.press(Key.escape);
  await page.press(Key.escape);
  await page.waitForText('Copy the token first, then choose Done.');
  await page.session.back();
  await page.waitFor('the screen behind', 'return location.hash === "#/projects"');
  await page.find('dialog', 'Your new token');
  await (await page.find('button', 'Done')).click();
  await page.waitUntilGone('dialog', 'Your new token');
});
