import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readFiles } from '../../scripts/audit/files.ts';
import { SHUTDOWN_TIMEOUT_MS } from '../../src/programs/shutdown.ts';
import { namesOf, settings, type Setting } from '../../src/settings.ts';
import { mustRun } from '../support/commands.ts';
import { each } from '../support/each.ts';
import { routes } from '../support/operations.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { copyParts, projectFolder, read } from '../support/project.ts';
import { createReleasedFile } from '../support/released-database.ts';

const readFile = (file: string) => read(`scripts/container/${file}`);
const [dockerfile, manifest, unit] =
  [readFile('Dockerfile'), readFile('kubernetes.yaml'), readFile('rollcall.service')];

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
const copied = namesIn(dockerfile, /^COPY (?!--)(.+) \.\S*$/gm).flatMap((paths) => paths.split(' '));

test('the files that the Dockerfile copies build the same dist/, and .dockerignore admits no more', (t) => {
  const folder = copyParts(t, ...copied);
  mustRun(process.execPath, ['scripts/with-node.js', 'scripts/build.js'], { cwd: folder });
  assert.deepEqual(readFiles(join(folder, 'dist')), readFiles(join(projectFolder, 'dist')));
  assert.deepEqual(namesIn(readFile('Dockerfile.dockerignore'), /^!(.+)$/gm).sort(), copied.toSorted());
});

test('the image, the unit and npm start limit the young generation alike', () => {
  const commands = [dockerfile, unit, read('package.json')].map((file) =>
    /^(?:CMD|ExecStart=| *"start":).*$/m.exec(file)?.[0]);
  for (const command of commands) {
    assert.match(String(command), /node\b.*--max-semi-space-size=4\b.*server\.js/);
  }
});

each('the health check succeeds while the server is ready, with BASE_PATH={0}', [
  '', '/rollcall',
], async (basePath, t) => {
  const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program, ...programArguments]: string[] = JSON.parse(command);
  assert.equal(program, 'node');
  const settings = { HOST: '0.0.0.0', DATABASE_URL: 'sqlite::memory:', BASE_PATH: basePath };
  const server = await startServer(t, settings);
  const env = { PORT: String(server.port), BASE_PATH: basePath };
  const check = () => spawnSync(process.execPath, programArguments, { env }).status;
  assert.equal(check(), 0);
  await server.stop('SIGTERM');
  assert.equal(check(), 1);
});

each('every {0} in the files of containers exists', [
  ['setting', 9, ['PATH', ...Object.values<Setting<unknown>>(settings).flatMap(namesOf)], [
    ...namesIn(/^ENV .*$/m.exec(dockerfile)?.[0] ?? '', / ([A-Z_]+)=/g),
    ...namesIn(manifest, /\{name: ([A-Z_]+), value:/g), ...namesIn(unit, /^Environment=([A-Z_]+)=/gm),
  ]],
  ['probe', 3, routes, namesIn(manifest, /httpGet: \{path: ([^,]+),/g).map((path) => `GET ${path}`)],
  ['admin command', 3, ['create'], [dockerfile, manifest, unit].map((text) =>
    /dist\/admin\.js (\w+) \w+ --email \S+\n/.exec(text)?.[1] ?? 'none')],
], ([, countMin, known, named]) => {
  assert.ok(named.length >= countMin);
  assert.deepEqual(named.filter((name) => !new Set<string>(known).has(name)), []);
});

test('the Kubernetes manifest trusts the proxies of the cluster, so that they are not throttled', () => {
  const [, networks = ''] = /\{name: TRUST_PROXY, value: "([^"]+)"\}/.exec(manifest) ?? [];
  const { trustedProxies } = settings;
  assert.equal(trustedProxies.parse(networks)?.('10.1.2.3'), true);
});

test('the grace period is long enough for an orderly shutdown', () => {
  const [, delayMs] = /SHUTDOWN_DELAY_MS, value: "(\d+)"/.exec(manifest) ?? [];
  const neededSeconds = (Number(delayMs) + SHUTDOWN_TIMEOUT_MS) / 1000;
  for (const [, seconds] of [
    /terminationGracePeriodSeconds: (\d+)/.exec(manifest), /^TimeoutStopSec=(\d+)$/m.exec(unit),
  ] as RegExpExecArray[]) {
    assert.ok(Number(seconds) > neededSeconds, `${seconds} s`);
  }
});

each('the service works in the root of the image, read-only and unprivileged, on {0}', [
  ['a new file', false], ['the file of an earlier release', true],
], ([, isEarlier], t) => {
  const environment = isEarlier ? { EARLIER_FILE: createEarlierFile(t) } : {};
  const { status, stdout, stderr } = runScript('prove.sh', environment);
  if (status === 77) {
    return t.skip(stderr.trim());
  }
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^All as claimed/m);
  assert.equal(/^ok  upgraded, with the copy service\.sqlite\.before-v/m.test(stdout), isEarlier);
});

function createEarlierFile(t: TestContext): string {
  const path = join(createFolder(t), 'service.sqlite');
  createReleasedFile(path, 6);
  return path;
}

// The build of the image fetches development packages, so only this test needs a network.
const skip = process.env['CI_IMAGE'] === undefined && 'only with CI_IMAGE=true, as in CI';
test('an engine builds the Dockerfile, and the image serves, unprivileged', { skip }, (t) => {
  const image = join(createFolder(t), 'image');
  const built = runScript('build-image.sh', {}, image);
  assert.equal(built.status, 0, built.stderr);
  assert.match(built.stdout, /^user 65532:65532, command .*node --max-semi-space-size=4 dist.server\.js/m);
  const { status, stdout, stderr } = runScript('prove.sh', {
    IMAGE_ROOT: image, EARLIER_FILE: createEarlierFile(t),
  });
  assert.equal(status, 0, stdout + stderr);
  t.diagnostic(`${built.stdout.trimEnd().split('\n').at(-1)}; ${/memory: .*/.exec(stdout)?.[0]}`);
});

function runScript(name: string, environment: Readonly<Record<string, string>>, ...words: readonly string[]) {
  return spawnSync(join(projectFolder, 'scripts/container', name), words, {
    encoding: 'utf8', env: { ...process.env, NODE: process.execPath, ...environment },
  });
}
