import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { skipWithout } from '../../support/commands.ts';
import { readBlock, startProxy, type ProxyName } from '../../support/proxies.ts';
import { basic, BEHIND_PROXY, startWorld } from '../../support/service.ts';

async function start(t: TestContext, name: ProxyName) {
  const world = await startWorld(t, BEHIND_PROXY);
  const proxy = await startProxy(t, name, world.port);
  const ask = async (as: string | undefined, headers = {}, line = 'GET /') =>
    (await proxy.call(line, { as, headers })).status;
  return { ...world, proxy, ask };
}

/** Some proxies omit header fields without a value. */
function toRemote({ headers }: { readonly headers: Readonly<Record<string, unknown>> } = { headers: {} }) {
  const named = (name: string) => Buffer.from(String(headers[name] ?? ''), 'latin1').toString('utf8');
  return [named('remote-user-id'), named('remote-user'), named('remote-email'), named('remote-groups')];
}

const ADA = ['1', 'ada', 'ada@example.org', ''];

for (const name of ['nginx', 'Caddy'] as const) {
  const options = { skip: skipWithout(name === 'nginx' ? 'nginx' : 'caddy') };
  const proxied = (title: string, run: (world: Awaited<ReturnType<typeof start>>) => Promise<void>) =>
    test(`${name}: ${title}`, options, async (t) => run(await start(t, name)));

  proxied('without credentials, the client gets the challenge, the program nothing', async ({ proxy }) => {
    const { status, headers } = await proxy.call('GET /');
    assert.equal(status, 401);
    assert.match(String(headers['www-authenticate']), /^Basic realm="Rollcall", charset="UTF-8"/);
    assert.deepEqual(proxy.takeSeen(), []);
  });

  proxied('the program sees who signed in, but no credentials', async ({ proxy, ada, root, issueToken }) => {
    const token = await issueToken(ada);
    for (const as of [ada, token, basic(token.replace('Bearer ', ''), '')]) {
      assert.equal((await proxy.call('GET /page?x=1', { as })).status, 200);
      const [seen, ...more] = proxy.takeSeen();
      assert.deepEqual([toRemote(seen), seen?.headers.authorization ?? '', more], [ADA, '', []]);
    }
    await proxy.call('GET /', { as: root });
    assert.deepEqual(toRemote(proxy.takeSeen()[0]), ['3', 'root', 'root@example.org', 'administrators']);
  });

  proxied('the fields that a client sends about itself never reach the program', async ({ proxy, ada }) => {
    const forged = Object.fromEntries(
      [...readBlock('Check', 'a client sends the fields itself').matchAll(/-H '([^:]+): ([^']+)'/g)]
        .map(([, field = '', value = '']) => [field, value]),
    );
    assert.equal(Object.keys(forged).length, 6);
    const headers = { ...forged, 'Remote_Groups': 'administrators', 'Remote-Email': 'root@example.org' };
    assert.equal((await proxy.call('GET /', { as: ada, headers })).status, 200);
    const [seen] = proxy.takeSeen();
    assert.deepEqual(toRemote(seen), ADA);
    assert.doesNotMatch(JSON.stringify(seen?.headers), /root|administrators/);
  });

  proxied('a read-only token only reads, whatever it claims', async ({ proxy, ada, ask, issueScoped }) => {
    const as = await issueScoped(ada, 'read_only');
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT']) {
      assert.equal(await ask(as, {}, `${method} /`), 200, method);
    }
    proxy.takeSeen();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPPATCH', 'MKCALENDAR']) {
      for (const claimed of [[], 'GET', ['GET', 'GET']]) {
        assert.equal(await ask(as, { 'X-Forwarded-Method': claimed }, `${method} /`), 403, method);
      }
    }
    assert.deepEqual(proxy.takeSeen(), []);
  });

  proxied('preconditions, ranges and bodies are for the program', async ({ proxy, ada: as, ask }) => {
    for (const [method, field, value] of [
      ['PUT', 'if-match', '"x"'],
      ['GET', 'if-none-match', '*'],
      ['GET', 'range', 'bytes=0-1'],
      ['GET', 'if-modified-since', 'Sun, 22 Nov 2099 00:00:00 GMT'],
      ['GET', 'if-unmodified-since', 'Sun, 22 Nov 2009 00:00:00 GMT'],
    ] as const) {
      assert.equal(await ask(as, { [field]: value }, `${method} /page`), 200, field);
      assert.equal(proxy.takeSeen()[0]?.headers[field], value);
    }
    const body = 'x'.repeat(200_000);
    assert.equal((await proxy.call('POST /page', { as, body })).status, 200);
    assert.equal(proxy.takeSeen()[0]?.body, body);
  });

  proxied('a revoked token or disabled user is 401 next', async ({ ada, root, ask, expect, issueToken }) => {
    const token = await issueToken(ada);
    assert.equal(await ask(token), 200);
    await expect(200, 'DELETE /api/v1/token', { as: token });
    assert.deepEqual([await ask(token), await ask(ada)], [401, 200]);
    await expect(200, 'PATCH /api/v1/users/ada', { as: root, json: { disabled: true } });
    assert.equal(await ask(ada), 401);
  });

  proxied('a change from another site is refused with a known password', async ({ ada, ask, issueToken }) => {
    const other = { 'Origin': 'https://other.example', 'Host': 'wiki.example.org' };
    const own = { ...other, 'Origin': 'https://wiki.example.org' };
    for (const [expected, as, headers] of [
      [403, ada, other],
      [403, ada, { ...other, 'X-Forwarded-Host': 'other.example' }],
      [403, ada, { ...own, 'Sec-Fetch-Site': 'cross-site' }],
      [200, ada, own],
      [200, ada, { ...own, 'Sec-Fetch-Site': 'same-origin' }],
      [200, await issueToken(ada), other],
    ] as const) {
      assert.equal(await ask(as, headers, 'POST /'), expected, JSON.stringify(headers));
    }
    assert.equal(await ask(ada, other), 200);
  });

  proxied('a name in other letters arrives in UTF-8', async ({ proxy, ask, register }) => {
    await ask(await register('Ольга'));
    assert.equal(toRemote(proxy.takeSeen()[0])[1], 'Ольга');
  });

  proxied('no query of a client reaches the service; a long one is closed', async ({ proxy, ada, ask }) => {
    for (const query of ['q=100%', 'name=Andr%E9', 'project=notes', `q=${'x'.repeat(6_000)}`]) {
      const line = `GET /page?${query}`;
      assert.deepEqual([await ask(ada, {}, line), await ask(undefined, {}, line)], [200, 401], query);
    }
    const status = await ask(undefined, {}, `GET /page?q=${'x'.repeat(12_000)}`);
    assert.ok([401, 414].includes(status), String(status));
    assert.equal(proxy.takeSeen().length, 4);
  });

  proxied('a token for another program never passes, whatever host is named', async ({ ada, ask, call }) => {
    const issueFor = async (host: string) => {
      const { json } = await call('POST /api/v1/tokens', { as: ada, json: { audience: [host] } });
      return basic('ada', json['token']);
    };
    const [own, other] = [await issueFor('wiki.example.org'), await issueFor('git.example.org')];
    for (const headers of [
      {}, { 'Host': 'git.example.org' }, { 'X-Forwarded-Host': 'git.example.org' },
      { 'Forwarded': 'host=git.example.org' },
    ]) {
      assert.deepEqual([await ask(own, headers), await ask(other, headers)], [200, 403]);
    }
    assert.equal(await ask(undefined, {}, 'GET /metrics'), 401);
  });

  test(`${name}: while the service is stopped, nobody passes`, options, async (t) => {
    const proxy = await startProxy(t, name, 9); // nothing listens on port 9
    for (const as of [undefined, basic('ada', 'ada-password')]) {
      assert.equal((await proxy.call('GET /', { as })).status, name === 'nginx' ? 500 : 502);
    }
    assert.deepEqual(proxy.takeSeen(), []);
  });
}
