import { assertAccessible, takeScreens } from '../../support/accessibility.ts';
import { consoleTest, send, showAgain } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';

/** Either a text that the page shows in this state, or a function that brings the page into the state. */
type Reach = string | ((page: Page) => Promise<unknown>);
type State = readonly [state: string, hash: string, reach: Reach];

const find = (...control: Parameters<Page['find']>) => (page: Page) => page.find(...control);

const after = (text: string, ...clicks: readonly string[]) => async (page: Page) => {
  await page.click(...clicks);
  await page.waitForText(text);
};

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
  ['an event of the audit trail', '#/audit', after('Sign-in', 'button Details')],
  ['selected users', '#/users', after('1 selected', 'checkbox Select ada')],
  ['the question whether to disable several users', '#/users',
    after('Disable 1 user?', 'checkbox Select ada', 'button Disable 1')],
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

/** Other tests check the states that need another user, or a change on the server. */
consoleTest('no state violates WCAG 2.2 A or AA', 'root #/users', async ({ page, part }) => {
  for (const [index, [state, hash, reach]] of STATES.entries()) {
    await part(state, async () => {
      await page.emulate({ width: 1280, scheme: 'light' });
      await showAgain(page, hash);
      await (typeof reach === 'string' ? page.waitForText(reach) : reach(page));
      await assertAccessible(page, state, takeScreens(2, index));
      await page.setNetwork('well');
    });
  }
}, { keep: true, project: 'engine', provokes: [400, 401, 404, 409, 'no answer'] });
