import assert from 'node:assert/strict';
import { consoleTest, enterPassword } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

const DRAFT = { Name: 'half', Description: 'typed' };

async function typeDraft(page: Page): Promise<void> {
  await page.click('button New project');
  await page.fill(DRAFT);
}

/** @returns The name and the description in the form for a new project. */
async function readDraft(page: Page): Promise<readonly string[]> {
  await page.click('link Projects');
  await page.find('heading', 'Projects');
  await page.click('button New project');
  await page.find('dialog', 'New project');
  return Promise.all(Object.keys(DRAFT).map(async (name) => (await page.find('textbox', name)).value()));
}

const LEAVE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'Escape': (page) => page.press(Key.escape),
  'Back': (page) => page.session.back(),
  'a reload': async (page) => {
    await page.session.reload();
    await enterPassword(page, 'ada');
  },
};

for (const [name, leave] of Object.entries(LEAVE)) {
  consoleTest(`a draft survives ${name}`, 'ada #/users', async ({ page }) => {
    await page.click('link Projects');
    await page.waitForText('No projects yet.');
    await typeDraft(page);
    await leave(page);
    await page.waitUntilGone('dialog', 'New project');
    assert.deepEqual(await readDraft(page), ['half', 'typed']);
    await page.waitForText('The form has your earlier draft.');
  });
}

consoleTest('a draft is gone when it is sent or cancelled', 'ada #/projects', async ({ page }) => {
  for (const [button, next] of [['Cancel', 'Projects'], ['Create project', 'half']] as const) {
    await typeDraft(page);
    await page.click(`button ${button}`);
    await page.find('heading', next);
    assert.deepEqual(await readDraft(page), ['', ''], button);
    await page.press(Key.escape);
  }
});

consoleTest('signing out discards drafts, also for the same user', 'ada #/projects', async ({ page }) => {
  await typeDraft(page);
  await page.press(Key.escape);
  await page.click('button Sign out');
  assert.equal(await page.session.execute('return sessionStorage.length'), 0);
  await enterPassword(page, 'ada');
  assert.deepEqual(await readDraft(page), ['', '']);
});

consoleTest('another user does not see the draft after a reload', 'ada #/projects', async ({ page }) => {
  await typeDraft(page);
  await page.session.reload();
  await enterPassword(page, 'grace');
  assert.deepEqual(await readDraft(page), ['', '']);
});

consoleTest('a draft keeps no password', 'ada #/users/2', async ({ page }) => {
  await page.click('button Edit');
  await page.fill({ 'Username': 'countess', 'Your password': 'ada-password' });
  await page.press(Key.escape);
  const stored = String(await page.session.execute('return JSON.stringify({...sessionStorage})'));
  assert.match(stored, /countess/);
  assert.doesNotMatch(stored, /ada-password/);
});
