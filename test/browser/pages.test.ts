/** The pages without scripts: the landing page, and those that explain problems. */
import assert from 'node:assert/strict';
import { assertAccessible } from '../support/accessibility.ts';
import { browserTest } from '../support/browser-test.ts';

for (const path of ['/static/', '/static/problems.html']) {
  browserTest(`${path} has no violation of WCAG 2.2 A and AA, in light and dark, wide and narrow`, {}, async ({ page }) => {
    await page.open(path);
    await assertAccessible(page, path);
  });

  browserTest(`${path} fits in 320 pixels without scrolling sideways`, {}, async ({ page }) => {
    await page.emulate({ width: 320, scheme: 'light' });
    await page.open(path);
    assert.equal(await page.findOverflow(), 0);
  });
}

browserTest('every link of these pages to their own origin leads somewhere', {}, async ({ service, page }) => {
  const found = new Set<string>();
  for (const path of ['/static/', '/static/problems.html']) {
    await page.open(path);
    const links = await page.session.execute('return [...document.links].filter(({ origin }) => origin === location.origin).map(({ pathname }) => pathname)') as string[];
    links.forEach((link) => found.add(link));
  }
  for (const link of found) {
    assert.equal((await service.call(`GET ${link}`)).status, 200, link);
  }
});

browserTest('the landing page is there after at most 12 requests', {}, async ({ page, takeRequests }) => {
  await page.open('/static/');
  const requests = await takeRequests();
  assert.ok(requests.some((url) => url.endsWith('/static/css/site.css')));
  assert.ok(requests.length <= 12, requests.join('\n'));
});
