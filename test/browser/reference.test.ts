import assert from 'node:assert/strict';
import { assertAccessible, takeScreens } from '../support/accessibility.ts';
import { browserTest, type Options, type World } from '../support/browser-test.ts';
import { consoleTest } from '../support/console.ts';
import { defaultOperations as operations } from '../support/operations.ts';
import type { Page } from '../support/page.ts';
import { basic } from '../support/service.ts';

const REFERENCE = '/static/reference/';

/** @param hash - The id of the operation, or '' for the first page. */
function referenceTest(
  title: string, hash: string, run: (world: World) => Promise<void>, options: Options = {},
): void {
  browserTest(title, async (world) => {
    await world.page.open(`${options.settings?.basePath ?? ''}${REFERENCE}`);
    await listHashes(world.page);
    if (hash !== '') {
      await openOperation(world.page, hash);
    }
    await run(world);
  }, options);
}

async function listHashes(page: Page): Promise<readonly string[]> {
  return await page.waitFor('the menu', `
    const links = [...document.querySelectorAll('#operations a:has(.method)')];
    return links.length > 0 && links.map(({ hash }) => hash)`) as string[];
}

async function openOperation(page: Page, hash: string): Promise<void> {
  await page.session.execute('location.hash = arguments[0]', hash);
  await page.waitFor(
    `the page of ${hash}`,
    'return document.querySelector("#operations [aria-current=page]")?.hash === arguments[0]', hash,
  );
}

// axe-core accepts a small link if the space around the link is large enough. This space depends on the
// fonts of the machine, so the test also checks the size of links.
referenceTest('the first page has the rules for all operations, and leads to each', '', async ({ page }) => {
  await page.find('heading', 'Bodies');
  await page.waitForText('Unknown members of a body are ignored');
  const expected = Object.keys(operations).map((id) => `#${id}`);
  assert.deepEqual((await listHashes(page)).toSorted(), expected.toSorted());
  const heights = await page.session.execute(`
    const links = [...document.querySelectorAll('main li a')];
    return links.map((link) => link.getBoundingClientRect().height)`) as number[];
  assert.equal(heights.length, expected.length);
  assert.ok(Math.min(...heights) >= 24);
  await assertAccessible(page, 'overview');
});

referenceTest('each page has the method and path of its operation, no violation of WCAG 2.2 A and AA, ' +
  'and fits in 320 pixels', '', async ({ page, part }) => {
  for (const [index, [id, { method, path }]] of Object.entries(operations).entries()) {
    await part(id, async () => {
      await page.emulate({ width: 320, scheme: 'light' });
      await openOperation(page, `#${id}`);
      const shown = await page.session.execute('return document.querySelector(".endpoint").textContent');
      assert.equal(shown, `${method} ${path}`);
      assert.equal(await page.findOverflow(), 0);
      await assertAccessible(page, id, takeScreens(1, index));
    });
  }
});

referenceTest('the form sends the request that it shows', '#createUser', async ({ service, page }) => {
  await (await page.find('textbox', /^Body/)).fill(
    '{"username": "grace", "email": "grace@example.org", "password": "hush"}',
  );
  await page.waitForText("--data-raw '{\"username\": \"grace\"");
  await page.click('button Send this POST request');
  await page.waitForText('201 Created', '"username": "grace"');
  assert.deepEqual(await service.signIn(basic('grace', 'hush')), [200]);
});

referenceTest('a token issued here is used, and not shown', '#issueToken', async ({ service, page }) => {
  await service.register('ada');
  await page.fill({ 'Username (leave it empty for a token)': 'ada', 'Password or token': 'ada-password' });
  await page.click('button Send this POST request');
  await page.waitForText('201 Created');
  assert.doesNotMatch(await page.text(), /ada-password/);
  await page.click('button Use this token from now on');
  await openOperation(page, '#readCaller');
  await page.click('button Send this GET request');
  await page.waitForText('"sign_in": "token"', 'Authorization: Bearer $token');
  assert.doesNotMatch(await page.text(), /rollcall_[\w-]{49}/);
});

referenceTest('a response is brought into view, and fulfils WCAG 2.2 A and AA', '', async ({ page }) => {
  for (const width of [1280, 390]) {
    await page.session.reload();
    await page.emulate({ width, scheme: 'light' });
    await openOperation(page, '#reportLiveness');
    await page.click('button Send this GET request');
    await page.waitForText('200 OK');
    // Scrolling stops at whole pixels, but the height of the response can contain a fraction of a pixel.
    await page.waitFor('the response in view', `
      const { top, bottom } = document.querySelector('[aria-label="Response"]').getBoundingClientRect();
      return top >= 0 && bottom < innerHeight + 1`);
  }
  await assertAccessible(page, 'tried');
});

referenceTest('samples are in three languages, the choice is kept, and one in JavaScript sends its request',
  '#createProject', async ({ service, page }) => {
    const as = await service.registerWithToken('ada');
    await page.waitForText('--data-raw');
    await page.click('button JavaScript');
    await page.waitForText('JSON.stringify({');
    const sample = await page.session.execute(
      'return document.querySelector("[aria-label=\'Sample: createProject\']").textContent',
    );
    const token = `const token = '${as.replace('Bearer ', '')}'`;
    const status = await page.session.execute(
      `${token}; return (async () => { ${String(sample)}; return response.status; })()`,
    );
    assert.equal(status, 201);
    await service.expect(200, 'GET /api/v1/projects/notes', { as });
    await page.session.log('browser'); // discards the output of the sample
    await page.click('button Python');
    await page.waitForText('requests.post(');
    await openOperation(page, '#listUsers');
    await page.waitForText('requests.get(');
  });

consoleTest('a console that stays signed in lends its token on request', 'ada #/users', async ({ page }) => {
  await page.click('link Reference');
  await page.find('heading', 'API reference');
  await openOperation(page, '#readCaller');
  await page.click('button Use my console session', 'button Send this GET request');
  await page.waitForText('"username": "ada"');
}, { keep: true });

referenceTest('an unkept session is not offered; refusals are explained', '#readCaller', async ({ page }) => {
  await page.find('button', 'Send this GET request');
  assert.equal(await page.count('button', 'Use my console session'), 0);
  await (await page.find('button', /^401/)).click();
  await page.click('link Sign-in required');
  await page.find('heading', '401 Sign-in required');
  assert.match(await page.session.url(), /\/static\/problems\.html#unauthenticated$/);
});

referenceTest('the search finds operations by words of paths, texts and members', '', async ({ page }) => {
  const field = await page.find('searchbox', 'Search operations');
  for (const [words, operation] of [
    ['etag user', 'Read user GET'], ['table refuses deletions', 'List audit events GET'],
    ['too many failed attempts', 'List tokens GET'], ['delete /projects/', 'Delete project DELETE'],
    ['projects_total', 'List users GET'], ['last_used', 'List tokens GET'],
    ['invisible characters refused', 'Create user POST'],
    ['token.revoke_all', 'List audit events GET'], ['current_password', 'Change password PUT'],
  ] as const) {
    await field.fill(words);
    await page.find('link', operation);
  }
  await page.waitForText(/^1 of \d+ operations/m);
});

referenceTest('a page says who may call, and counts header fields', '#createProject', async ({ page }) => {
  await page.waitForText(/Signed-in users. A token of the scope read_only or identity or set_password can/);
  await openOperation(page, '#listAuditEvents');
  await page.waitForText(/Only administrators. A token of the scope identity or set_password cannot/);
  await openOperation(page, '#createUser');
  await page.waitForText(/^1 header field$/m, 'Anyone. Credentials are optional.');
  await openOperation(page, '#deleteUser');
  await page.waitForText('A token is not enough for some changes.', '-u "$username:$password"');
});

referenceTest('the reference works below a prefix', '#reportLiveness', async ({ page, takeRequests }) => {
  await page.click('button Send this GET request');
  await page.waitForText('"status": "live"');
  assert.ok((await takeRequests()).some((url) => url.endsWith('/rollcall/livez')));
}, { settings: { basePath: '/rollcall' } });

browserTest('an unknown operation is reported, even if its name cannot be decoded', async ({ page }) => {
  await page.open(`${REFERENCE}#%`);
  await page.find('heading', 'There is no such operation');
  await openOperation(page, '#reportLiveness');
  await page.find('heading', 'Report liveness');
  await page.session.execute('location.hash = "#%"');
  await page.find('heading', 'There is no such operation');
});

browserTest('the reference works where pages may store nothing', async ({ page }) => {
  await page.session.devtools('Page.addScriptToEvaluateOnNewDocument', {
    source: `Object.defineProperty(window, 'localStorage', {
      get() { throw new DOMException('denied', 'SecurityError'); },
    })`,
  });
  await page.open(REFERENCE);
  await page.click('checkbox Press / to search');
  await openOperation(page, '#reportLiveness');
  await page.find('heading', 'Report liveness');
});
