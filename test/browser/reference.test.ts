/** The reference of the API: every operation has a page, and a form that tries it. */
import assert from 'node:assert/strict';
import { routes } from '../support/operations.ts';
import { assertAccessible, oneScreen } from '../support/accessibility.ts';
import { browserTest } from '../support/browser-test.ts';
import type { Page } from '../support/page.ts';
import { basic } from '../support/service.ts';

const REFERENCE = '/static/reference/';


/** The pages that the menu leads to. */
async function listHashes(page: Page): Promise<readonly string[]> {
  return await page.waitFor('the menu', `
    const hashes = [...document.querySelectorAll('#operations section a')].map(({ hash }) => hash);
    return hashes.length > 0 && hashes`) as string[];
}

async function openOperation(page: Page, hash: string): Promise<void> {
  await page.session.execute('location.hash = arguments[0]', hash);
  await page.waitFor(`the page of ${hash}`, 'return document.querySelector("[aria-current=page]")?.hash === arguments[0]', hash);
}

browserTest('the menu leads to every route, and to no other', {}, async ({ page }) => {
  await page.open(REFERENCE);
  const links = await page.waitFor('the menu', `
    const links = [...document.querySelectorAll('#operations section a')].map(({ textContent }) => textContent.replace(/\\s+/g, ' ').replaceAll('\\u200b', ''));
    return links.length > 0 && links`) as string[];
  assert.deepEqual(links.toSorted(), routes.toSorted());
});

browserTest('the page of every operation has no violation of WCAG 2.2 A and AA', {}, async ({ page }) => {
  await page.open(REFERENCE);
  for (const [index, hash] of (await listHashes(page)).entries()) {
    await openOperation(page, hash);
    await assertAccessible(page, hash, oneScreen(index));
  }
});

browserTest('the page of every operation fits in 320 pixels without scrolling sideways', {}, async ({ page }) => {
  await page.emulate({ width: 320, scheme: 'light' });
  await page.open(REFERENCE);
  for (const hash of await listHashes(page)) {
    await openOperation(page, hash);
    assert.equal(await page.findOverflow(), 0, hash);
  }
});

browserTest('the overview, and an operation that was tried, have no violation of WCAG 2.2 A and AA', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'API reference');
  await assertAccessible(page, 'overview');
  await page.emulate({ width: 1280, scheme: 'light' });
  await (await page.find('link', 'GET /livez')).click();
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"status": "live"');
  await assertAccessible(page, 'tried');
});

browserTest('the form of an operation sends the request that it shows, and shows the answer as it came', {}, async ({ service, page }) => {
  await page.open(REFERENCE);
  await (await page.find('link', 'POST /api/v1/users')).click();
  await (await page.find('textbox', /^Body/)).fill('{"username": "grace", "email": "grace@example.org", "password": "hush"}');
  await (await page.find('button', 'Send this POST request')).click();
  await page.waitForText('POST /api/v1/users');
  await page.waitForText('201 Created');
  await page.waitForText('"username":"grace"');
  assert.equal((await service.call('GET /api/v1/user', { as: basic('grace', 'hush') })).status, 200);
});

browserTest('a token that was issued here is used from then on, and shown in no request', {}, async ({ service, page }) => {
  await service.register('ada');
  await page.open(REFERENCE);
  await (await page.find('link', 'POST /api/v1/token')).click();
  await (await page.find('radio', 'Username and password')).click();
  await (await page.find('textbox', 'Username')).fill('ada');
  await (await page.find('textbox', 'Password')).fill('ada-password');
  await (await page.find('button', 'Send this POST request')).click();
  await page.waitForText('201 Created');
  assert.doesNotMatch(await page.text(), /ada-password/);
  await (await page.find('button', 'Use this token from now on')).click();
  await (await page.find('link', 'GET /api/v1/user')).click();
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('Authorization: Bearer $token');
  await page.waitForText('"username": "ada"');
});

browserTest('the link to the explanation of a refusal leads to the page of its problem', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await (await page.find('link', 'GET /api/v1/user')).click();
  await (await page.find('button', /^401/)).click();
  await (await page.find('link', 'Valid credentials are needed')).click();
  await page.find('heading', 'Valid credentials are needed');
  assert.match(await page.session.url(), /\/static\/problems\/unauthenticated\.html$/);
});

browserTest('the filter of the menu shows the operations that have all its words', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await (await page.find('searchbox', /^Filter/)).fill('delete /projects/');
  await page.waitForText(/^1 of \d+ operations/m);
  await page.find('link', 'DELETE /api/v1/projects/{project_name_or_id}');
});

browserTest('below a prefix the reference finds its document, and sends its requests there', { settings: { basePath: '/rollcall' } }, async ({ page, takeRequests }) => {
  await page.open(`/rollcall${REFERENCE}`);
  await (await page.find('link', 'GET /livez')).click();
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"status": "live"');
  assert.ok((await takeRequests()).some((url) => url.endsWith('/rollcall/livez')));
});

browserTest('an address that is no name of an operation says so, even where it cannot be decoded', {}, async ({ page }) => {
  await page.open(`${REFERENCE}#%`);
  await page.find('heading', 'There is no such operation');
  await (await page.find('link', 'GET /livez')).click();
  await page.find('heading', 'Confirms that the process answers');
  await page.session.execute('location.hash = "#%"');
  await page.find('heading', 'There is no such operation');
});

browserTest('the reference works where pages may store nothing', {}, async ({ page }) => {
  await page.session.devtools('Page.addScriptToEvaluateOnNewDocument', {
    source: 'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } })',
  });
  await page.open(REFERENCE);
  await (await page.find('checkbox', /goes to the filter/)).click();
  await (await page.find('link', 'GET /livez')).click();
  await page.find('heading', 'Confirms that the process answers');
});
