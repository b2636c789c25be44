import assert from 'node:assert/strict';
import { consoleTest, enterPassword } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

const DRAFT = { Name: 'half', Description: 'typed' };

async function readDraft(page: Page): Promise<readonly string[]> {
  await page.click('link Projects');
  await page.find('heading', 'Projects');
  await page.click('button New project');
  await page.find('dialog', 'New project');
  return Promise.all(Object.keys(DRAFT).map(async (name) => (await page.find('textbox', name)).value()));
}

const readStorage = async (page: Page) =>
  String(await page.session.execute('return JSON.stringify({...sessionStorage})'));

type Leave = (page: Page) => Promise<void>;

const reload = (username: string): Leave => async (page) => {
  await page.session.reload();
  await page.click('button Register', 'button Cancel'); // must not delete drafts of other forms
  await enterPassword(page, username);
};

const signOut: Leave = async (page) => {
  await page.press(Key.escape);
  await page.click('button Sign out');
  assert.equal(await page.session.execute('return sessionStorage.length'), 0);
  await enterPassword(page, 'ada');
};

for (const [title, leave, isKept] of [
  ['survives Escape', (page) => page.press(Key.escape), true],
  ['survives Back', (page) => page.session.back(), true],
  ['survives a reload', reload('ada'), true],
  ['is not shown to another user after a reload', reload('grace'), false],
  ['is gone after signing out, also for the same user', signOut, false],
  ['is gone when it is cancelled', (page) => page.click('button Cancel'), false],
  ['is gone when it is sent', (page) => page.click('button Create project'), false],
] as const satisfies readonly (readonly [string, Leave, boolean])[]) {
  consoleTest(`a draft ${title}`, 'ada #/users', async ({ page }) => {
    await page.click('link Projects');
    await page.waitForText('No projects yet.');
    await page.click('button New project');
    await page.fill(DRAFT);
    await leave(page);
    await page.waitUntilGone('dialog', 'New project');
    assert.deepEqual(await readDraft(page), isKept ? Object.values(DRAFT) : ['', '']);
    assert.equal((await page.text()).includes('The form has your earlier draft.'), isKept);
  });
}

consoleTest('a registration survives a reload without its password', 'ada #/users', async ({ page }) => {
  const typed = { Username: 'eve', Email: 'eve@example.org', Password: 'eve-password' };
  const readRegistration = async () => {
    await page.click('button Register');
    await page.find('heading', 'Register');
    return Promise.all(Object.keys(typed).map(async (name) => (await page.find('textbox', name)).value()));
  };
  await page.click('button Sign out');
  await readRegistration();
  await page.fill(typed);
  await page.session.reload();
  assert.deepEqual(await readRegistration(), ['eve', 'eve@example.org', '']);
  for (const button of ['Cancel', 'Sign in']) {
    await page.fill(typed);
    await page.click(`button ${button}`);
    assert.deepEqual(await readRegistration(), ['', '', ''], button);
  }
  await page.click('button Sign in');
  await enterPassword(page, 'ada');
  await readDraft(page);
  await page.fill(DRAFT);
  await page.session.reload(); // ends the session, and keeps the drafts of ada
  await readRegistration();
  await page.fill(typed);
  await page.session.reload();
  await enterPassword(page, 'ada');
  await page.find('button', 'Sign out');
  const stored = await readStorage(page);
  assert.deepEqual([stored.includes('half'), stored.includes('eve')], [true, false], stored);
});

consoleTest('a draft keeps no password', 'ada #/users/2', async ({ page }) => {
  await page.click('button Edit');
  await page.fill({ 'Username': 'countess', 'Your password': 'ada-password' });
  await page.press(Key.escape);
  const stored = await readStorage(page);
  assert.match(stored, /countess/);
  assert.doesNotMatch(stored, /ada-password/);
});
