/** Tests cross-origin requests with credentials that a script sends, or that the browser remembers. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { skipWithoutBrowser, useBrowser } from '../support/browser.ts';
import { listen } from '../support/listen.ts';
import { poll } from '../support/page.ts';
import { startService } from '../support/service.ts';
import type { Session } from '../support/webdriver.ts';

const options = { skip: skipWithoutBrowser };

async function openForeignPage(context: TestContext): Promise<Session> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end());
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

// spec 1-7
test('A script on another port can sign in, change projects and revoke tokens', options, async (t) => {
  const service = await startService(t);
  await service.register('ada');
  const session = await openForeignPage(t);
  const steps = await session.execute(
    `const [base] = arguments;
    const steps = [];
    async function call(line, user, { json, headers } = {}) {
      const [method, path] = line.split(' ');
      const response = await fetch(base + path, {
        method,
        headers: {
          'Authorization': 'Basic ' + btoa(user), ...headers,
          ...(json && { 'Content-Type': 'application/json' }),
        },
        body: json && JSON.stringify(json),
      });
      steps.push(line + ' ' + response.status);
      return response;
    }
    const { token } = await (await call('POST /api/v1/token', 'ada:ada-password')).json();
    const project = { name: 'notes', description: '', owner: 'ada' };
    await call('POST /api/v1/projects', token + ':', { json: project });
    const list = await call('GET /api/v1/projects', token + ':', { headers: { 'X-Anything': '1' } });
    steps.push('Count ' + list.headers.get('Count'));
    await call('DELETE /api/v1/projects/notes', token + ':');
    await call('DELETE /api/v1/token', token + ':');
    await call('GET /api/v1/projects', token + ':');
    const second = await (await call('POST /api/v1/token', 'ada:ada-password')).json();
    await call('DELETE /api/v1/token', 'ada:ada-password');
    await call('GET /api/v1/projects', second.token + ':');
    return steps;`,
    `http://127.0.0.1:${service.port}`,
  );
  assert.deepEqual(steps, [
    'POST /api/v1/token 201', 'POST /api/v1/projects 201', 'GET /api/v1/projects 200', 'Count 1',
    'DELETE /api/v1/projects/notes 200', 'DELETE /api/v1/token 200', 'GET /api/v1/projects 401',
    'POST /api/v1/token 201', 'DELETE /api/v1/token 200', 'GET /api/v1/projects 401',
  ]);
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
    await submitForm(session, `http://127.0.0.1:${service.port}${path}`);
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

/** Submits a form whose body is JSON text. The click can return before the response arrives. */
async function submitForm(session: Session, action: string): Promise<void> {
  await session.execute(
    `const form = Object.assign(document.createElement('form'), {
      method: 'post', enctype: 'text/plain', action: arguments[0],
    });
    const field = document.createElement('input');
    form.append(Object.assign(field, { name: '{"name": "planted", "x": "', value: '"}' }));
    form.append(document.createElement('button'));
    document.body.append(form);`,
    action,
  );
  const [button] = await session.findAll('button');
  assert(button);
  await session.click(button);
}
