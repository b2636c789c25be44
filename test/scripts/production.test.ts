import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callTls, makeCertificate } from '../support/certificate.ts';
import { mustRun, skipWithout } from '../support/commands.ts';
import { call } from '../support/http-client.ts';
import { findFreePort } from '../support/listen.ts';
import { createFolder, createInstallation, run } from '../support/programs.ts';
import { projectFolder, read } from '../support/project.ts';
import { startNginx } from '../support/proxies.ts';

/** A loopback address that differs from the trusted address of nginx. */
const CLIENT = '127.0.0.2';

function readSettings(): Record<string, string> {
  const lines = read('scripts/container/rollcall.conf').split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(lines.map((line) => line.split('=')));
}

const options = { skip: skipWithout('nginx') };

test('nginx redirects to HTTPS, hides metrics, and passes the address of the client', options, async (t) => {
  const folder = createFolder(t);
  const { certFile, keyFile } = makeCertificate(folder, 'rollcall.example');
  const { port, untilLine } = await createInstallation(t, { ...readSettings(), LOG_FORMAT: 'json' }).start();
  const [plainPort, tlsPort] = [await findFreePort(), await findFreePort()];
  const server = read('scripts/container/nginx.conf')
    .replace(/listen 80;\n.*/, `listen 127.0.0.1:${plainPort};`)
    .replace(/listen 443 ssl;\n.*/, `listen 127.0.0.1:${tlsPort} ssl;`)
    .replace('/etc/ssl/rollcall.example.pem', certFile)
    .replace('/etc/ssl/rollcall.example.key', keyFile)
    .replaceAll('127.0.0.1:8080;', `127.0.0.1:${port};`);
  await startNginx(t, folder, `access_log off; ${server}`, tlsPort);
  const plain = await call(plainPort, 'GET /api/v1/user?x=1', { headers: { Host: 'evil.example' } });
  assert.deepEqual([plain.status, plain.headers['location']], [
    301, 'https://rollcall.example/api/v1/user?x=1',
  ]);
  assert.equal((await call(port, 'GET /metrics')).status, 200);
  const client = { localAddress: CLIENT, servername: 'rollcall.example' };
  assert.equal((await callTls(tlsPort, '/metrics', client)).statusCode, 404);
  const headers = { 'X-Forwarded-For': '192.0.2.7' };
  const answer = await callTls(tlsPort, '/api/v1/user', { ...client, headers });
  assert.equal(answer.statusCode, 401);
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
  const { address } = JSON.parse(await untilLine('"status":401'));
  assert.equal(address, CLIENT, 'a client cannot choose its address');
});

test('the settings for production pass the check without a remark; the defaults get remarks', async () => {
  const strict = await run('server.js', ['--print-config'], { environment: readSettings() });
  assert.deepEqual([strict.code, strict.stderr], [0, '']);
  const lax = await run('server.js', ['--print-config'], { environment: { TRUST_PROXY: '::/0' } });
  const named = Array.from(lax.stderr.matchAll(/^Too lax for production: ([A-Z_]+)/gm), ([, name]) => name);
  assert.equal(lax.code, 0);
  assert.deepEqual(named, ['PASSWORD_MIN_LENGTH', 'REGISTRATION', 'DIRECTORY', 'TRUST_PROXY']);
  const open = await run('server.js', ['--print-config'], {
    environment: { ...readSettings(), HOST: '0.0.0.0' },
  });
  assert.match(open.stderr, /^Too lax for production: HOST=0\.0\.0\.0 .*\n.*METRICS=on/);
});

test('the nightly backup is checked, and replaces the one of a week ago', async (t) => {
  const { folder, environment, start } = createInstallation(t);
  const server = await start();
  const unit = read('scripts/container/rollcall-backup.service');
  const commands = Array.from(unit.matchAll(/^ExecStart(?:Pre)?=(.*)$/gm), ([, command = '']) => command)
    .map((command) => command.replace('/usr/bin/node', process.execPath)
      .replace('/opt/rollcall/dist', join(projectFolder, 'dist')).replaceAll('%%', '%'));
  for (const command of [...commands, ...commands]) { // simulates two nights
    mustRun('sh', ['-c', command], { cwd: folder, env: { ...process.env, ...environment } });
  }
  const [backup = '', ...others] = readdirSync(join(folder, 'backups'));
  assert.match(backup, /^[1-7]\.sqlite$/);
  assert.deepEqual(others, []);
  await server.stop('SIGTERM');
  await createInstallation(t).mustAdmin(`restore ${join(folder, 'backups', backup)}`);
});
