import { assertAccessible, takeScreens } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, consoleTest, enterPassword, send, showAgain } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { basic, type TestService } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const HOUR_MS = 3_600_000;
const ROOT = basic('root', 'root-password');

/** To reach the state, the test calls this function, or waits until this text is visible. */
type Reach = string | ((page: Page, service: TestService) => Promise<unknown>);
type State = readonly [state: string, hash: string, reach: Reach];

const find = (...control: Parameters<Page['find']>) => (page: Page) => page.find(...control);

const STATES: readonly State[] = [
  ...Object.entries({
    '#/users': ['New user', 'Help', 'The same with curl'],
    '#/users/1': ['Revoke all'],
    '#/users/2': ['Edit', 'Change password', 'Promote', 'Disable'],
    '#/projects/1': ['Edit', 'Transfer', 'Delete'],
    '#/tokens': ['New token'],
  }).flatMap(([hash, buttons]) => buttons.map((name): State => (
    [`${hash} after a click on ${name}`, hash, (page) => page.click(`button ${name}`)]
  ))),
  ['the list of users', '#/users', find('link', 'ada')],
  ['the second page of users', '#/users?items_per_page=1&page=2', find('link', 'Previous')],
  ['a search without a match', '#/users?contains=nobody', 'No user matches these filters.'],
  ['a user', '#/users/2', find('heading', 'ada')],
  ['an unknown user', '#/users/99', find('link', 'See who deleted a user')],
  ['the question what happens to the projects', '#/users/2', async (page) => {
    await page.click('button Delete');
    await page.fill({ 'What happens to the projects': 'Transfer 1 project' });
    await page.find('textbox', 'New owner');
  }],
  ['the tokens of a user', '#/users/1', 'console …'],
  ['the activity of a user', '#/users/2', 'ada created project engine'],
  ['the overview', '#/overview', 'ada created project engine'],
  ['the palette', '#/overview', async (page) => {
    await (await page.find('button', /^Go to/)).click();
    await page.fill({ 'Go to': 'ad' });
    await page.waitForText('User');
  }],
  ['a form with a mistake in a field', '#/projects', async (page) => {
    await send(page, 'New project', { Name: '123' }, 'Create project');
    await page.waitFor('the error', 'return document.querySelector("[aria-invalid=true]")');
  }],
  ['a page past the end', '#/users?page=9', 'The list has no page with this number.'],
  ['a list that is refused', '#/projects?sort=nothing', find('button', 'Try again')],
  ['a refused demotion', '#/users/1', async (page) => {
    await send(page, 'Demote', { 'Your password': 'root-password' });
    await page.waitForText(/last administrator/i);
  }],
  ['the list of projects', '#/projects', find('link', 'engine')],
  ['a project', '#/projects/1', find('heading', 'engine')],
  ['the list of tokens', '#/tokens', 'this console'],
  ['a new token', '#/tokens', async (page) => {
    const fields = { 'Host of the program': 'wiki.example.org', 'Your password': 'root-password' };
    await send(page, 'New token', fields, 'Create token');
    await page.find('dialog', 'Your new token');
  }],
  ['the question whether to revoke a token', '#/tokens', async (page) => {
    await (await page.find('button', /^Revoke console/)).click();
  }],
  ['the audit trail', '#/audit', 'ada created project engine'],
  ['an event of the audit trail', '#/audit', async (page) => {
    await page.click('button Details');
    await page.waitForText('Sign-in');
  }],
  ['selected users', '#/users', async (page) => {
    await page.click('checkbox Select ada');
    await page.waitForText('1 selected');
  }],
  ['the question whether to disable several users', '#/users', async (page) => {
    await page.click('checkbox Select ada', 'button Disable 1');
    await page.find('dialog', 'Disable 1 user?');
  }],
  ['a search for an unknown token', '#/tokens?last_four=zzzz', 'No token matches'],
  ['the state of the system', '#/system', 'METRICS=on'],
  ['a list that loads', '#/tokens', async (page) => {
    await page.waitForText('this console');
    await page.click('link Users');
    await page.find('link', 'ada');
    await page.setNetwork('silent');
    await page.click('link Tokens');
    await page.waitForText('Loading…');
  }],
  ['a list without a connection', '#/users', async (page) => {
    await page.find('link', 'ada');
    await page.setNetwork('offline');
    await page.fill({ 'Username to search': 'a' });
    await page.find('button', 'Try again');
  }],
  ['an address without a screen', '#/nowhere', find('heading', 'There is nothing here')],
];

async function expire(page: Page, { clock }: TestService): Promise<void> {
  await page.find('link', 'ada');
  clock.nowMs += 2 * HOUR_MS;
  await page.click('link Projects');
  await page.find('heading', 'Sign in again');
}

/** States of the console that need another user, or a change on the server. */
const OTHER_STATES: readonly State[] = [
  ['a record of another user', 'grace #/users/2', 'Only this user'],
  ['a project of another user', 'grace #/projects/1', 'Only the owner'],
  ['a form whose record was changed meanwhile', 'root #/projects/1', async (page, service) => {
    await page.click('button Edit');
    await page.fill({ Name: 'mine' });
    await service.call('PATCH /api/v1/projects/1', { as: ROOT, json: { description: 'theirs' } });
    await page.click('button Save');
    await page.find('button', 'Load the current state and keep my draft');
  }],
  ['a message about a change', 'root #/users/2', async (page) => {
    await send(page, 'Disable');
    await page.waitForText('ada was changed');
  }],
  ['the results of several requests', 'root #/users', async (page, service) => {
    await page.click('checkbox Select all users on this page', 'button Disable 2');
    await service.call('DELETE /api/v1/users/grace', { as: ROOT });
    await page.click('button Disable 2 users');
    await page.find('dialog', '1 of 2 left');
  }],
  ['disabled users', 'root #/users', async (page, service) => {
    await service.call('PATCH /api/v1/users/ada', { as: ROOT, json: { disabled: true } });
    await page.fill({ State: 'Disabled' });
    await page.waitForText('1–1 of 1');
  }],
  ['the form to sign in again', 'root #/users', expire],
  ['a list of a user who has not signed in again', 'root #/users', async (page, service) => {
    await expire(page, service);
    await page.press(Key.escape);
    await page.waitForText('You are signed out.');
  }],
];

async function follow(reach: Reach, page: Page, service: TestService): Promise<void> {
  await (typeof reach === 'string' ? page.waitForText(reach) : reach(page, service));
}

consoleTest('no state violates WCAG 2.2 A or AA', 'root #/users', async ({ service, page, part }) => {
  for (const [index, [state, hash, reach]] of STATES.entries()) {
    await part(state, async () => {
      await page.emulate({ width: 1280, scheme: 'light' });
      await showAgain(page, hash);
      await follow(reach, page, service);
      await assertAccessible(page, state, takeScreens(2, index));
      await page.setNetwork('well');
    });
  }
}, { keep: true, project: 'engine', provokes: [400, 401, 404, 409, 'no answer'] });

for (const [index, [state, at, reach]] of OTHER_STATES.entries()) {
  consoleTest(`no violation of WCAG 2.2 A and AA: ${state}`, at, async ({ service, page }) => {
    await follow(reach, page, service);
    await assertAccessible(page, state, takeScreens(2, index));
  }, { project: 'engine', provokes: [401, 404, 412] });
}

browserTest('WCAG 2.2 A and AA: signing in, a wrong password, registration', async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  await assertAccessible(page, 'sign in');
  await enterPassword(page, 'ada', 'wrong');
  await page.waitForText('The username or the password is wrong');
  await assertAccessible(page, 'wrong password');
  await page.click('button Register');
  await page.find('heading', 'Register');
  await assertAccessible(page, 'register');
}, { provokes: [401] });
