import assert from 'node:assert/strict';
import { assertAccessible } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest, enterPassword } from '../../support/console.ts';

browserTest('empty and wrong fields are reported; the right password signs in', async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await page.waitForFocus('textbox Username');
  await assertAccessible(page, 'sign in');
  await page.click('button Sign in');
  await page.waitForText('Username is missing.', 'Password is missing.');
  await enterPassword(page, 'ada', 'wrong');
  await page.waitForText('The username or the password is wrong');
  const focused = await page.session.activeElement();
  assert.match(await page.session.text(focused), /The username or the password is wrong/);
  await assertAccessible(page, 'wrong password');
  await page.find('textbox', 'Password'); // the step fails if the browser shows its own sign-in dialog
  await enterPassword(page, 'ada');
  await page.find('heading', 'Overview');
  await page.find('link', 'ada');
}, { provokes: [401] });

consoleTest('a password is sent once, in exchange for a token', 'ada #/users', async ({ service, page }) => {
  await page.click('link Projects');
  await page.find('heading', 'Projects');
  const sent = service.logLines.map((line) => JSON.parse(line)).filter(
    ({ message, user_id: user }) => message === 'request' && user !== undefined,
  );
  assert.deepEqual(sent.map(({ sign_in: how }) => how), ['password', ...sent.slice(1).map(() => 'token')]);
});

browserTest('a taken name is reported at its field; registration signs in', async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await page.click('button Register');
  await page.find('heading', 'Register');
  await page.waitForText('At most 1024 bytes in UTF-8, without NUL.');
  await assertAccessible(page, 'register');
  await page.fill({ Username: 'ada', Email: 'a@example.org', Password: 'a password' });
  await page.click('button Register');
  await page.waitForText('Username in use');
  assert.equal(await page.focused(), 'textbox Username');
  await page.fill({ Username: 'grace' });
  await page.click('button Register');
  await page.find('heading', 'Overview');
  await page.find('link', 'grace');
}, { provokes: [422] });

for (const [keep, reloaded, other] of [[false, 'Sign in', 'Sign in'], [true, 'Users', 'ada']] as const) {
  const title = `a tab that ${keep ? 'keeps' : 'does not keep'} the token shows "${reloaded}" after a reload`;
  consoleTest(`${title}, and a new tab "${other}"`, 'ada #/users', async ({ page, openPage }) => {
    await page.session.reload();
    await page.find('heading', reloaded);
    const tab = await openPage();
    await tab.open(`${CONSOLE}#/users/2`);
    await tab.find('heading', other);
    const stored = await tab.session.execute('return JSON.stringify([sessionStorage, localStorage])');
    assert.doesNotMatch(String(stored), /rollcall_/);
  }, { keep });
}

for (const [typed, then] of [
  ['', 'continues the session'], ['eve', 'leaves the form with its text'],
] as const) {
  consoleTest(`a tab answers late, after "${typed}": ${then}`, 'ada #/users', async ({ page, openPage }) => {
    await page.session.execute(`
      const post = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        window.answer = () => post.call(this, message);
      };`);
    const other = await openPage();
    await other.open(`${CONSOLE}#/users/2`);
    await other.find('heading', 'Sign in');
    await other.fill({ Username: typed });
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
  }, { keep: true });
}

consoleTest('signing out in one tab ends the session in all tabs, and revokes the token',
  'ada #/users', async ({ service, page, openPage, ada: as }) => {
    const other = await openPage();
    await other.open(CONSOLE);
    await other.click('button Sign out');
    await other.find('heading', 'Sign in');
    await page.focus();
    await page.find('heading', 'Sign in');
    await page.session.reload();
    await page.find('heading', 'Sign in');
    assert.deepEqual((await service.call('GET /api/v1/tokens', { as })).json['tokens'], []);
  }, { keep: true });

consoleTest('the help has a command for curl that signs out', 'ada #/users', async ({ page }) => {
  await page.click('button Help', 'button Sign out with curl');
  await page.waitForText(
    /curl -X DELETE \\\n\s*-H "Authorization: Bearer \$token" \\\n\s*\S+\/api\/v1\/token$/m,
  );
});

consoleTest('an expired token keeps the draft of a form, which is sent after signing in again',
  'ada #/projects', async ({ service, page, ada: as }) => {
    await page.click('button New project');
    await page.fill({ Name: 'draft' });
    service.clock.nowMs += 2 * 3_600_000;
    await page.click('button Create project');
    await page.find('heading', 'Sign in again');
    await page.waitForFocus('textbox Password');
    await enterPassword(page, 'ada');
    await page.waitUntilGone('heading', 'Sign in again');
    await page.waitFor('no message', 'return !document.body.innerText.includes("You are signed out")');
    assert.equal(await (await page.find('textbox', 'Name')).value(), 'draft');
    await page.click('button Create project');
    await page.find('heading', 'draft');
    await service.expect(200, 'GET /api/v1/projects/draft', { as });
  }, { provokes: [401] });
