import assert from 'node:assert/strict';
import { browserTest, type World } from '../../support/browser-test.ts';
import { consoleTest, show, showAgain, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';

const LONG = 'a'.repeat(64);

/** Signs in as `root`. The names of a second user and of this user's project have the maximum length. */
async function signInAmongLongNames({ service, page }: World, width: number, hash: string): Promise<void> {
  await service.registerAdministrator('root');
  await service.createProject(await service.register(LONG), 'n'.repeat(255), 'd'.repeat(300));
  await page.emulate({ width, scheme: 'light' });
  await signIn(page, 'root', hash, { keep: true });
}

async function assertFits(page: Page): Promise<void> {
  const widest = await page.session.execute(`
    return [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5,
    ).map((element) => element.outerHTML.slice(0, 200))[0]`);
  assert.equal(await page.findOverflow(), 0, String(widest));
}

/** Each row has a screen, and a text that the loaded screen shows. */
const SCREENS = [
  ['#/users', LONG], ['#/users/2', LONG], ['#/projects', 'n'.repeat(255)], ['#/projects/1', 'n'.repeat(255)],
  ['#/tokens', 'this console'], ['#/overview', 'created project'], ['#/audit', 'created project'],
  ['#/system', 'METRICS=on'],
] as const;

browserTest('every screen fits in 320 pixels, and zoomed', async (world) => {
  const { page } = world;
  await signInAmongLongNames(world, 320, '#/users');
  for (const [screen, shown] of SCREENS) {
    await world.part(screen, async () => {
      await page.emulate({ width: 320, scheme: 'light' });
      await showAgain(page, screen);
      await page.waitForText(shown);
      await assertFits(page);
      await page.emulate({ width: 1280 / 2, scheme: 'light' });
      await assertFits(page);
    });
  }
}, { provokes: [404] });

consoleTest('on a phone no cell of a token covers another one',
  'root #/tokens?username=root', async ({ page }) => {
    await page.emulate({ width: 390, scheme: 'light' });
    await page.waitForText('this console');
    const covered = await page.session.execute(`
      const cells = [...document.querySelectorAll('tbody tr > *')].map((one) => one.getBoundingClientRect());
      return cells.some((one, index) => cells.slice(index + 1).some((other) => (
        one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
      )))`);
    assert.equal(covered, false);
  });

browserTest.each('motion: {0} {1} the tally', [
  ['no-preference', 'draws', 1], ['reduce', 'stops', 0],
], async ({ service, page }, [wish, , count]) => {
  await service.register('ada');
  await signIn(page, 'ada');
  await page.find('link', 'ada');
  await page.session.devtools('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-reduced-motion', value: wish }],
  });
  await page.session.execute(
    `const [sheet] = document.styleSheets;
    sheet.insertRule('.tally { animation-duration: 1h !important }', sheet.cssRules.length)`,
  );
  await page.setNetwork('silent');
  await show(page, '#/projects');
  await page.waitFor('the list to load', 'return document.querySelector(".loading")');
  assert.equal(await page.session.execute('return document.getAnimations().length'), count);
  await page.setNetwork('well');
});

browserTest.each('no name or address in a list is broken at {0} pixels', [
  720, 1100, 1280, 1600,
], async (world, width) => {
  const { service, page } = world;
  const description = 'Reads the event stream and writes hourly partitions. '.repeat(9);
  await service.createProject(await service.register('nora.lindqvist'), 'notification-cli', description);
  await signInAmongLongNames(world, width, '#/users');
  for (const screen of ['#/users', '#/projects', '#/tokens']) {
    await show(page, screen);
    await page.waitFor(
      screen,
      `return location.hash === arguments[0] && document.querySelector('tbody tr')
        && !document.querySelector('.loading')`,
      screen,
    );
    assert.equal(await page.session.execute(`
      const isBroken = (name) => name.getBoundingClientRect().height
        > 1.5 * parseFloat(getComputedStyle(name).lineHeight);
      const names = [...document.querySelectorAll('main td bdi, main th bdi')];
      return names.filter(isBroken).map(({ textContent }) => textContent).join()`), '');
    await assertFits(page);
  }
});

browserTest('selected rows and the dialogs fit in 320 pixels', async (world) => {
  const { page } = world;
  await signInAmongLongNames(world, 320, '#/users');
  await page.click(`checkbox Select ${LONG}`);
  await page.waitForText('1 selected');
  await assertFits(page);
  for (const action of ['Disable 1', 'Edit', 'Change password', 'Promote', 'Disable', 'Delete']) {
    await page.click(`button ${action}`);
    const { element } = await page.find('dialog', /./);
    await assertFits(page);
    const overflow = 'return arguments[0].scrollWidth - arguments[0].clientWidth';
    assert.equal(await page.session.execute(overflow, element), 0, action);
    await page.click('button Cancel');
    await page.waitUntilGone('dialog', /./);
    await show(page, '#/users/2');
  }
});

browserTest('below a prefix the console finds parts, service and way back', async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users?items_per_page=1', { base: '/rollcall' });
  await page.find('link', 'ada');
  await page.click('link Tokens');
  await page.waitForText('this console');
  await page.click('link Rollcall');
  await page.waitFor('the landing page', 'return location.pathname === "/rollcall/static/"');
}, { settings: { basePath: '/rollcall' } });
