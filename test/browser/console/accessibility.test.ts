/** Checks each screen of the console, in each of its states, in light and dark, and wide and narrow. */
import { assertAccessible, pairOfScreens } from '../../support/accessibility.ts';
import { browserTest } from '../../support/browser-test.ts';
import { CONSOLE, enterPassword, show, showAgain, signIn } from '../../support/console.ts';
import type { Page } from '../../support/page.ts';
import { basic, type TestService } from '../../support/service.ts';
import { Key } from '../../support/webdriver.ts';

const HOUR_MS = 3_600_000;

async function fill(service: TestService): Promise<void> {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine', 'On the Analytical Engine');
}

const press = async (page: Page, name: string | RegExp) => (await page.find('button', name)).click();

type State = readonly [
  state: string, hash: string, reach: (page: Page, service: TestService) => Promise<unknown>,
];

/**
 * States that change nothing on the server, the steps that lead to each of them from a screen of an
 * administrator, and the text that shows that the state is reached.
 */
const STATES: readonly State[] = [
  ['the list of users', '#/users', (page) => page.find('link', 'ada')],
  ['the second page of users', '#/users?items_per_page=1&page=2', (page) => page.find('link', 'Previous')],
  [
    'a search without a match', '#/users?contains=nobody',
    (page) => page.waitForText('No user matches these filters.'),
  ],
  ['a user', '#/users/2', (page) => page.find('heading', 'ada')],
  ['a user who is not there', '#/users/99', (page) => page.find('link', 'See who deleted a user')],
  ['the form for a new user', '#/users', (page) => press(page, 'New user')],
  ['the form of a user', '#/users/2', (page) => press(page, 'Edit')],
  ['the form for a password', '#/users/2', (page) => press(page, 'Change password')],
  ['the question whether to promote', '#/users/2', (page) => press(page, 'Promote')],
  ['the question whether to disable', '#/users/2', (page) => press(page, 'Disable')],
  ['the question what becomes of projects', '#/users/2', async (page) => {
    await press(page, 'Delete');
    await (await page.find('combobox', 'What happens to the projects')).choose('Transfer 1 project');
    await page.find('textbox', 'New owner');
  }],
  ['the tokens of a user', '#/users/1', (page) => page.waitForText('console …')],
  ['the activity of a user', '#/users/2', (page) => page.waitForText('ada created project engine')],
  ['the overview', '#/overview', (page) => page.waitForText('ada created project engine')],
  ['the palette', '#/overview', async (page) => {
    await press(page, /^Go to/);
    await (await page.find('combobox', 'Go to')).fill('ad');
    await page.waitForText('User');
  }],
  ['a form whose field is wrong', '#/projects', async (page) => {
    await press(page, 'New project');
    await (await page.find('textbox', 'Name')).fill('123');
    await press(page, 'Create project');
    await page.waitFor('the error', 'return document.querySelector("[aria-invalid=true]")');
  }],
  ['a page past the end', '#/users?page=9', (page) => page.waitForText('The list has no such page.')],
  ['a list that is refused', '#/projects?sort=nothing', (page) => page.find('button', 'Try again')],
  ['a question that is answered with no', '#/users/1', async (page) => {
    await press(page, 'Demote');
    await (await page.find('textbox', 'Your password')).fill('root-password');
    await (await page.find('button', 'Demote', await page.find('dialog', /root/))).click();
    await page.waitForText(/last administrator/i);
  }],
  ['the list of projects', '#/projects', (page) => page.find('link', 'engine')],
  ['a project', '#/projects/1', (page) => page.find('heading', 'engine')],
  ['the form of a project', '#/projects/1', (page) => press(page, 'Edit')],
  ['the form to transfer a project', '#/projects/1', (page) => press(page, 'Transfer')],
  ['the question whether to delete a project', '#/projects/1', (page) => press(page, 'Delete')],
  ['the list of tokens', '#/tokens', (page) => page.waitForText('this console')],
  ['the form for a new token', '#/tokens', (page) => press(page, 'New token')],
  ['a new token', '#/tokens', async (page) => {
    await press(page, 'New token');
    await (await page.find('textbox', 'Host of the program')).fill('wiki.example.org');
    await (await page.find('textbox', 'Your password')).fill('root-password');
    await press(page, 'Create token');
    await page.find('dialog', 'Your new token');
  }],
  ['the question whether to revoke a token', '#/tokens', (page) => press(page, /^Revoke console/)],
  ['the question whether to revoke all', '#/users/1', (page) => press(page, 'Revoke all')],
  ['the audit trail', '#/audit', (page) => page.waitForText('ada created project engine')],
  ['an event of the audit trail', '#/audit', async (page) => {
    await press(page, 'Details');
    await page.waitForText('Sign-in');
  }],
  ['selected users', '#/users', async (page) => {
    await (await page.find('checkbox', 'Select ada')).click();
    await page.waitForText('1 selected');
  }],
  ['the question whether to disable several', '#/users', async (page) => {
    await (await page.find('checkbox', 'Select ada')).click();
    await press(page, 'Disable 1');
    await page.find('dialog', 'Disable 1 user?');
  }],
  ['a token that nobody has', '#/tokens?last_four=zzzz', (page) => page.waitForText('No token matches')],
  ['the state of the system', '#/system', (page) => page.waitForText('METRICS=on')],
  ['the help', '#/users', (page) => press(page, 'Help')],
  ['the line for curl', '#/users', (page) => press(page, 'The same with curl')],
  ['a list that loads', '#/tokens', async (page) => {
    await page.waitForText('this console');
    await (await page.find('link', 'Users')).click();
    await page.find('link', 'ada');
    await page.setNetwork('silent');
    await (await page.find('link', 'Tokens')).click();
    await page.waitForText('Loading…');
  }],
  ['a list without a connection', '#/users', async (page) => {
    await page.find('link', 'ada');
    await page.setNetwork('offline');
    await (await page.find('searchbox', 'Username to search')).fill('a');
    await page.find('button', 'Try again');
  }],
  ['no screen', '#/nowhere', (page) => page.find('heading', 'There is nothing here')],
];

/** States that are reached by changes. */
const CHANGED_STATES: readonly State[] = [
  ['a form that somebody else was faster than', '#/projects/1', async (page, service) => {
    await press(page, 'Edit');
    await (await page.find('textbox', 'Name')).fill('mine');
    await service.call('PATCH /api/v1/projects/1', {
      as: basic('root', 'root-password'), json: { description: 'theirs' },
    });
    await press(page, 'Save');
    await page.find('button', 'Load the current state and keep my draft');
  }],
  ['a message about what was done', '#/users/2', async (page) => {
    await press(page, 'Disable');
    await (await page.find('button', 'Disable', await page.find('dialog', /ada/))).click();
    await page.waitForText('ada was changed');
  }],
  ['the results of several requests', '#/users', async (page, service) => {
    await service.register('grace');
    await page.session.reload();
    await enterPassword(page, 'root');
    await (await page.find('checkbox', 'Select all users on this page')).click();
    await press(page, 'Disable 2');
    await service.call('DELETE /api/v1/users/grace', { as: basic('root', 'root-password') });
    await press(page, 'Disable 2 users');
    await page.find('dialog', '1 of 2 left');
  }],
  ['disabled users', '#/users', async (page, service) => {
    const as = basic('root', 'root-password');
    await service.call('PATCH /api/v1/users/ada', { as, json: { disabled: true } });
    await (await page.find('combobox', 'State')).choose('Disabled');
    await page.waitForText('1–1 of 1');
  }],
  ['the form that asks to sign in again', '#/users', async (page, service) => {
    await page.find('link', 'ada');
    service.clock.nowMs += 2 * HOUR_MS;
    await (await page.find('link', 'Projects')).click();
    await page.find('heading', 'Sign in again');
  }],
  ['a list of somebody who is signed out', '#/users', async (page, service) => {
    await page.find('link', 'ada');
    service.clock.nowMs += 2 * HOUR_MS;
    await (await page.find('link', 'Projects')).click();
    await page.find('heading', 'Sign in again');
    await page.press(Key.escape);
    await page.waitForText('You are signed out.');
  }],
];

browserTest('no violation of WCAG 2.2 A and AA in any state', {
  provokes: [400, 401, 404, 409, 'no answer'],
}, async ({ service, page, part }) => {
  await fill(service);
  await signIn(page, 'root', '#/users', { keep: true });
  for (const [index, [state, hash, reach]] of STATES.entries()) {
    await part(state, async () => {
      await page.emulate({ width: 1280, scheme: 'light' });
      await showAgain(page, hash);
      await reach(page, service);
      await assertAccessible(page, state, pairOfScreens(index));
      await page.setNetwork('well');
    });
  }
});

for (const [index, [state, hash, reach]] of CHANGED_STATES.entries()) {
  browserTest(`no violation of WCAG 2.2 A and AA: ${state}`, {
    provokes: [401, 404, 412],
  }, async ({ service, page }) => {
    await fill(service);
    await signIn(page, 'root', hash);
    await reach(page, service);
    await assertAccessible(page, state, pairOfScreens(index));
  });
}

browserTest('no violation of WCAG 2.2 A and AA: the form to sign in, and what it says of a wrong password', {
  provokes: [401],
}, async ({ service, page }) => {
  await service.register('ada');
  await page.open(CONSOLE);
  await page.find('button', 'Sign in');
  await assertAccessible(page, 'sign in');
  await enterPassword(page, 'ada', 'wrong');
  await page.waitForText('The username or the password is wrong');
  await assertAccessible(page, 'wrong password');
});

browserTest('no violation of WCAG 2.2 A and AA: the form to register', {}, async ({ page }) => {
  await page.open(CONSOLE);
  await press(page, 'Register');
  await page.find('heading', 'Register');
  await assertAccessible(page, 'register');
});

browserTest('no violation of WCAG 2.2 A and AA: an empty list', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await page.waitForText('No projects yet.');
  await assertAccessible(page, 'no projects');
});

browserTest('no violation of WCAG 2.2 A and AA: records of others', {}, async ({ service, page }) => {
  await fill(service);
  await service.register('grace');
  await signIn(page, 'grace');
  for (const [hash, words] of [
    ['#/users/2', 'Only this user'], ['#/projects/1', 'Only the owner'],
  ] as const) {
    await show(page, hash);
    await page.waitForText(words);
    await assertAccessible(page, hash);
  }
});
