import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createHttpMetrics, createProcessMetrics, toPrometheusText,
} from '../../../src/extras/metrics/metrics.ts';

test('A metric is written with help, type, and a line for each sample', () => {
  const samples = [{ labels: { a: 'x', b: '' }, value: 1.5 }, { labels: {}, value: 2 }];
  assert.equal(
    toPrometheusText([['things_total', 'counter', 'Things.', samples]]),
    '# HELP things_total Things.\n# TYPE things_total counter\n'
      + 'things_total{a="x",b=""} 1.5\nthings_total 2\n',
  );
});

test('A request is counted once, in the bucket of its duration, and buckets are written cumulatively', () => {
  const metrics = createHttpMetrics();
  for (const durationMs of [0, 5, 5.1, 99, 60_000]) {
    metrics.requestBegan();
    metrics.requestEnded({ route: '/a/{b}', method: 'GET', status: 200, durationMs });
  }
  const text = toPrometheusText(metrics.collect());
  const labels = 'http_request_method="GET",http_route="/a/{b}",http_response_status_code="200"';
  for (const [bound, count] of [
    ['0.005', 2], ['0.01', 3], ['0.075', 3], ['0.1', 4], ['10', 4], ['+Inf', 5],
  ]) {
    assert.ok(text.includes(`_bucket{${labels},le="${bound}"} ${count}\n`), `${bound} in ${text}`);
  }
  assert.ok(text.includes(`_count{${labels}} 5\n`));
  assert.match(text, /_sum\{.*\} 60\.1091\n/);
  assert.match(text, /\nhttp_server_active_requests 0\n/);
});

test('Process metrics are in seconds and bytes', () => {
  const values = Object.fromEntries(
    createProcessMetrics()().map(([name, , , value]) => [name, Number(value)]),
  );
  assert.ok(Math.abs((values['process_resident_memory_bytes'] ?? 0) / process.memoryUsage.rss() - 1) < 0.5);
  assert.ok(Math.abs((values['process_start_time_seconds'] ?? 0) + process.uptime() - Date.now() / 1000) < 5);
  assert.ok((values['process_cpu_seconds_total'] ?? 0) > 0);
  const delaySeconds = values['nodejs_eventloop_delay_max_seconds'] ?? -1;
  assert.ok(delaySeconds >= 0 && delaySeconds < 60);
});
