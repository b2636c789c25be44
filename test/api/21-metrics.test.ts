/** `GET /metrics`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { api, startService, type TestService } from '../support/service.ts';

async function read(service: TestService): Promise<string> {
  const { status, text, headers } = await service.call('GET /metrics');
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8']);
  return text;
}

api('without METRICS=on, GET /metrics is 404', async (service) => {
  await service.expect(404, 'GET /metrics');
});

test('requests are counted by method, route template and status, and nothing else', async (t) => {
  const service = await startService(t, { metrics: 'on' });
  const ada = await service.register('ada');
  await service.call('GET /api/v1/users/ada?x=secret', { as: ada });
  await service.call('GET /api/v1/users/nobody', { as: ada });
  await service.call('GET /nowhere');
  await service.call('HEAD /');
  const text = await read(service);
  for (const labels of [
    'http_request_method="POST",http_route="/api/v1/users",http_response_status_code="201"',
    'http_request_method="GET",http_route="/api/v1/users/{username_or_id}",http_response_status_code="200"',
    'http_request_method="GET",http_route="/api/v1/users/{username_or_id}",http_response_status_code="404"',
    'http_request_method="GET",http_response_status_code="404"',
    'http_request_method="HEAD",http_route="/",http_response_status_code="200"',
  ]) {
    assert.ok(text.includes(`http_server_request_duration_seconds_count{${labels}} 1\n`), labels);
  }
  assert.match(text, /\nhttp_server_active_requests 1\n/); // this request
  assert.doesNotMatch(text, /ada|nobody|nowhere|secret/);
});

test('sign-ins are counted by outcome, password look-ups by cache hits and misses', async (t) => {
  const service = await startService(t, { metrics: 'on', failuresPerNameMax: 1 });
  const ada = await service.register('ada');
  const token = await service.issueToken(ada);
  await service.call('GET /api/v1/user', { as: ada });
  await service.call('GET /api/v1/user', { as: token });
  await service.call('GET /api/v1/user');
  const wrong = `Basic ${Buffer.from('ada:wrong').toString('base64')}`;
  await service.call('GET /api/v1/user', { as: wrong });
  await service.call('GET /api/v1/user', { as: wrong });
  const text = await read(service);
  for (const [outcome, count] of [
    ['password', 2], ['token', 1], ['rejected', 2], ['throttled', 1], ['busy', 0],
  ]) {
    assert.ok(
      text.includes(`rollcall_sign_ins_total{outcome="${outcome}"} ${count}\n`), `${outcome} in ${text}`,
    );
  }
  assert.match(text, /rollcall_verified_password_lookups_total\{result="hit"\} 1\n/);
  assert.match(text, /rollcall_verified_password_lookups_total\{result="miss"\} 2\n/);
});

test('with METRICS_TOKEN, no other credentials are accepted', async (t) => {
  const service = await startService(t, { metrics: 'on', metricsToken: 'scrape-me' });
  const root = await service.registerAdministrator('root');
  for (const as of [undefined, root, 'Bearer scrape-m', 'Bearer scrape-mE', 'Bearer scrape-me2']) {
    const { status, headers } = await service.call('GET /metrics', as === undefined ? {} : { as });
    assert.deepEqual([status, typeof headers['www-authenticate']], [401, 'string'], String(as));
  }
  await service.expect(200, 'GET /metrics', { as: 'Bearer scrape-me' });
});

api('promtool accepts the metrics', { metrics: 'on' }, async (service, t) => {
  await service.register('ada');
  const input = await read(service);
  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input, encoding: 'utf8',
  });
  if (error !== undefined) {
    t.skip('promtool is not installed');
    return;
  }
  assert.deepEqual([status, stdout + stderr], [0, '']);
});
