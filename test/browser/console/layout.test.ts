/** The console on narrow windows, enlarged, and below a prefix. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { showAgain, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import type { TestService } from '../../support/service.ts';

const LONG = 'a'.repeat(64);

async function fill(service: TestService): Promise<void> {
  await service.registerAdministrator('root');
  const long = await service.register(LONG);
  await service.createProject(long, 'n'.repeat(255), 'd'.repeat(300));
}

async function assertFits(page: Page): Promise<void> {
  const widest = await page.session.execute(`
    const limit = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > limit + 0.5,
    ).map((element) => element.outerHTML.slice(0, 200))[0]`);
  assert.equal(await page.findOverflow(), 0, String(widest));
}

/** Each screen, with a text that is visible once the screen is loaded. */
const SCREENS = [
  ['#/users', LONG], ['#/users/2', LONG], ['#/projects', 'n'.repeat(255)], ['#/projects/1', 'n'.repeat(255)],
  ['#/tokens', 'this console'], [
    '#/overview', 'created project',
  ], ['#/audit', 'created project'], ['#/system', 'METRICS=on'],
] as const;

browserTest('every screen fits in 320 pixels, and zoomed', {
  provokes: [404],
}, async ({ service, page, part }) => {
  await fill(service);
  await page.emulate({ width: 320, scheme: 'light' });
  await signIn(page, 'root', '#/users', { keep: true });
  for (const [screen, shown] of SCREENS) {
    await part(screen, async () => {
      await page.emulate({ width: 320, scheme: 'light' });
      await showAgain(page, screen);
      await page.waitForText(shown);
      await assertFits(page);
      await page.emulate({ width: 1280 / 2, scheme: 'light' });
      await assertFits(page);
    });
  }
});

browserTest('on a phone no cell of a token covers another one', {}, async ({ service, page }) => {
  await service.registerAdministrator('root');
  await page.emulate({ width: 390, scheme: 'light' });
  await signIn(page, 'root', '#/tokens?username=root');
  await page.waitForText('this console');
  const covered = await page.session.execute(`
    const cells = [...document.querySelectorAll('tbody tr > *')].map((cell) => cell.getBoundingClientRect());
    return cells.some((one, index) => cells.slice(index + 1).some((other) => (
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
    )))`);
  assert.equal(covered, false);
});

for (const [wish, moves] of [['no-preference', true], ['reduce', false]] as const) {
  browserTest(`motion: ${wish} ${moves ? 'draws' : 'stops'} the tally`, {}, async ({ service, page }) => {
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
    await page.session.execute('location.hash = "#/projects"');
    await page.waitFor('the list to load', 'return document.querySelector(".loading")');
    assert.equal(await page.session.execute('return document.getAnimations().length'), moves ? 1 : 0);
    await page.setNetwork('well');
  });
}

for (const width of [720, 1100, 1280, 1600]) {
  browserTest(`no name or address in a list is broken at ${width} pixels`, {}, async ({ service, page }) => {
    await fill(service);
    const nora = await service.register('nora.lindqvist');
    const json = {
      name: 'notification-cli',
      description: 'Reads the event stream and writes hourly partitions. '.repeat(9),
    };
    await service.call('POST /api/v1/projects', { as: nora, json });
    await page.emulate({ width, scheme: 'light' });
    await signIn(page, 'root', '#/users');
    for (const screen of ['#/users', '#/projects', '#/tokens']) {
      await page.session.execute('location.hash = arguments[0]', screen);
      await page.waitFor(
        screen,
        `return location.hash === arguments[0] && document.querySelector('tbody tr')
          && !document.querySelector('.loading')`,
        screen,
      );
      assert.equal(await page.session.execute(`
        const lines = (node) => node.getBoundingClientRect().height / parseFloat(
          getComputedStyle(node).lineHeight,
        );
        return [
          ...document.querySelectorAll('main td bdi, main th bdi'),
        ].filter((name) => lines(name) > 1.5).map(({ textContent }) => textContent).join()`), '');
      await assertFits(page);
    }
  });
}

browserTest('selected rows, and the dialog about them, fit in 320 pixels', {}, async ({ service, page }) => {
  await fill(service);
  await page.emulate({ width: 320, scheme: 'light' });
  await signIn(page, 'root', '#/users');
  await (await page.find('checkbox', `Select ${LONG}`)).click();
  await page.waitForText('1 selected');
  await assertFits(page);
  await (await page.find('button', 'Disable 1')).click();
  const { element } = await page.find('dialog', 'Disable 1 user?');
  await assertFits(page);
  const width = 'return arguments[0].scrollWidth - arguments[0].clientWidth';
  assert.equal(await page.session.execute(width, element), 0);
});

browserTest('the dialogs fit in 320 pixels', {}, async ({ service, page }) => {
  await fill(service);
  await page.emulate({ width: 320, scheme: 'light' });
  await signIn(page, 'root', '#/users/2');
  for (const action of ['Edit', 'Change password', 'Promote', 'Disable', 'Delete']) {
    await (await page.find('button', action)).click();
    const { element } = await page.find('dialog', /./);
    await assertFits(page);
    assert.equal(
      await page.session.execute('return arguments[0].scrollWidth - arguments[0].clientWidth', element), 0,
      action,
    );
    await (await page.find('button', 'Cancel')).click();
    await page.waitUntilGone('dialog', /./);
  }
});

browserTest('below a prefix the console finds its parts, the service, and the way back', {
  settings: { basePath: '/rollcall' },
}, async ({ service, page }) => {
  await service.call('POST /rollcall/api/v1/users', {
    json: { username: 'ada', email: 'ada@example.org', password: 'ada-password' },
  });
  await signIn(page, 'ada', '#/users?items_per_page=1', { base: '/rollcall' });
  await page.find('link', 'ada');
  await (await page.find('link', 'Tokens')).click();
  await page.waitForText('this console');
  await (await page.find('link', 'Rollcall')).click();
  await page.waitFor('the landing page', 'return location.pathname === "/rollcall/static/"');
});
