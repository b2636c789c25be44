/** Tests HTTPS with certificates that openssl makes. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, type ConnectionOptions } from 'node:tls';
import { createListener, LISTENER_LIMITS } from '../../src/http/listener.ts';
import { readTlsOptions } from '../../src/http/tls.ts';
import { makeCertificate, skipWithoutOpenssl } from '../support/certificate.ts';
import { listen } from '../support/listen.ts';
import { createFolder, run, startServer } from '../support/programs.ts';

const options = { skip: skipWithoutOpenssl };

function createWorld(t: TestContext) {
  const folder = createFolder(t);
  const first = makeCertificate(folder, 'first.example');
  const second = makeCertificate(folder, 'second.example');
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const install = ({ certFile: cert, keyFile: key }: typeof first) => {
    copyFileSync(cert, certFile);
    copyFileSync(key, keyFile);
  };
  install(first);
  const environment = {
    DATABASE_URL: `sqlite:${folder}/service.sqlite`, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile,
  };
  return { folder, first, second, certFile, keyFile, install, environment };
}

function get(
  port: number, path: string,
): Promise<{ status: number | undefined; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port, path, host: '127.0.0.1', rejectUnauthorized: false, agent: false,
    }, (incoming) => {
      incoming.resume().on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers }));
    });
    outgoing.on('error', reject).end();
  });
}

/** @returns The name in the certificate and the version of TLS, or the code of the error. */
function shakeHands(port: number, more: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...more }, () => {
      resolve(`${socket.getPeerCertificate().subject.CN} ${socket.getProtocol()}`);
      socket.destroy();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
  });
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// spec 5-7
test('HTTPS accepts only TLS 1.2 and 1.3, and sends HSTS',
  options, async (t) => {
    const { environment } = createWorld(t);
    const server = await startServer(t, { ...environment, BASE_PATH: '/x' });
    assert.match(server.logLines.join('\n'), /"url":"https:\/\/127\.0\.0\.1:\d+\/x"/);
    const { status, headers } = await get(server.port, '/x/');
    assert.deepEqual([status, headers['strict-transport-security']], [200, 'max-age=31536000']);
    assert.deepEqual(await Promise.all([
      shakeHands(server.port),
      shakeHands(server.port, { maxVersion: 'TLSv1.2' }),
    ]), ['first.example TLSv1.3', 'first.example TLSv1.2']);
    const old = await shakeHands(server.port, {
      minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0',
    });
    assert.match(old, /PROTOCOL_VERSION|ALERT|ECONNRESET/);
    assert.equal(await server.stop('SIGTERM'), 0);
  });

test('a new certificate is loaded, and the old one kept while the key is wrong', options, async (t) => {
  const { environment, second, certFile, install } = createWorld(t);
  const server = await startServer(t, environment);
  const logged = (text: string) => server.logLines.filter((line) => line.includes(text)).length;

  copyFileSync(second.certFile, certFile); // the file of the key keeps the key of the old certificate
  await waitFor(() => logged('certificate not renewed') > 0);
  assert.equal(await shakeHands(server.port), 'first.example TLSv1.3');

  install(second);
  await waitFor(async () => await shakeHands(server.port) === 'second.example TLSv1.3');
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('a client without a handshake, or with plain HTTP, is disconnected without delaying others',
  options, async (t) => {
    const limits = { ...LISTENER_LIMITS, headersTimeoutMs: 500 };
    const reply = { status: 200, headers: {}, body: '' };
    const port = await listen(t, createListener(limits, {
      answer: async () => reply, refuseUnread: () => reply, isEnding: () => false, onCut: () => {},
    }, readTlsOptions(createWorld(t))));
    const [silent, plain] = [connectPlain(port), connectPlain(port)];
    const closed = [silent, plain].map((socket) => once(socket.on('error', () => {}).resume(), 'close'));
    plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal((await get(port, '/')).status, 200);
    await Promise.all(closed);
  });

test('all unusable files are reported together before the start', options, async (t) => {
  const { folder, environment, first, second, keyFile } = createWorld(t);
  writeFileSync(keyFile, 'secret that is no key');
  const mistakesOf = async (more: Record<string, string>) => {
    const { code, stderr } = await run('server.js', [], { environment: { ...environment, ...more } });
    assert.equal(code, 78);
    assert.doesNotMatch(stderr, /secret that/);
    return stderr;
  };
  const unusable =
    /^Cannot read PORT .*\nCannot use the certificate ".*" with the key ".*": expected PEM files \(\w+\)\n$/;
  assert.match(await mistakesOf({ PORT: 'x' }), unusable);
  const mixed = { TLS_CERT_FILE: first.certFile, TLS_KEY_FILE: second.keyFile };
  assert.match(
    await mistakesOf(mixed), /^Cannot use the certificate .*: the key belongs to another certificate\n$/,
  );
  const missing = { TLS_CERT_FILE: join(folder, 'none') };
  assert.match(await mistakesOf(missing), /^Cannot read the file ".*none": no such file or directory\n$/);
  assert.match(
    await mistakesOf({ TLS_KEY_FILE: '' }),
    /^Cannot serve HTTPS: expected both TLS_CERT_FILE and TLS_KEY_FILE, or neither\n$/,
  );
});

test('pipelined requests are all answered, in order', options, async (t) => {
  const { port } = await startServer(t, createWorld(t).environment);
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const paths = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? '/livez' : '/nowhere'));
  const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n`);
  socket.write(`${lines.join('\r\n')}Connection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
  }
  const statuses = Buffer.concat(chunks).toString('latin1').match(/HTTP\/1\.1 \d{3}/g);
  assert.deepEqual(statuses, paths.map((path) => `HTTP/1.1 ${path === '/livez' ? 200 : 404}`));
});
