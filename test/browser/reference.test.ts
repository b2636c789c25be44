/** The reference of the API, `/static/reference/`, which is made in the browser from the description in OpenAPI. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createRoutes } from '../../src/routes.ts';
import { assertAccessible } from '../support/accessibility.ts';
import { browserTest, type World } from '../support/browser-test.ts';
import type { Page } from '../support/page.ts';
import { basic } from '../support/service.ts';
import { Key } from '../support/webdriver.ts';

const REFERENCE = '/static/reference/';

const routes = createRoutes({ registration: 'open', passwordLengthMin: 1, passwordPolicy: 'basic', tokenLifetimeSecondsMax: 1 });

/** As if the service answered the request for the description with this. */
async function answerInstead(page: Page, answer: string): Promise<() => Promise<unknown>> {
  const source = `globalThis.realFetch = fetch; globalThis.fetch = async () => ${answer};`;
  const { identifier } = await page.session.devtools('Page.addScriptToEvaluateOnNewDocument', { source }) as { identifier: string };
  return () => page.session.devtools('Page.removeScriptToEvaluateOnNewDocument', { identifier });
}

async function send(page: Page, method: string): Promise<void> {
  await (await page.find('button', `Send this ${method} request`)).click();
}

browserTest('the overview and the menu name every route, with a link to its page', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'API reference');
  const expected = routes.map(({ method, path }) => `${method} ${path}`).sort();
  for (const part of ['main', 'nav']) {
    const links = await page.session.execute(`return [...document.querySelectorAll('${part} li > a')].map((link) => link.textContent)`) as string[];
    assert.deepEqual(links.sort(), expected, part);
  }
});

browserTest('every operation has a page with its summary, a command, its answers and a form, which fits in 320 pixels', {}, async ({ page }) => {
  await page.emulate({ width: 320, scheme: 'light' });
  await page.open(REFERENCE);
  await page.find('heading', 'API reference');
  const hashes = await page.session.execute(`return [...document.querySelectorAll('main li > a')].map((link) => link.hash)`) as string[];
  assert.equal(hashes.length, routes.length);
  for (const hash of hashes) {
    await page.session.execute('location.hash = arguments[0]', hash);
    await page.waitFor(`the page of ${hash}`, `return [...document.querySelectorAll('.facts dd')].some((fact) => '#' + fact.textContent === arguments[0])`, hash);
    const headings = await page.session.execute(`return [...document.querySelectorAll('main h1, main h2')].map((heading) => heading.textContent)`) as string[];
    assert.ok(routes.some(({ summary }) => summary === headings[0]), hash);
    for (const heading of ['Command', 'Parameters', 'Answers', 'Try it']) {
      assert.ok(headings.includes(heading), `${hash}: ${heading}`);
    }
    assert.equal(await page.findOverflow(), 0, hash);
  }
});

browserTest('an address with the name of an operation leads to its page, and its links to problems to theirs', { settings: { basePath: '/a/b' } }, async ({ page }) => {
  await page.open(`/a/b${REFERENCE}#createUser`);
  await page.find('heading', 'Registers a user');
  assert.equal(await page.session.title(), 'POST /api/v1/users · Rollcall');
  await page.session.execute(`for (const details of document.querySelectorAll('details')) { details.open = true; }`);
  await (await page.find('link', 'The username is already in use')).click();
  await page.find('heading', 'The username is already in use');
  assert.match(await page.session.url(), /\/a\/b\/static\/problems\/username-taken\.html$/);
});

browserTest('a name that no operation has is said to be unknown', {}, async ({ page }) => {
  await page.open(`${REFERENCE}#deleteEverything`);
  await page.find('heading', 'There is no such operation');
  await page.waitForText('“deleteEverything”');
  await assertAccessible(page, 'unknown operation');
  await (await page.find('link', 'All operations')).click();
  await page.find('heading', 'API reference');
});

browserTest('without scripts the page leads to the document and to the table of routes', {}, async ({ page }) => {
  await page.session.devtools('Emulation.setScriptExecutionDisabled', { value: true });
  await page.open(REFERENCE);
  await page.waitForText('scripts are off here');
  assert.equal(await page.count('searchbox', /Filter/), 0);
  await (await page.find('link', 'table of routes')).click();
  await page.find('heading', 'Rollcall');
});

for (const [answer, message] of [
  [`new Response('', { status: 503, statusText: 'Service Unavailable' })`, 'The service answered 503 Service Unavailable.'],
  [`new Response('<p>')`, 'What the service answered is not a description of its API.'],
  [`Promise.reject(new TypeError())`, 'The service does not answer.'],
] as const) {
  browserTest(`a description that cannot be read is told as "${message}", and can be asked for again`, {}, async ({ page }) => {
    const stop = await answerInstead(page, answer);
    await page.open(REFERENCE);
    await page.waitForText(message);
    await assertAccessible(page, message);
    await stop();
    await page.session.execute('fetch = realFetch');
    await (await page.find('button', 'Try again')).click();
    await page.find('heading', 'Users');
  });
}

browserTest('the filter shows the operations that have all of its words, and the first of them at Enter', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'Users');
  await page.session.press('/');
  const filter = await page.find('searchbox', /^Filter/);
  await filter.fill('delete project');
  await page.waitForText('2 of'); // deleting a user takes word about their projects
  await filter.fill('no such thing');
  await page.waitForText('No operation has these words');
  await filter.fill('delete /api/v1/projects');
  await page.session.press(Key.enter);
  await page.find('heading', 'Deletes a project, by its owner or an administrator');
  assert.equal(await page.session.execute('return document.activeElement.tagName'), 'H1', 'the focus is on the heading');
});

browserTest('the key of the filter can be turned off, and stays so', {}, async ({ page }) => {
  await page.emulate({ width: 1280, scheme: 'light' });
  await page.open(REFERENCE);
  await (await page.find('checkbox', /goes to the filter/)).click();
  for (const expected of ['off', 'on']) {
    await page.open('/static/');
    await page.open(REFERENCE);
    await page.find('heading', 'Users');
    await page.session.press('/');
    assert.equal(await page.session.execute(`return document.activeElement.id === 'filter'`), expected === 'on', expected);
    await (await page.find('checkbox', /goes to the filter/)).click();
  }
});

browserTest('a request goes out as filled in, and is shown with its answer, without the secret', {}, async ({ page, service }) => {
  await service.register('ada');
  await page.open(`${REFERENCE}#issueToken`);
  await (await page.find('radio', 'Username and password')).click();
  await (await page.find('textbox', 'Username')).fill('ada');
  await (await page.find('textbox', 'Password')).fill('ada-password');
  await send(page, 'POST');
  await page.waitForText('201 Created');
  await (await page.find('button', 'Use this token from now on')).click();
  await page.session.execute(`location.hash = 'listUsers'`);
  await page.find('heading', 'Lists users, or searches them by username');
  await (await page.find('textbox', /^contains/)).fill('AD');
  await (await page.find('textbox', /^items_per_page/)).fill('7');
  await page.waitForText(`curl -H "Authorization: Bearer $token" \\\n  'http://127.0.0.1:${service.port}/api/v1/users?contains=AD&items_per_page=7'`);
  await send(page, 'GET');
  await page.waitForText('200 OK');
  const shown = await page.text();
  for (const part of ['GET /api/v1/users?contains=AD&items_per_page=7', 'Authorization: Bearer $token', 'count: 1', 'items_per_page: 7', '"username": "ada"']) {
    assert.ok(shown.includes(part), part);
  }
  assert.doesNotMatch(await page.session.execute('return document.documentElement.outerHTML') as string, /ada-password|rollcall_/);
  assert.equal(await page.session.execute('return sessionStorage.length + document.cookie.length'), 0);
  await assertAccessible(page, 'an answer');
});

browserTest('a refusal is shown like any other answer, and the browser asks for no password', { provokes: [401] }, async ({ page }) => {
  await page.open(`${REFERENCE}#readCaller`);
  await (await page.find('radio', 'No credentials')).click();
  await send(page, 'GET');
  await page.waitForText('401 Unauthorized');
  await page.waitForText('/static/problems/unauthenticated.html');
});

browserTest('what cannot be sent is told', {}, async ({ page }) => {
  await page.open(`${REFERENCE}#readCaller`);
  await (await page.find('textbox', /^If-Match/)).fill('"\u20AC"');
  await send(page, 'GET');
  await page.waitForText('The request could not be sent');
});

browserTest('the command does with curl what the form does', {}, async (world) => {
  const created = JSON.parse(await runCommand(world, 'createUser'));
  assert.equal(created.username, 'ada');
  const token = await world.service.issueToken(basic('ada', 'a long phrase only Ada knows'));
  const project = JSON.parse(await runCommand(world, 'createProject', token));
  assert.equal(project.owner.username, 'ada');
});

/** @returns The body of the answer. */
async function runCommand({ page }: World, operationId: string, credentials = ''): Promise<string> {
  await page.open(`${REFERENCE}#${operationId}`);
  await page.find('heading', 'Command');
  const command = String(await page.session.execute(`return document.querySelector('[aria-label^="Command for curl"]').textContent`));
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, token: credentials.replace('Bearer ', '') } });
  return stdout;
}

for (const [place, hash] of [['the overview', ''], ['an operation with a body', '#updateUser'], ['an operation for anybody', '#readStaticFile']] as const) {
  browserTest(`${place} has no violation of WCAG 2.2 A and AA, in light and dark, wide and narrow, folded and unfolded`, {}, async ({ page }) => {
    await page.open(REFERENCE + hash);
    await page.waitFor('the page', `return document.querySelector('main h2') !== null`);
    await assertAccessible(page, place);
    await page.session.execute(`for (const details of document.querySelectorAll('details')) { details.open = true; }`);
    await assertAccessible(page, `${place}, unfolded`);
  });
}

browserTest('the reference is there after at most 20 requests', {}, async ({ page, takeRequests }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'Users');
  const requests = await takeRequests();
  assert.ok(requests.length <= 20, requests.join('\n'));
});
