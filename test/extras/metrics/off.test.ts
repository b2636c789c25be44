/** Without `METRICS=on`, the server does not even load the code of the metrics. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { call } from '../../support/http-client.ts';
import { createFolder, startServer } from '../../support/programs.ts';

/** @returns The files of the build that a server loaded, by their paths below `dist/`. */
async function listLoadedFiles(t: TestContext, settings: Readonly<Record<string, string>>) {
  const folder = createFolder(t);
  const server = await startServer(t, {
    DATABASE_URL: `sqlite:${folder}/service.sqlite`, NODE_V8_COVERAGE: join(folder, 'coverage'), ...settings,
  });
  assert.equal((await call(server.port, 'GET /readyz')).status, 200);
  assert.equal(await server.stop('SIGTERM'), 0);
  const reports = readdirSync(join(folder, 'coverage')).map(
    (file) => JSON.parse(readFileSync(join(folder, 'coverage', file), 'utf8')),
  );
  const urls = reports.flatMap(({ result }): string[] => result.map(({ url }: { url: string }) => url));
  return urls.filter((url) => url.includes('/dist/')).map((url) => url.replace(/^.*\/dist\//, ''));
}

test('With METRICS=off, no line of the metrics runs; with METRICS=on, it does', async (t) => {
  const metricsOf = async (METRICS: string) => {
    const files = await listLoadedFiles(t, { METRICS });
    assert.ok(files.includes('core.js'), 'the server itself was loaded');
    return files.filter((file) => file.startsWith('extras/metrics/')).sort();
  };
  assert.deepEqual(await metricsOf('off'), []);
  assert.deepEqual(await metricsOf('on'), ['extras/metrics/metrics.js', 'extras/metrics/service-metrics.js']);
});
