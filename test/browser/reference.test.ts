/** The reference of the API: every operation has a page, and a form that tries it. */
import assert from 'node:assert/strict';
import { defaultOperations as operations } from '../support/operations.ts';
import { assertAccessible, oneScreen } from '../support/accessibility.ts';
import { browserTest } from '../support/browser-test.ts';
import { signIn } from '../support/console.ts';
import type { Page } from '../support/page.ts';
import { basic } from '../support/service.ts';

const REFERENCE = '/static/reference/';


/** The hashes of the pages of operations, from the links of the menu. */
async function listHashes(page: Page): Promise<readonly string[]> {
  return await page.waitFor('the menu', `
    const links = [
      ...document.querySelectorAll('#operations a'),
    ].filter((link) => link.querySelector('.method'));
    return links.length > 0 && links.map(({ hash }) => hash)`) as string[];
}

async function openOperation(page: Page, hash: string): Promise<void> {
  await page.session.execute('location.hash = arguments[0]', hash);
  await page.waitFor(
    `the page of ${hash}`,
    'return document.querySelector("#operations [aria-current=page]")?.hash === arguments[0]', hash,
  );
}

browserTest('the menu leads to every operation, and to no other', {}, async ({ page }) => {
  await page.open(REFERENCE);
  const expected = Object.keys(operations).map((id) => `#${id}`);
  assert.deepEqual((await listHashes(page)).toSorted(), expected.toSorted());
});

browserTest('the page of an operation names its method and path', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await listHashes(page);
  for (const [id, { method, path }] of Object.entries(operations)) {
    await openOperation(page, `#${id}`);
    const shown = await page.session.execute('return document.querySelector(".endpoint").textContent');
    assert.equal(shown, `${method} ${path}`);
  }
});

browserTest('the page of every operation has no violation of WCAG 2.2 A and AA', {}, async ({ page }) => {
  await page.open(REFERENCE);
  for (const [index, hash] of (await listHashes(page)).entries()) {
    await openOperation(page, hash);
    await assertAccessible(page, hash, oneScreen(index));
  }
});

browserTest('the page of every operation fits in 320 pixels', {}, async ({ page }) => {
  await page.emulate({ width: 320, scheme: 'light' });
  await page.open(REFERENCE);
  for (const hash of await listHashes(page)) {
    await openOperation(page, hash);
    assert.equal(await page.findOverflow(), 0, hash);
  }
});

browserTest('no violation of WCAG 2.2 A and AA: the overview, and a response', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'API reference');
  await assertAccessible(page, 'overview');
  await page.emulate({ width: 1280, scheme: 'light' });
  await openOperation(page, '#reportLiveness');
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"status": "live"');
  await assertAccessible(page, 'tried');
});

// axe-core accepts a smaller target with enough space around it, which depends on the fonts of the machine.
browserTest('every link in a list of the overview is at least 24 pixels high', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'API reference');
  const sizes = await page.session.execute(`
    return [...document.querySelectorAll('main li a')].map((link) => {
      const { height } = link.getBoundingClientRect();
      return { link: link.textContent, height };
    })`) as { link: string; height: number }[];
  assert.equal(sizes.length, Object.keys(operations).length);
  assert.deepEqual(sizes.filter(({ height }) => height < 24), []);
});

browserTest('the form sends the request that it shows', {}, async ({ service, page }) => {
  await page.open(REFERENCE);
  await openOperation(page, '#createUser');
  await (await page.find('textbox', /^Body/)).fill(
    '{"username": "grace", "email": "grace@example.org", "password": "hush"}',
  );
  await page.waitForText("--data-raw '{\"username\": \"grace\"");
  await (await page.find('button', 'Send this POST request')).click();
  await page.waitForText('201 Created');
  await page.waitForText('"username": "grace"');
  assert.equal((await service.call('GET /api/v1/user', { as: basic('grace', 'hush') })).status, 200);
});

browserTest('a token that was issued here is used, and not shown', {}, async ({ service, page }) => {
  await service.register('ada');
  await page.open(REFERENCE);
  await openOperation(page, '#issueToken');
  await (await page.find('textbox', /^Username/)).fill('ada');
  await (await page.find('textbox', 'Password or token')).fill('ada-password');
  await (await page.find('button', 'Send this POST request')).click();
  await page.waitForText('201 Created');
  assert.doesNotMatch(await page.text(), /ada-password/);
  await (await page.find('button', 'Use this token from now on')).click();
  await openOperation(page, '#readCaller');
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"sign_in": "token"');
  await page.waitForText('Authorization: Bearer $token');
  assert.doesNotMatch(await page.text(), /rollcall_[\w-]{49}/);
});

for (const width of [1280, 390]) {
  browserTest(`the response is brought into view at ${width} pixels`, {}, async ({ page }) => {
    await page.emulate({ width, scheme: 'light' });
    await page.open(REFERENCE);
    await openOperation(page, '#reportLiveness');
    await (await page.find('button', 'Send this GET request')).click();
    await page.waitForText('200 OK');
    // Scrolling stops at whole pixels, while the height of the response depends on the font.
    await page.waitFor('the response in view', `
      const { top, bottom } = document.querySelector('[aria-label="Response"]').getBoundingClientRect();
      return top >= 0 && bottom < innerHeight + 1`);
  });
}

browserTest('samples are offered in three languages, and the choice is kept', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await openOperation(page, '#createProject');
  await page.waitForText('--data-raw');
  await (await page.find('button', 'JavaScript')).click();
  await page.waitForText('JSON.stringify({');
  await (await page.find('button', 'Python')).click();
  await page.waitForText('requests.post(');
  await openOperation(page, '#listUsers');
  await page.waitForText('requests.get(');
});

browserTest('a sample in JavaScript does what it says', {}, async ({ service, page }) => {
  const token = (await service.registerWithToken('ada')).replace('Bearer ', '');
  await page.open(REFERENCE);
  await openOperation(page, '#createProject');
  await (await page.find('button', 'JavaScript')).click();
  await page.waitForText('JSON.stringify({');
  const sample = String(
    await page.session.execute(
      'return document.querySelector("[aria-label=\'Sample: createProject\']").textContent',
    ),
  );
  const status = await page.session.execute(
    `const token = '${token}'; return (async () => { ${sample}; return response.status; })()`,
  );
  assert.equal(status, 201);
  assert.equal((await service.call('GET /api/v1/projects/notes', { as: `Bearer ${token}` })).status, 200);
  await page.session.log('browser'); // discards the output of the sample
});

browserTest('a console that stays signed in lends its token on request', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/users', { keep: true });
  await (await page.find('link', 'Reference')).click();
  await page.find('heading', 'API reference');
  await openOperation(page, '#readCaller');
  await (await page.find('button', 'Use my console session')).click();
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"username": "ada"');
});

browserTest('without a kept session the reference offers none', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await openOperation(page, '#readCaller');
  await page.find('button', 'Send this GET request');
  assert.equal(await page.count('button', 'Use my console session'), 0);
});

browserTest('the first page has the rules for all operations', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await page.find('heading', 'Bodies');
  await page.waitForText('Unknown members are ignored');
});

browserTest('a refusal is explained by the page of its problem', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await openOperation(page, '#readCaller');
  await (await page.find('button', /^401/)).click();
  await (await page.find('link', 'Sign-in required')).click();
  await page.find('heading', '401 Sign-in required');
  assert.match(await page.session.url(), /\/static\/problems\.html#unauthenticated$/);
});

browserTest('the search in the menu shows the operations that have all its words', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await (await page.find('searchbox', 'Search operations')).fill('delete /projects/');
  await page.waitForText(/^1 of \d+ operations/m);
  await page.find('link', 'Delete project DELETE');
});

browserTest('the search finds words of texts, and names of header fields', {}, async ({ page }) => {
  await page.open(REFERENCE);
  const field = await page.find('searchbox', 'Search operations');
  await field.fill('etag user');
  await page.find('link', 'Read user GET');
  await field.fill('ties are sorted by id audit');
  await page.find('link', 'List audit events GET');
  await field.fill('too many failed attempts');
  await page.find('link', 'List tokens GET');
});

browserTest('a page says who may call an operation, from its access and scopes', {}, async ({ page }) => {
  await page.open(REFERENCE);
  await openOperation(page, '#createProject');
  await page.waitForText(/Signed-in users. A token of the scope read_only or identity or set_password can/);
  await openOperation(page, '#listAuditEvents');
  await page.waitForText(/Only administrators. A token of the scope identity or set_password cannot/);
});

browserTest('below a prefix the reference finds its document, and sends its requests there', {
  settings: { basePath: '/rollcall' },
}, async ({ page, takeRequests }) => {
  await page.open(`/rollcall${REFERENCE}`);
  await openOperation(page, '#reportLiveness');
  await (await page.find('button', 'Send this GET request')).click();
  await page.waitForText('"status": "live"');
  assert.ok((await takeRequests()).some((url) => url.endsWith('/rollcall/livez')));
});

browserTest('an unknown operation is told, even if it cannot be decoded', {}, async ({ page }) => {
  await page.open(`${REFERENCE}#%`);
  await page.find('heading', 'There is no such operation');
  await openOperation(page, '#reportLiveness');
  await page.find('heading', 'Report liveness');
  await page.session.execute('location.hash = "#%"');
  await page.find('heading', 'There is no such operation');
});

browserTest('the reference works where pages may store nothing', {}, async ({ page }) => {
  await page.session.devtools('Page.addScriptToEvaluateOnNewDocument', {
    source: `Object.defineProperty(window, 'localStorage', {
      get() { throw new DOMException('denied', 'SecurityError'); },
    })`,
  });
  await page.open(REFERENCE);
  await (await page.find('checkbox', 'Press / to search')).click();
  await openOperation(page, '#reportLiveness');
  await page.find('heading', 'Report liveness');
});
