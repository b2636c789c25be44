/** Lists: the filters, the pages, and the message of a list without rows. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, show, showAgain, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { measureWorkMs } from '../../support/process-use.ts';
import type { TestService } from '../../support/service.ts';

async function registerAll(service: TestService, ...usernames: readonly string[]): Promise<void> {
  for (const username of usernames) {
    await service.register(username);
  }
}

/** Waits for a list to have these rows and no others. */
async function waitForRows(page: Page, ...names: readonly string[]): Promise<void> {
  await page.waitFor(`the rows ${names.join(', ')}`, `
    const shown = [...document.querySelectorAll('tbody th a')].map((link) => link.innerText);
    return JSON.stringify(shown) === JSON.stringify(arguments[0])`, names);
}

for (const [mode, text, expected] of [
  ['contains', 'LAN', ['alan', 'landa', 'milano']],
  ['starts with', 'lan', ['landa']],
  ['ends with', 'lan', ['alan']],
] as const) {
  browserTest(`search as you type: username ${mode} ${text}`, {}, async ({ service, page }) => {
    await registerAll(service, 'ada', 'alan', 'landa', 'milano');
    await signIn(page, 'ada');
    await (await page.find('combobox', 'Username: how to search')).choose(mode);
    await (await page.find('searchbox', 'Username to search')).fill(text);
    await waitForRows(page, ...expected);
  });
}

browserTest('the filter is in the address, and survives a reload', {}, async ({ service, page }) => {
  await registerAll(service, 'ada', 'alan', 'grace');
  await signIn(page, 'ada', '#/users', { keep: true });
  await (await page.find('searchbox', 'Username to search')).fill('a');
  await (await page.find('button', 'User')).click();
  await page.waitFor('the order', 'return document.querySelector("[aria-sort=ascending] #sort-username")');
  await (await page.find('button', 'User')).click();
  await waitForRows(page, 'grace', 'alan', 'ada');
  assert.equal(new URL(await page.session.url()).hash, '#/users?contains=a&sort=-username');
  await page.session.reload();
  await waitForRows(page, 'grace', 'alan', 'ada');
  assert.equal(await (await page.find('searchbox', 'Username to search')).value(), 'a');
});

browserTest('the page is in the address, and survives a reload', {}, async ({ service, page }) => {
  await registerAll(service, 'ada', 'alan', 'grace');
  await signIn(page, 'ada', '#/users?items_per_page=2', { keep: true });
  await waitForRows(page, 'ada', 'alan');
  await (await page.find('link', 'Next')).click();
  await waitForRows(page, 'grace');
  await page.session.reload();
  await waitForRows(page, 'grace');
  await (await page.find('link', 'Previous')).click();
  await waitForRows(page, 'ada', 'alan');
});

browserTest('a list says how many there are, and leads to the last page and the first', {}, async ({
  service, page,
}) => {
  await registerAll(service, 'ada', 'alan', 'grace', 'mary', 'zoe');
  await signIn(page, 'ada', '#/users?items_per_page=2');
  await page.waitForText('1–2 of 5');
  await (await page.find('link', 'Last page')).click();
  await waitForRows(page, 'zoe');
  await page.waitForText('5–5 of 5');
  assert.equal(await page.count('link', /Next|Last page/), 0);
  await (await page.find('link', 'First page')).click();
  await waitForRows(page, 'ada', 'alan');
  assert.equal(await page.count('link', /Previous|First page/), 0);
});

browserTest('a number that is not exact is shown as the least there are, without a last page', {}, async ({
  service, page,
}) => {
  await registerAll(service, 'ada', 'alan', 'grace');
  await signIn(page, 'ada', '#/projects');
  await page.session.execute(`
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) {
      return { 'Total': '10000', 'Total-Relation': 'at_least' }[name] ?? get.call(this, name);
    };
    location.hash = '#/users?items_per_page=2'`);
  await page.waitForText('1–2 of 10,000+');
  await page.waitForText(/Users\s+10,000\+/);
  await page.find('link', 'Next');
  assert.equal(await page.count('link', 'Last page'), 0);
});

browserTest('users are filtered by role and state, as the address says', {}, async ({ service, page }) => {
  await registerAll(service, 'ada', 'grace');
  await service.registerAdministrator('root');
  const as = await service.registerAdministrator('zoe');
  await service.call('PATCH /api/v1/users/root', { as, json: { disabled: true } });
  await signIn(page, 'zoe', '#/users', { keep: true });
  await (await page.find('combobox', 'Role')).choose('Administrators');
  await waitForRows(page, 'root', 'zoe');
  await (await page.find('combobox', 'State')).choose('Disabled');
  await waitForRows(page, 'root');
  await page.waitForText('Disabled');
  assert.equal(new URL(await page.session.url()).hash, '#/users?role=administrator&state=disabled');
  await page.session.reload();
  await waitForRows(page, 'root');
  await (await page.find('combobox', 'Role')).choose('Users');
  await page.waitForText('No user matches these filters.');
});

browserTest('the way back leads to the list as it was', {}, async ({ service, page }) => {
  await registerAll(service, 'ada', 'alan', 'grace');
  await signIn(page, 'ada', '#/users?contains=gr');
  await (await page.find('link', 'grace')).click();
  await page.find('heading', 'grace');
  await page.session.back();
  await page.find('heading', 'Users');
  await waitForRows(page, 'grace');
});

browserTest('projects are filtered by owner', {}, async ({ service, page }) => {
  const [ada, grace] = [await service.register('ada'), await service.register('grace')];
  await service.createProject(ada, 'engine');
  await service.createProject(grace, 'compiler');
  await signIn(page, 'ada', '#/projects');
  await waitForRows(page, 'engine', 'compiler');
  await (await page.find('searchbox', 'Owner')).fill('grace');
  await waitForRows(page, 'compiler');
});

browserTest('a list says that it loads until the answer is there', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/tokens');
  await page.waitForText('this console');
  await (await page.find('link', 'Users')).click();
  await waitForRows(page, 'ada');
  await page.setNetwork('silent');
  await (await page.find('link', 'Tokens')).click();
  await page.waitForText('Loading…');
  await page.setNetwork('well');
  await page.waitForText('this console');
  assert.doesNotMatch(await page.text(), /Loading…/);
});

browserTest('a screen that is new says at once that it loads', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users');
  await waitForRows(page, 'ada');
  await page.setNetwork('silent');
  await (await page.find('link', 'Projects')).click();
  await page.find('heading', 'Projects');
  await page.waitForText('Loading…');
  await page.setNetwork('well');
  await page.waitForText('No projects yet.');
});

browserTest('an empty list says so, and offers to begin one', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await page.waitForText('No projects yet.');
  await (await page.find('button', 'Create your first project')).click();
  await page.find('dialog', 'New project');
});

browserTest('a search without a match leads back to everything', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users?contains=nobody');
  await page.waitForText('No user matches these filters.');
  await (await page.find('link', 'Show all')).click();
  await waitForRows(page, 'ada');
});

for (const [list, unmatched, words, refused] of [
  ['users', 'contains=nobody', 'No user matches these filters.', 'sort=nothing'],
  ['projects', 'starts_with=nobody', 'No project matches these filters.', 'sort=nothing'],
  ['tokens', 'username=ada', 'No token matches these filters.', 'sort=nothing'],
  ['audit', 'user_id=9', 'No event matches these filters.', 'action=nothing'],
] as const) {
  browserTest(`${list}: all states of a list`, { provokes: [400, 401, 404] }, async ({ service, page }) => {
    await service.registerAdministrator('root');
    await service.register('ada');
    const show = (query: string) => page.session.execute(
      'location.hash = arguments[0]', `#/${list}?${query}`,
    );
    await signIn(page, 'root', `#/${list}?${unmatched}`);
    await page.waitForText(words);
    await show(refused);
    await page.waitForText(/Request [\w-]{8,}/);
    await page.find('button', 'Try again');
    await page.setNetwork('silent');
    await show(unmatched);
    await page.waitForText('Loading…');
    await page.setNetwork('well');
    await page.waitForText(words);
    service.clock.nowMs += 7_200_000;
    await show('');
    await (await page.find('button', 'Cancel')).click();
    await page.waitForText('You are signed out.');
  });
}

browserTest('a list that fails shows the id of the request, and is asked for again', {
  provokes: [400],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects?sort=nothing');
  await page.waitForText(/Request [\w-]{8,}/);
  await (await page.find('button', 'Try again')).click();
  await page.waitForText(/Request [\w-]{8,}/);
});

for (const [address, filter] of [['#/projects', 'Owner'], ['#/tokens', 'Tokens of']] as const) {
  browserTest(`${address}: a name that is half typed is no error, and names are suggested`, {
    provokes: [400, 404],
  }, async ({ service, page }) => {
    await service.registerAdministrator('root');
    await service.register('nora');
    await signIn(page, 'root', address);
    await (await page.find('searchbox', filter)).fill('nor');
    await page.waitForText('No user has this name now.');
    await page.waitFor('nora', 'return document.querySelector("datalist option[value=nora]") !== null');
    assert.equal(await page.count('button', 'Try again'), 0);
    await (await page.find('searchbox', filter)).fill('nora');
    await page.waitForText(/No (project|token) matches these filters\./);
  });
}

const WORDLESS = /undefined|NaN|\bnull\b|\[object/;

const ODD_ADDRESSES = [
  '#/users?page=abc', '#/users?page=-1', '#/users?items_per_page=0', '#/users?contains=a&starts_with=b',
  '#/users/', '#/users/0', '#/users/%20', '#/users/1/2', '#/users/nobody?page=x', '#/users?state=odd',
  '#/projects?owner=%00', '#/projects/99999999999999999999', '#/tokens?last_four=ab', '#/tokens/5',
  '#/audit?user_id=x', '#/audit?since=yesterday', '#/system?x=y', '#/password', '#/password/1', '#/nothing',
  '#/constructor', '#//', '#/users?page=2&page=3', '#/overview/1?page=abc',
];

browserTest('every odd address gets a sentence', {
  provokes: [400, 404],
}, async ({ service, page, part }) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/overview', { keep: true });
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
      assert.doesNotMatch(text, WORDLESS);
    });
  }
});

browserTest('the old rows stay until the next page is there, and cannot be used', {}, async ({
  service, page,
}) => {
  await registerAll(service, 'ada', 'alan', 'grace');
  await signIn(page, 'ada', '#/users?items_per_page=2');
  await waitForRows(page, 'ada', 'alan');
  await page.setNetwork('silent');
  await (await page.find('link', 'Next')).click();
  await page.waitFor('the old rows', 'return document.querySelector("[inert] tbody tr") !== null');
  assert.doesNotMatch(await page.text(), /Loading…/);
  await page.setNetwork('well');
  await waitForRows(page, 'grace');
});

browserTest('the way back leads to the row that led away', {}, async ({ service, page }) => {
  await registerAll(service, 'ada', ...Array.from({ length: 24 }, (_, index) => `user${index}`));
  await signIn(page, 'ada', '#/users');
  await (await page.find('link', 'user20')).click();
  await page.find('heading', 'user20');
  await page.session.back();
  await page.waitForFocus('link user20');
  await page.waitFor('the row in view', `
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return top > 0 && bottom < innerHeight`);
});

browserTest('without a connection all screens open, and say so', { provokes: ['no answer'] }, async ({
  service, page,
}) => {
  await service.registerAdministrator('root');
  await signIn(page, 'root', '#/users');
  await page.waitFor('all modules', `
    const names = performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1));
    return ['audit.js', 'system.js', 'tokens.js', 'projects.js'].every((each) => names.includes(each))`);
  await page.setNetwork('offline');
  for (const screen of ['Projects', 'Tokens', 'Audit trail', 'System', 'Overview']) {
    await (await page.find('link', screen)).click();
    await page.find('heading', screen);
    await page.waitForText("Can't reach the server");
  }
  await page.setNetwork('well');
  await (await page.find('link', 'Users')).click();
  await waitForRows(page, 'root');
});

browserTest('administrators see who is invited, and find them', {}, async ({ service, page }) => {
  const as = await service.registerAdministrator('root');
  await service.register('ada');
  await service.call('POST /api/v1/users', { as, json: { username: 'eve', email: 'eve@example.org' } });
  await signIn(page, 'root', '#/users');
  await page.waitForText('Invited');
  await (await page.find('combobox', 'State')).choose('Invited: no password yet');
  await waitForRows(page, 'eve');
  await (await page.find('link', 'eve')).click();
  await page.waitForText('Invited: has not set a password yet');
});

browserTest('without a connection a list says so, and comes back with it', {
  provokes: ['no answer'],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada');
  await waitForRows(page, 'ada');
  await page.setNetwork('offline');
  await (await page.find('searchbox', 'Username to search')).fill('a');
  await page.waitForText("Can't reach the server");
  await page.setNetwork('well');
  await (await page.find('button', 'Try again')).click();
  await waitForRows(page, 'ada');
});

browserTest('an address that names no screen says so', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/%E0%A4%A');
  await page.find('heading', 'There is nothing here');
});

/** About half a second of processor time on a fast machine. */
const WORKS_MAX = 8;

browserTest(`usable after 15 requests and ${WORKS_MAX} pieces of work`, {}, async ({
  page, takeRequests, report,
}) => {
  await page.session.navigate('about:blank');
  await page.session.devtools('Network.clearBrowserCache', {});
  await page.session.devtools('Performance.enable', {});
  await takeRequests();
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  const { metrics } = await page.session.devtools('Performance.getMetrics', {}) as {
    metrics: readonly { readonly name: string; readonly value: number }[];
  };
  const seconds = metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN; // of the processor
  const requests = await takeRequests();
  const works = seconds * 1_000 / measureWorkMs();
  report(`usable after ${works.toFixed(1)} pieces of work and ${requests.length} requests`);
  assert.ok(requests.length > 1 && requests.length <= 15, requests.join('\n'));
  assert.ok(works < WORKS_MAX);
});
