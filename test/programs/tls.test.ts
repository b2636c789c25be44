import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { connect, type ConnectionOptions } from 'node:tls';
import { readTlsOptions } from '../../src/http/tls.ts';
import { callTls, makeCertificate } from '../support/certificate.ts';
import { skipWithout } from '../support/commands.ts';
import { startListener } from '../support/listener.ts';
import { createFolder, createInstallation, run } from '../support/programs.ts';
import { until } from '../support/until.ts';

const skip = skipWithout('openssl');

function createWorld(t: TestContext, settings = {}) {
  const folder = createFolder(t);
  const first = makeCertificate(folder, 'first.example');
  const second = makeCertificate(folder, 'second.example');
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const install = ({ certFile: cert, keyFile: key }: typeof first) => {
    copyFileSync(cert, certFile);
    copyFileSync(key, keyFile);
  };
  install(first);
  return { first, second, certFile, keyFile, install, ...createInstallation(t, {
    TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, ...settings,
  }) };
}

/** @returns The name in the certificate and the TLS version, or the error code of a failed handshake. */
function shakeHands(port: number, more: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...more }, () => {
      resolve(`${socket.getPeerCertificate().subject.CN} ${socket.getProtocol()}`);
      socket.destroy();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
  });
}

// spec 5-7
test('HTTPS accepts only TLS 1.2 and 1.3, and sends HSTS', { skip }, async (t) => {
  const server = await createWorld(t, { BASE_PATH: '/x' }).start();
  assert.match(server.logLines.join('\n'), /"url":"https:\/\/127\.0\.0\.1:\d+\/x"/);
  const { statusCode, headers } = await callTls(server.port, '/x/');
  assert.deepEqual([statusCode, headers['strict-transport-security']], [200, 'max-age=31536000']);
  assert.equal(await shakeHands(server.port), 'first.example TLSv1.3');
  assert.equal(await shakeHands(server.port, { maxVersion: 'TLSv1.2' }), 'first.example TLSv1.2');
  const old = await shakeHands(server.port, {
    minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0',
  });
  assert.match(old, /PROTOCOL_VERSION|ALERT|ECONNRESET/);
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('a new certificate is loaded, and the old one kept while the key is wrong', { skip }, async (t) => {
  const { start, second, certFile, install } = createWorld(t);
  const server = await start();
  copyFileSync(second.certFile, certFile); // the key file still contains the key of the old certificate
  await server.untilLogged('certificate not renewed');
  assert.equal(await shakeHands(server.port), 'first.example TLSv1.3');

  install(second);
  await until(async () => await shakeHands(server.port) === 'second.example TLSv1.3', 50);
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('clients without a handshake, or with plain HTTP, are cut off and delay nobody', { skip }, async (t) => {
  const tls = readTlsOptions(createWorld(t));
  const { port } = await startListener(t, { limits: { headersTimeoutMs: 500 }, tls });
  const [silent, plain] = [connectPlain(port), connectPlain(port)];
  const closed = [silent, plain].map((socket) => once(socket.on('error', () => {}).resume(), 'close'));
  plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal((await callTls(port, '/')).statusCode, 200);
  await Promise.all(closed);
});

test('all unusable files are reported together before the start', { skip }, async (t) => {
  const { environment, first, second, keyFile } = createWorld(t);
  writeFileSync(keyFile, 'secret that is no key');
  for (const [more, mistakes] of [
    [{ PORT: 'x' },
      /^Cannot read PORT .*\nCannot use the certificate ".*" with the key ".*": expected PEM files .*\n$/],
    [{ TLS_CERT_FILE: first.certFile, TLS_KEY_FILE: second.keyFile },
      /^Cannot use the certificate .*: the key belongs to another certificate\n$/],
    [{ TLS_CERT_FILE: `${keyFile}.none` }, /^Cannot read the file ".*none": no such file or directory\n$/],
    [{ TLS_KEY_FILE: '' },
      /^Cannot serve HTTPS: expected both TLS_CERT_FILE and TLS_KEY_FILE, or neither\n$/],
  ] as const) {
    const { code, stderr } = await run('server.js', [], { environment: { ...environment, ...more } });
    assert.equal(code, 78);
    assert.match(stderr, mistakes);
    assert.doesNotMatch(stderr, /secret that/);
  }
});

test('pipelined requests are all answered, in order', { skip }, async (t) => {
  const { port } = await createWorld(t).start();
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const paths = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? '/livez' : '/nowhere'));
  const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n`);
  socket.write(`${lines.join('\r\n')}Connection: close\r\n\r\n`);
  const statuses = (await text(socket)).match(/HTTP\/1\.1 \d{3}/g);
  assert.deepEqual(statuses, paths.map((path) => `HTTP/1.1 ${path === '/livez' ? 200 : 404}`));
});
