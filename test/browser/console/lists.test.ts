import assert from 'node:assert/strict';
import { assertAccessible } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest, show, showAgain, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { measureWorkMs } from '../../support/process-use.ts';

async function waitForRows(page: Page, ...names: readonly string[]): Promise<void> {
  await page.waitFor(`the rows ${names.join(', ')}`, `
    const shown = [...document.querySelectorAll('tbody th a')].map((link) => link.innerText);
    return JSON.stringify(shown) === JSON.stringify(arguments[0])`, names);
}

const hashOf = async (page: Page) => new URL(await page.session.url()).hash;

consoleTest('search as you type; filter and order survive a reload', 'ada #/users', async ({ page }) => {
  for (const [mode, text, ...expected] of [
    ['starts with', 'R', 'root'], ['ends with', 'A', 'ada'], ['contains', 'A', 'ada', 'grace'],
  ] as const) {
    await page.fill({ 'Username: how to search': mode, 'Username to search': text });
    await waitForRows(page, ...expected);
    assert.equal(await hashOf(page), `#/users?${mode.replace(' ', '_')}=${text}`);
  }
  await page.click('button User');
  await page.waitFor('the order', 'return document.querySelector("[aria-sort=ascending] #sort-username")');
  await page.click('button User');
  await waitForRows(page, 'grace', 'ada');
  assert.equal(await hashOf(page), '#/users?contains=A&sort=-username');
  await page.session.reload();
  await waitForRows(page, 'grace', 'ada');
  assert.equal(await (await page.find('searchbox', 'Username to search')).value(), 'A');
}, { keep: true });

consoleTest('a list shows how many there are; its page is in the address, and survives a reload',
  'ada #/users?items_per_page=1', async ({ page }) => {
    for (const [link, row, range, others] of [
      ['Next', 'ada', '2–2 of 3', 4], ['Previous', 'root', '1–1 of 3', 2],
      ['Last page', 'grace', '3–3 of 3', 2], ['First page', 'root', '1–1 of 3', 2],
    ] as const) {
      await page.click(`link ${link}`);
      await waitForRows(page, row);
      await page.session.reload();
      await waitForRows(page, row);
      await page.waitForText(range);
      assert.equal(await page.count('link', /^(Next|Previous|First page|Last page)$/), others, row);
    }
  }, { keep: true });

consoleTest('an inexact number is a lower bound, without a last page', 'ada #/projects', async ({ page }) => {
  await page.session.execute(`
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) {
      return { 'Total': '10000', 'Total-Relation': 'at_least' }[name] ?? get.call(this, name);
    };
    location.hash = '#/users?items_per_page=2'`);
  await page.waitForText('1–2 of 10,000+', /Users\s+10,000\+/);
  await page.find('link', 'Next');
  assert.equal(await page.count('link', 'Last page'), 0);
});

consoleTest('users are filtered by role and state, as the address says; invited users are shown',
  'root #/overview', async ({ service, page, root: as }) => {
    await service.registerAdministrator('zoe');
    await service.expect(200, 'PATCH /api/v1/users/zoe', { as, json: { disabled: true } });
    const json = { username: 'eve', email: 'e@example.org' };
    await service.expect(201, 'POST /api/v1/users', { as, json });
    await page.click('link Users');
    await page.waitForText('Invited');
    await page.fill({ Role: 'Administrators' });
    await waitForRows(page, 'root', 'zoe');
    await page.fill({ State: 'Disabled' });
    await waitForRows(page, 'zoe');
    await page.waitForText('Disabled');
    await assertAccessible(page, 'disabled users');
    assert.equal(await hashOf(page), '#/users?role=administrator&state=disabled');
    await page.session.reload();
    await waitForRows(page, 'zoe');
    await page.fill({ Role: 'Users' });
    await page.waitForText('No user matches these filters.');
    await page.fill({ State: 'Invited: no password yet' });
    await waitForRows(page, 'eve');
    await page.click('link eve');
    await page.waitForText('Invited: has not set a password yet');
  }, { keep: true });

for (const [list, title, unmatched, words, refused] of [
  ['users', 'Users', 'contains=nobody', 'No user matches these filters.', 'sort=nothing'],
  ['projects', 'Projects', 'starts_with=nobody', 'No project matches these filters.', 'sort=nothing'],
  ['tokens', 'Tokens', 'username=ada', 'No token matches these filters.', 'sort=nothing'],
  ['audit', 'Audit trail', 'user_id=9', 'No event matches these filters.', 'action=nothing'],
] as const) {
  consoleTest(`${list}: all states of a list`, 'root #/overview', async ({ service, page }) => {
    await show(page, `#/${list}?${refused}`);
    await page.waitForText(/Request [\w-]{8,}/);
    const { element } = await page.find('link', 'Explanation of this problem');
    const address = String(await page.session.property(element, 'href'));
    assert.match(address, /\/problems\.html#invalid-parameter$/);
    await page.click('button Try again');
    await page.waitForText(/Request [\w-]{8,}/);
    await page.setNetwork('silent');
    await show(page, `#/${list}?${unmatched}`);
    await page.find('heading', title);
    await page.waitForText('Loading…');
    await page.setNetwork('well');
    await page.waitForText(words);
    assert.doesNotMatch(await page.text(), /Loading…/);
    await page.click('link Show all');
    await page.waitFor('the whole list', 'return !location.hash.includes("=")');
    service.clock.nowMs += 7_200_000;
    await show(page, `#/${list}?`);
    await page.click('button Cancel');
    await page.waitForText('You are signed out.');
  }, { provokes: [400, 401, 404] });
}

for (const [address, filter] of [['#/projects', 'Owner'], ['#/tokens', 'Tokens of']] as const) {
  consoleTest(`${address}: filtered by a user, whose half-typed name is no error, and is suggested`,
    `root ${address}`, async ({ service, page, grace }) => {
      await service.createProject(grace, 'compiler');
      await service.issueToken(grace);
      await page.fill({ [filter]: 'gra' });
      await page.waitForText('No user has this name now.');
      await page.waitFor('grace', 'return document.querySelector("datalist option[value=grace]") !== null');
      assert.equal(await page.count('button', 'Try again'), 0);
      await page.fill({ [filter]: 'grace' });
      await page.waitForText('1–1 of 1');
    }, { project: 'engine', provokes: [400, 404] });
}

const ODD_ADDRESSES = [
  '#/users?page=abc', '#/users?page=-1', '#/users?items_per_page=0', '#/users?contains=a&starts_with=b',
  '#/users/', '#/users/0', '#/users/%20', '#/users/1/2', '#/users/nobody?page=x', '#/users?state=odd',
  '#/projects?owner=%00', '#/projects/99999999999999999999', '#/tokens?last_four=ab', '#/tokens/5',
  '#/audit?user_id=x', '#/audit?since=yesterday', '#/system?x=y', '#/password', '#/password/1', '#/nothing',
  '#/constructor', '#//', '#/users?page=2&page=3', '#/overview/1?page=abc', '#/%E0%A4%A',
];

consoleTest('every wrong address shows a sentence', 'root #/overview', async ({ page, part }) => {
  for (const address of ODD_ADDRESSES) {
    await part(address, async () => {
      await showAgain(page, '#/overview');
      await show(page, address);
      await page.waitFor('the screen', `
        const main = document.querySelector('main');
        return location.hash !== '#/overview'
          && main.querySelector('h1') && !main.querySelector('.loading')`);
      const text = String(await page.session.execute('return document.querySelector("main").innerText'));
      assert.ok(text.length > 10, text);
      assert.doesNotMatch(text, /undefined|NaN|\bnull\b|\[object/);
    });
  }
  await page.find('heading', 'There is nothing here');
}, { keep: true, provokes: [400, 404] });

consoleTest('old rows stay, inert, until the next page', 'ada #/users?items_per_page=2', async ({ page }) => {
  await waitForRows(page, 'root', 'ada');
  await page.setNetwork('silent');
  await page.click('link Next');
  await page.waitFor('the old rows', 'return document.querySelector("[inert] tbody tr") !== null');
  assert.doesNotMatch(await page.text(), /Loading…/);
  await page.setNetwork('well');
  await waitForRows(page, 'grace');
});

browserTest('Back leads to the list as it was, and to the row that led away', async ({ service, page }) => {
  for (let index = 0; index < 24; index += 1) {
    await service.register(`user${index}`);
  }
  await service.register('grace');
  await signIn(page, 'user0', '#/users?contains=user');
  await page.click('link user20');
  await page.find('heading', 'user20');
  await page.session.back();
  await page.waitForFocus('link user20');
  assert.equal(await page.count('link', 'grace'), 0);
  await page.waitFor('the row in view', `
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return top > 0 && bottom < innerHeight`);
});

consoleTest('offline, screens open and say so; a list comes back later', 'root #/users', async ({ page }) => {
  await page.waitFor('all modules', `
    const names = performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1));
    return ['audit.js', 'system.js', 'tokens.js', 'projects.js'].every((each) => names.includes(each))`);
  await page.setNetwork('offline');
  for (const screen of ['Projects', 'Tokens', 'Audit trail', 'System', 'Overview', 'Users']) {
    await page.click(`link ${screen}`);
    await page.find('heading', screen);
    await page.waitForText("Can't reach the server");
  }
  await page.setNetwork('well');
  await page.click('button Try again');
  await waitForRows(page, 'root', 'ada', 'grace');
}, { provokes: ['no answer'] });

/** The maximum processor time until the page is usable, in multiples of `measureWorkMs()`. */
const WORKS_MAX = 8;

browserTest(`usable after 15 requests and ${WORKS_MAX} pieces of work`, async ({ page, takeRequests }) => {
  await page.session.navigate('about:blank');
  await page.session.devtools('Network.clearBrowserCache', {});
  await page.session.devtools('Performance.enable', {});
  await takeRequests();
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  const { metrics } = await page.session.devtools('Performance.getMetrics', {}) as {
    metrics: readonly { readonly name: string; readonly value: number }[];
  };
  const seconds = metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN;
  const requests = await takeRequests();
  const works = seconds * 1_000 / measureWorkMs();
  assert.ok(requests.length > 1 && requests.length <= 15, requests.join('\n'));
  assert.ok(works < WORKS_MAX, `${works.toFixed(1)} pieces of work`);
});
