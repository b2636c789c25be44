/** The pages without scripts: the landing page, and the page of problems. */
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

browserTest('the landing page is there after at most 12 requests', {}, async ({ page, takeRequests }) => {
  await page.open('/static/');
  const requests = await takeRequests();
  assert.ok(requests.some((url) => url.endsWith('/static/css/site.css')));
  assert.ok(requests.length <= 12, requests.join('\n'));
});
