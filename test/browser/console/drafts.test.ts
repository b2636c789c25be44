/** Half-typed forms: what survives Escape, the way back and a reload, and what does not. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { enterPassword, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

async function openProjectForm(page: Page): Promise<void> {
  await (await page.find('button', 'New project')).click();
  await page.find('dialog', 'New project');
}

async function typeDraft(page: Page): Promise<void> {
  await openProjectForm(page);
  await (await page.find('textbox', 'Name')).fill('half');
  await (await page.find('textbox', 'Description')).fill('typed');
}

async function readDraft(page: Page): Promise<readonly string[]> {
  await openProjectForm(page);
  const fields = [await page.find('textbox', 'Name'), await page.find('textbox', 'Description')];
  return Promise.all(fields.map((field) => field.value()));
}

const LEAVE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'Escape': (page) => page.press(Key.escape),
  'the way back': (page) => page.session.back(),
  'a reload': async (page) => {
    await page.session.reload();
    await enterPassword(page, 'ada');
    await (await page.find('link', 'Projects')).click();
  },
};

for (const [name, leave] of Object.entries(LEAVE)) {
  browserTest(`a draft survives ${name}`, {}, async ({ service, page }) => {
    await service.register('ada');
    await signIn(page, 'ada', '#/users');
    await (await page.find('link', 'Projects')).click();
    await page.waitForText('No projects yet.');
    await typeDraft(page);
    await leave(page);
    await page.waitUntilGone('dialog', 'New project');
    await (await page.find('link', 'Projects')).click();
    await page.find('heading', 'Projects');
    assert.deepEqual(await readDraft(page), ['half', 'typed']);
    await page.waitForText('The form has your earlier draft.');
  });
}

browserTest('a draft is gone when it is sent or cancelled', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await typeDraft(page);
  await (await page.find('button', 'Cancel')).click();
  assert.deepEqual(await readDraft(page), ['', '']);
  await page.press(Key.escape);
  await typeDraft(page);
  await (await page.find('button', 'Create project')).click();
  await page.find('heading', 'half');
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Projects');
  assert.deepEqual(await readDraft(page), ['', '']);
});

browserTest('signing out discards drafts, also for the same user', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await typeDraft(page);
  await page.press(Key.escape);
  await (await page.find('button', 'Sign out')).click();
  assert.equal(await page.session.execute('return sessionStorage.length'), 0);
  await enterPassword(page, 'ada');
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Projects');
  assert.deepEqual(await readDraft(page), ['', '']);
});

browserTest('another user does not see the draft after a reload', {}, async ({ service, page }) => {
  await service.register('ada');
  await service.register('eve');
  await signIn(page, 'ada', '#/projects');
  await typeDraft(page);
  await page.session.reload();
  await enterPassword(page, 'eve');
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Projects');
  assert.deepEqual(await readDraft(page), ['', '']);
});

browserTest('no password is kept in a draft', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users/1');
  await (await page.find('button', 'Edit')).click();
  await (await page.find('textbox', 'Username')).fill('countess');
  await (await page.find('textbox', 'Your password')).fill('ada-password');
  await page.press(Key.escape);
  const stored = String(await page.session.execute('return JSON.stringify({...sessionStorage})'));
  assert.match(stored, /countess/);
  assert.doesNotMatch(stored, /ada-password/);
});
