import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertAccessible, takeScreens } from '../support/accessibility.ts';
import { browserTest } from '../support/browser-test.ts';
import { projectFolder } from '../support/project.ts';

const guides = ['', ...readdirSync(join(projectFolder, 'static/guides'))].map(
  (name) => `/static/guides/${name}`,
);
const MISSING = '/static/console/nothing/%3Cb%3E';
const paths = ['/static/', '/static/problems.html', MISSING, ...guides];

// api/27-doors.test.ts tests the other URLs that lead to these pages.
browserTest.each('{1} fulfils WCAG 2.2 A and AA, fits in 320 pixels, and leads on', [
  ...paths.entries(),
], async ({ page }, [index, path]) => {
  await page.emulate({ width: 320, scheme: 'light' });
  await page.open(path);
  assert.equal(await page.findOverflow(), 0);
  const links = await page.session.execute(
    'return [...document.querySelectorAll(".top a")].map(({ pathname }) => pathname)',
  ) as string[];
  for (const target of ['console/', 'reference/', 'guides/', 'problems.html']) {
    assert.ok(links.includes(`/static/${target}`), target);
  }
  // One width and one colour scheme are enough for a guide, because all guides look alike.
  await assertAccessible(page, path, guides.includes(path) ? takeScreens(1, index) : undefined);
}, ([, path]) => ({ provokes: path === MISSING ? [404] : [] }));

browserTest('the landing page is there after at most 12 requests', async ({ page, takeRequests }) => {
  await page.open('/static/');
  const requests = await takeRequests();
  assert.ok(requests.some((url) => url.endsWith('/static/css/site.css')));
  assert.ok(requests.length <= 12, requests.join('\n'));
});

browserTest('the commands of a guide name this service, and can be copied', async ({ service, page }) => {
  await page.open('/static/guides/signing-in.html');
  await page.useClipboard();
  await page.waitForText(`http://127.0.0.1:${service.port}/api/v1/users`);
  await (await page.find('button', /^Copy/)).click();
  const copied = await page.waitFor('the clipboard', 'return navigator.clipboard.readText()');
  assert.match(String(copied), new RegExp(`^curl [^]*:${service.port}/api/v1/users$`));
});
