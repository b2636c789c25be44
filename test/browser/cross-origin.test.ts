import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { skipWithoutBrowser, useBrowser } from '../support/browser.ts';
import { listen } from '../support/listen.ts';
import { poll } from '../support/page.ts';
import { startService } from '../support/service.ts';
import type { Session } from '../support/webdriver.ts';

const options = { skip: skipWithoutBrowser };

/** The form sends JSON as `text/plain`. */
async function openForeignPage(context: TestContext): Promise<Session> {
  const form = `<form method="post" enctype="text/plain">
    <input name='{"name": "planted", "x": "' value='"}'><button></button></form>`;
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(form));
  const port = await listen(context, server);
  const { session, home } = await useBrowser();
  const handle = await session.newWindow();
  context.after(async () => {
    await session.closeWindow();
    await session.switchTo(home);
  });
  await session.switchTo(handle);
  await session.navigate(`http://127.0.0.1:${port}/`);
  return session;
}

const NOTES = '{"name": "notes", "description": "", "owner": "ada"}';

/** `TOKEN` stands for the latest token of the script. */
const REQUESTS = [
  ['201', 'POST /api/v1/token', 'ada:ada-password'], ['201', 'POST /api/v1/projects', 'TOKEN:', NOTES],
  ['200, Count 1', 'GET /api/v1/projects', 'TOKEN:'], ['200', 'DELETE /api/v1/projects/notes', 'TOKEN:'],
  ['200', 'DELETE /api/v1/token', 'TOKEN:'], ['401', 'GET /api/v1/projects', 'TOKEN:'],
  ['201', 'POST /api/v1/token', 'ada:ada-password'], ['200', 'DELETE /api/v1/token', 'ada:ada-password'],
  ['401', 'GET /api/v1/projects', 'TOKEN:'],
] as const;

// spec 1-7
test('A script on another port can sign in, change projects and revoke tokens', options, async (t) => {
  const service = await startService(t);
  await service.register('ada');
  const session = await openForeignPage(t);
  const outcomes = await session.execute(
    `const [base, requests] = arguments;
    const outcomes = [];
    let token;
    for (const [, line, user, body] of requests) {
      const [method, path] = line.split(' ');
      const authorization = 'Basic ' + btoa(user.replace('TOKEN', token));
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const headers = { 'Authorization': authorization, 'X-Anything': '1', ...type };
      const response = await fetch(base + path, { method, headers, body });
      const count = response.headers.get('Count');
      outcomes.push(response.status + (count === null ? '' : ', Count ' + count));
      token = (await response.json()).token ?? token;
    }
    return outcomes;`,
    `http://127.0.0.1:${service.port}`, REQUESTS,
  );
  assert.deepEqual(outcomes, REQUESTS.map(([outcome]) => outcome));
});

test('A page with remembered credentials only issues a token that it cannot read', options, async (t) => {
  const service = await startService(t);
  const as = await service.register('ada');
  await service.createProject(as, 'notes');
  const session = await openForeignPage(t);
  const page = await session.url();
  // the browser remembers the credentials in this URL
  await session.navigate(`http://ada:ada-password@127.0.0.1:${service.port}/api/v1/user`);
  assert.match(String(await session.execute('return document.body.innerText')), /"username":"ada"/);
  await session.navigate(page);
  await session.execute(
    `const [base] = arguments;
    const json = '{"name": "planted"}';
    const attempts = ['no-cors', 'cors'].flatMap((mode) => [
      ['POST', '/api/v1/projects', { mode, body: json }],
      ['POST', '/api/v1/projects', { mode, body: new Blob([json]) }],
      ['POST', '/api/v1/tokens', { mode, body: json }],
    ]);
    attempts.push(
      ['POST', '/api/v1/token', { mode: 'no-cors' }],
      ['POST', '/api/v1/projects', { headers: { 'Content-Type': 'application/json' }, body: json }],
      ['DELETE', '/api/v1/projects/notes', {}],
      ['DELETE', '/api/v1/token', {}],
    );
    await Promise.allSettled(attempts.map(
      ([method, path, init]) => fetch(base + path, { method, credentials: 'include', ...init }),
    ));
    navigator.sendBeacon(base + '/api/v1/token');`,
    `http://127.0.0.1:${service.port}`,
  );
  for (const path of ['/api/v1/token', '/api/v1/projects']) {
    await session.navigate(page);
    const address = `http://127.0.0.1:${service.port}${path}`;
    await session.execute('document.forms[0].action = arguments[0]; document.forms[0].submit()', address);
    const readText = async () =>
      String(await session.execute('return document.body?.innerText ?? ""')) || undefined;
    assert.match(await poll('the response to the form', readText, session), /"status":403/);
  }
  const countTokens = async () => (await service.call('GET /api/v1/tokens', { as })).json['tokens'].length;
  assert.deepEqual(await service.namesIn('projects', as), ['notes']);
  assert.equal(await countTokens(), 0);
  await session.navigate(page);
  const outcome = await session.execute(
    `return fetch(arguments[0], { method: 'POST', credentials: 'include' })
      .then(() => 'read', () => 'unreadable')`,
    `http://127.0.0.1:${service.port}/api/v1/token`,
  );
  assert.deepEqual([outcome, await countTokens()], ['unreadable', 1]);
});
