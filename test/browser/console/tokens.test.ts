import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { consoleTest, readCode, send, show, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

const ANY_PROGRAM = { Use: 'For any program, and for Rollcall itself' };
const PASSWORD = { 'Your password': 'ada-password' };

const readToken = (page: Page) => readCode(page, 'Your new token');

consoleTest('a new token needs a password, and is shown once', 'ada #/tokens', async ({ service, page }) => {
  const fields = { Name: 'nightly report', Lifetime: '2', Unit: 'Hours', ...ANY_PROGRAM };
  await send(page, 'New token', { ...fields, 'Your password': 'wrong' }, 'Create token');
  await page.waitForText('The password is wrong');
  await page.fill(PASSWORD);
  await page.click('button Create token');
  const token = await readToken(page);
  const as = `Bearer ${token}`;
  const { json } = await service.call('GET /api/v1/user', { as });
  assert.equal(json['token'].name, 'nightly report');
  assert.equal(json['token'].expiration_date, '2026-01-01T02:00:00.000');
  await service.expect(403, 'POST /api/v1/projects', { as, json: { name: 'refused' } });
  await page.click('button Done');
  await page.waitForText('nightly report');
  // A closed dialog is removed in a later task of the event loop.
  await page.waitFor(
    'the text of the token to go', `return !document.documentElement.outerHTML.includes('${token}')`,
  );
  const identity = { Scope: 'Identity: only tells a program who you are', ...ANY_PROGRAM, ...PASSWORD };
  await send(page, 'New token', identity, 'Create token');
  const asProgram = `Bearer ${await readToken(page)}`;
  await service.expect(403, 'GET /api/v1/users', { as: asProgram });
  assert.equal((await service.call('GET /api/v1/user', { as: asProgram })).json['username'], 'ada');
}, { provokes: [401] });

consoleTest('by default, a token is for one program', 'ada #/tokens', async ({ service, page, ada: as }) => {
  await send(page, 'New token', PASSWORD, 'Create token');
  await page.waitForText('Host of the program is missing.');
  await page.fill({ 'Host of the program': 'https://wiki.example.org/' });
  await page.click('button Create token');
  await page.waitForText('It must be a host name, with the port unless it is 80 or 443.');
  await page.fill({ 'Host of the program': 'Wiki.example.org' });
  await page.click('button Create token');
  await page.find('dialog', 'Your new token');
  await page.click('button Done');
  await page.waitForText('for wiki.example.org');
  const { json } = await service.call('GET /api/v1/tokens', { as });
  assert.deepEqual(json['tokens'].at(-1).audience, ['wiki.example.org']);
}, { provokes: [400] });

consoleTest('revoking another token leaves the console signed in, revoking its own signs it out',
  'ada #/projects', async ({ service, page, ada: as }) => {
    const { json } = await service.expect(201, 'POST /api/v1/tokens', { as, json: { name: 'other' } });
    await page.click('link Tokens');
    await send(page, /^Revoke other/, {}, 'Revoke');
    await page.waitUntilGone('button', /^Revoke other/);
    assert.deepEqual(await service.signIn(`Bearer ${json['token']}`), [401]);
    await (await page.find('button', /^Revoke console/)).click();
    await page.waitForText('you will be signed out');
    await (await page.find('button', 'Revoke', await page.find('dialog', /^Revoke/))).click();
    await page.find('heading', 'Sign in');
    assert.deepEqual((await service.call('GET /api/v1/tokens', { as })).json['tokens'], []);
  });

for (const [username, shown] of [['ada', 'Sign in'], ['root', 'ada']] as const) {
  consoleTest(`after ${username} has revoked all tokens of ada, the console shows "${shown}"`,
    `${username} #/users/2`, async ({ service, page, ada }) => {
      const token = await service.issueToken(ada);
      await page.click('button Revoke all');
      const dialog = await page.find('dialog', 'Revoke all tokens of ada');
      if (username === 'ada') {
        await page.waitForText('you will be signed out');
      }
      await (await page.find('button', 'Revoke', dialog)).click();
      await page.waitUntilGone('dialog', /./);
      await page.find('heading', shown);
      assert.deepEqual(await service.signIn(token), [401]);
    });
}

consoleTest('an administrator sees the tokens of all users, goes to an owner, and revokes one',
  'root #/overview', async ({ service, page, ada: as }) => {
    const { json } = await service.expect(201, 'POST /api/v1/tokens', { as, json: { name: 'nightly' } });
    await show(page, '#/tokens?username='); // an empty parameter counts as absent
    await page.waitForText(/nightly[^]*\bada\b/, 'this console');
    assert.equal(await page.count('button', 'Revoke all'), 0, 'no owner is chosen');
    await page.click('link ada');
    await page.find('heading', 'ada');
    await page.session.back();
    await page.fill({ 'Tokens of': 'ada' });
    await send(page, /^Revoke nightly/, {}, 'Revoke');
    await page.waitUntilGone('button', /^Revoke nightly/);
    assert.deepEqual(await service.signIn(`Bearer ${json['token']}`), [401]);
  });

consoleTest('a leaked token is pasted, found and revoked; only its last characters are sent',
  'root #/overview', async ({ service, page, takeRequests, ada, grace }) => {
    const [leaked] = [await service.issueToken(ada), await service.issueToken(grace)];
    await page.click('link Tokens');
    await page.waitForText('1–3 of 3');
    await takeRequests();
    await page.fill({ 'Last four characters': leaked.replace('Bearer ', '') });
    await page.waitForText('1–1 of 1');
    const requests = (await takeRequests()).filter((url) => url.includes('/tokens'));
    assert.ok(requests.length > 0);
    assert.ok(requests.every((url) => url.endsWith(`last_four=${encodeURIComponent(leaked.slice(-4))}`)));
    assert.ok(!(await page.session.url()).includes(leaked.slice(-30, -4)));
    await send(page, /^Revoke /, {}, 'Revoke');
    await page.waitForText('No token matches these filters.');
    assert.deepEqual(await service.signIn(leaked), [401]);
  });

browserTest('a token that does not outlive the session needs no password', async ({ service, page }) => {
  service.clock.nowMs = Date.now(); // the browser compares the expiry times with its own clock
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await page.click('link Tokens', 'button New token');
  await page.find('textbox', 'Your password');
  await page.fill({ Unit: 'Minutes' });
  await page.waitUntilGone('textbox', 'Your password');
  await page.fill({ Lifetime: '61' });
  await page.find('textbox', 'Your password');
  await page.fill({ Lifetime: '59', ...ANY_PROGRAM });
  await page.click('button Create token');
  await page.find('dialog', 'Your new token');
});

consoleTest('a new token can be copied; Escape and Back keep it', 'ada #/projects', async ({ page }) => {
  await page.useClipboard();
  await page.click('link Tokens');
  await send(page, 'New token', { ...ANY_PROGRAM, ...PASSWORD }, 'Create token');
  await page.click('button Copy the token');
  await page.waitForText('Copied the token');
  const copied = await page.session.execute('return navigator.clipboard.readText()');
  assert.equal(copied, await readToken(page));
  await page.press(Key.escape);
  await page.press(Key.escape);
  await page.waitForText('Copy the token first, then choose Done.');
  await page.session.back();
  await page.waitFor('the screen behind', 'return location.hash === "#/projects"');
  await page.find('dialog', 'Your new token');
  await page.click('button Done');
  await page.waitUntilGone('dialog', 'Your new token');
});
