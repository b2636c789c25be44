import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { Key } from '../../support/webdriver.ts';

async function tabTo(page: Page, control: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await page.focused() === control) {
      return;
    }
    await page.press(Key.tab);
  }
  assert.fail(`Tab does not lead to ${control}`);
}

async function write({ session }: Page, text: string): Promise<void> {
  await session.type(await session.activeElement(), text);
}

browserTest('a whole session needs nothing but the keyboard', async ({ service, page }) => {
  const as = await service.register('ada');
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  await tabTo(page, 'textbox Username');
  await write(page, 'ada');
  await tabTo(page, 'textbox Password');
  await write(page, 'ada-password');
  await page.press(Key.enter);
  await page.waitForFocus('heading Overview');

  await page.press(Key.shift, Key.tab); // moves the focus back into the menu
  await tabTo(page, 'link Projects');
  await page.press(Key.enter);
  await page.waitForFocus('heading Projects');
  await page.find('button', 'New project'); // the key n presses the button "New project"
  await page.press('n');
  await page.find('dialog', 'New project');
  await tabTo(page, 'textbox Name');
  await write(page, 'notes');
  await page.press(Key.enter);
  await page.waitForFocus('heading notes');

  await tabTo(page, 'button Delete');
  await page.press(Key.space);
  await tabTo(page, 'textbox Type the name of the project');
  await write(page, 'note');
  await page.press(Key.enter);
  await page.waitFor('a complaint', 'return document.activeElement.validity.customError');
  await service.expect(200, 'GET /api/v1/projects/notes', { as });
  await write(page, 's');
  await page.press(Key.enter);
  await page.waitForFocus('heading Projects');
  await service.expect(404, 'GET /api/v1/projects/notes', { as });

  await tabTo(page, 'button Sign out');
  await page.press(Key.enter);
  await page.waitForFocus('textbox Username');
});

consoleTest('/ leads into the search, takes letters; Escape empties it', 'ada #/users', async ({ page }) => {
  await page.find('link', 'ada');
  await page.press('/');
  await page.waitForFocus('searchbox Username to search');
  await write(page, 'n?/');
  await page.waitForText('No user matches these filters.');
  assert.equal(await (await page.find('searchbox', 'Username to search')).value(), 'n?/');
  assert.equal(await page.count('dialog', /./), 0);
  await page.press(Key.escape);
  await page.find('link', 'ada');
});

consoleTest('? opens the help; keys can be switched off (WCAG 2.1.4)', 'ada #/users', async ({ page }) => {
  await tabTo(page, 'link Tokens');
  await page.press('?');
  await page.click('checkbox Enable single-key shortcuts');
  await page.press(Key.escape);
  await page.waitUntilGone('dialog', 'Help');
  assert.equal(await page.focused(), 'link Tokens');
  await page.press('?');
  assert.equal(await page.count('dialog', /./), 0);
});

consoleTest('a dialog keeps the focus, and returns it at its end', 'ada #/users/2', async ({ page }) => {
  await page.find('button', 'Edit');
  await tabTo(page, 'button Edit');
  await page.press(Key.enter);
  await page.find('dialog', 'Edit ada');
  for (let presses = 0; presses < 12; presses += 1) {
    await page.press(Key.tab);
    const isInside = await page.session.execute(
      'return document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
    );
    assert.ok(isInside, await page.focused());
  }
  await page.press(Key.escape);
  await page.waitForFocus('button Edit');
});

consoleTest('the first Tab leads to a link that skips the menu', 'ada #/users', async ({ page }) => {
  await page.session.reload();
  await page.find('link', 'ada');
  await page.press(Key.tab);
  await page.waitForFocus('link Skip to the content');
  await page.press(Key.enter);
  await page.waitForFocus('heading Users');
}, { keep: true });

consoleTest('the focused element is visibly marked', 'ada #/users', async ({ page }) => {
  await page.find('link', 'ada');
  for (let presses = 0; presses < 15; presses += 1) {
    await page.press(Key.tab);
    const ring = await page.session.execute(`
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
      const hasOutline = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      return document.activeElement === document.body || hasOutline || boxShadow !== 'none'`);
    assert.ok(ring, await page.focused());
  }
});
