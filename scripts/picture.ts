/**
 * `npm run picture`: takes screenshots of the console. The landing page and README.md show these screenshots.
 * Run this command again after the look of the console has changed.
 */
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { useBrowser } from '../test/support/browser.ts';
import { signIn } from '../test/support/console.ts';
import { basic } from '../test/support/http-client.ts';
import { createPage } from '../test/support/page.ts';
import { startService, type TestService } from '../test/support/service.ts';

const WIDTH = 1200;
const HEIGHT = 800;
const HOUR_MS = 3_600_000;

/** `hours` is the time since the previous registration. */
const PEOPLE: readonly (readonly [username: string, hours: number, project?: string])[] = [
  ['viktor.eriksson', 5, 'notification-api'], ['李小龙', 50, 'atlas-site'], ['giulia.rossi', 3, 'ledger-cli'],
  ['amara.okafor', 4, 'harbor-gateway'], ['mateo.garcia', 47, 'session-sdk'],
  ['Ólafur.Þórðarson', 26, 'fleet-docs'], ['priya.sharma', 2], ['yusuf.tanaka', 70], ['chiara.santos', 3],
  ['mia.wong', 4], ['omar.petrov', 40],
];

test('the pictures of the console', async (context) => {
  const service = await startService(context);
  const { session, home } = await useBrowser();
  await fill(service);
  const page = createPage(session, `http://127.0.0.1:${service.port}`, home);
  await page.emulate({ width: WIDTH, scheme: 'light' });
  await session.devtools('Emulation.setScrollbarsHidden', { hidden: true });
  await signIn(page, 'nora.lindqvist', '#/overview');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulate({ width: WIDTH, scheme });
    const clip = { x: 0, y: 0, width: WIDTH, height: HEIGHT, scale: 1 };
    const answer = await session.devtools('Page.captureScreenshot', { format: 'webp', quality: 80, clip });
    const { data } = answer as { data: string };
    const file = fileURLToPath(new URL(`../static/console-${scheme}.webp`, import.meta.url));
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
});

/**
 * Between changes, the script moves the clock of the service, so the changes spread over the last 13 days.
 */
async function fill(service: TestService): Promise<void> {
  service.clock.nowMs = Date.now() - 13 * 24 * HOUR_MS;
  await service.registerAdministrator('nora.lindqvist');
  for (const [username, hours, name] of PEOPLE) {
    service.clock.nowMs += hours * HOUR_MS;
    const email = `${username.normalize('NFD').replace(/[^\w.]/g, '') || 'xiaolong'}@northwind.example`;
    await service.call('POST /api/v1/users', { json: { username, email, password: 'a long phrase' } });
    const as = basic(username, 'a long phrase');
    if (name !== undefined) {
      await service.call('POST /api/v1/projects', { as, json: { name, description: 'An example.' } });
    }
    await service.call('POST /api/v1/tokens', { as, json: { name: 'deploy', scope: 'read_only' } });
  }
  service.clock.nowMs = Date.now() - 5 * 60_000;
  const as = basic('nora.lindqvist', 'nora.lindqvist-password');
  for (const [name, days] of [['grafana', 3], ['nightly report', 90], ['laptop', 200]] as const) {
    await service.call('POST /api/v1/tokens', { as, json: { name, expiration: days * 24 * 3600 } });
  }
  service.clock.nowMs = Date.now();
}
