import assert from 'node:assert/strict';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { makeCertificate } from '../support/certificate.ts';
import { skipWithout } from '../support/commands.ts';
import { testUnless } from '../support/each.ts';
import {
  findProcesses, launchMarked, skipWithoutProc as skip, untilNoneIsLeft,
} from '../support/npm-scripts.ts';
import { projectFolder } from '../support/project.ts';
import { createFolder } from '../support/programs.ts';

async function start(t: TestContext, command: readonly string[], environment = {}) {
  const script = launchMarked(t, command, environment);
  await script.untilLine('listening');
  return { ...script, closed: once(script.process, 'close') };
}

testUnless(skip).each('SIGTERM to npm cleanly stops all processes of "npm run {0}"', [
  'start', 'start:locked', 'dev',
], async (t, script) => {
  const { process: npm, mark, logLines, closed } = await start(t, ['npm', 'run', script]);
  assert.ok(findProcesses(mark).length >= 3);
  npm.kill('SIGTERM');
  await untilNoneIsLeft(mark);
  await closed;
  assert.match(logLines.at(-1) ?? '', /"message":"ended"/);
});

test('Ctrl-C, which reaches all processes, stops "npm run dev"', { skip }, async (t) => {
  const { process: npm, mark, closed } = await start(t, ['npm', 'run', 'dev']);
  process.kill(-Number(npm.pid), 'SIGINT');
  await untilNoneIsLeft(mark);
  await closed;
});

test('"npm run dev" restarts after a change of static/', { skip }, async (t) => {
  const { untilLine } = await start(t, ['npm', 'run', 'dev']);
  const now = new Date();
  utimesSync(join(projectFolder, 'static', 'index.html'), now, now);
  await untilLine('"message":"ended"');
  await untilLine('"message":"listening"', 2);
});

testUnless(skip || skipWithout('openssl', 'script')).each('closing the terminal stops "npm start" {0} TLS', [
  'with', 'without',
], async (t, word) => {
  const { certFile, keyFile } = makeCertificate(createFolder(t), 'a.example');
  const environment = word === 'with' ? { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } : {};
  const command = ['script', '--quiet', '--command', 'npm start', '/dev/null'];
  const { process: terminal, mark } = await start(t, command, environment);
  assert.ok(findProcesses(mark).length >= 4);
  terminal.kill('SIGKILL'); // closes the terminal without a warning
  await untilNoneIsLeft(mark);
});
