import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { api, basic, people, type TestService } from '../support/service.ts';

async function read(service: TestService): Promise<string> {
  const { text, headers } = await service.expect(200, 'GET /metrics');
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  return text;
}

api('requests are counted by known method, route template and status', async (service) => {
  const as = await service.register('ada');
  for (const line of [
    'GET /api/v1/users/ada?x=secret', 'GET /api/v1/users/nobody', 'GET /nowhere', 'HEAD /', 'PROPFIND /no',
  ]) {
    await service.call(line, { as });
  }
  const text = await read(service);
  for (const labels of [
    'http_request_method="POST",http_route="/api/v1/users",http_response_status_code="201"',
    'http_request_method="GET",http_route="/api/v1/users/{username_or_id}",http_response_status_code="200"',
    'http_request_method="GET",http_route="/api/v1/users/{username_or_id}",http_response_status_code="404"',
    'http_request_method="GET",http_response_status_code="404"',
    'http_request_method="HEAD",http_route="/",http_response_status_code="200"',
    'http_request_method="_OTHER",http_response_status_code="404"',
  ]) {
    assert.ok(text.includes(`http_server_request_duration_seconds_count{${labels}} 1\n`), labels);
  }
  // the only active request is this request for the metrics
  assert.match(text, /\nhttp_server_active_requests 1\n/);
  assert.doesNotMatch(text, /ada|nobody|nowhere|secret/);
}, { metrics: 'on' });

api('sign-ins are counted by outcome, password look-ups by cache hits and misses', async (service) => {
  const ada = await service.register('ada');
  const wrong = basic('ada', 'wrong');
  await service.signIn(await service.issueToken(ada), ada, undefined, wrong, wrong);
  const text = await read(service);
  for (const [outcome, count] of [
    ['password', 2], ['token', 1], ['rejected', 2], ['throttled', 1], ['busy', 0],
  ]) {
    assert.ok(text.includes(`rollcall_sign_ins_total{outcome="${outcome}"} ${count}\n`), text);
  }
  assert.match(text, /rollcall_verified_password_lookups_total\{result="hit"\} 1\n/);
  assert.match(text, /rollcall_verified_password_lookups_total\{result="miss"\} 2\n/);
}, { metrics: 'on', failuresPerNameMax: 1 });

people('with METRICS_TOKEN, no other credentials are accepted', async ({ expect, root }) => {
  for (const as of [undefined, root, 'Bearer scrape-m', 'Bearer scrape-mE', 'Bearer scrape-me2']) {
    const { headers } = await expect(401, 'GET /metrics', { as });
    assert.equal(typeof headers['www-authenticate'], 'string', String(as));
  }
  await expect(200, 'GET /metrics', { as: 'Bearer scrape-me' });
}, { metrics: 'on', metricsToken: 'scrape-me' });

api('promtool accepts the metrics', async (service, t) => {
  await service.register('ada');
  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input: await read(service), encoding: 'utf8',
  });
  if (error !== undefined) {
    t.skip('promtool is not installed');
    return;
  }
  assert.deepEqual([status, stdout + stderr], [0, '']);
}, { metrics: 'on' });
