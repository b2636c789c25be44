import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { makeCertificate } from '../support/certificate.ts';
import { startCluster } from '../support/cluster.ts';
import { skipWithout } from '../support/commands.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { testUnless } from '../support/each.ts';
import { listen } from '../support/listen.ts';
import { createFolder, run } from '../support/programs.ts';

testUnless(skipWithoutCluster || skipWithout('openssl')).each('{0}', [
  ['Nodes with a trusted authority are reached', 'IP:127.0.0.1', true, /The database is empty:/],
  ['Nodes with an unknown authority are refused', 'IP:127.0.0.1', false, /self-signed certificate/],
  ['Nodes with another name are refused', 'DNS:other.example', true, /IP: 127\.0\.0\.1 is not in the cert/],
], async (t, [, name, isTrusted, reason]) => {
  const { url, certFile } = await startTlsCluster(t, name);
  const environment = { DATABASE_URL: url, ...(isTrusted ? { NODE_EXTRA_CA_CERTS: certFile } : {}) };
  let { code, stderr } = await run('admin.js', ['list'], { environment });
  while (stderr.includes('AbortError')) { // the request timed out on a busy machine
    ({ code, stderr } = await run('admin.js', ['list'], { environment }));
  }
  assert.equal(code, 1);
  assert.match(stderr, reason);
});

async function startTlsCluster(context: TestContext, name: string) {
  const { certFile, keyFile } = makeCertificate(createFolder(context), 'node', name);
  const { all } = await startCluster(context);
  const options = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const ports = await Promise.all(all.map(({ port }) => listen(context, createServer(options, (socket) => {
    const node = connect(port, '127.0.0.1');
    socket.pipe(node).pipe(socket);
    socket.on('error', () => node.destroy());
    node.on('error', () => socket.destroy());
  }))));
  return { url: `rqlite://${ports.map((port) => `127.0.0.1:${port}`).join()}?tls=1`, certFile };
}
