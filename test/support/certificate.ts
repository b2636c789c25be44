import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mustRun } from './commands.ts';

/** @param host - The name for which the certificate is valid, such as `DNS:a.example`. */
export function makeCertificate(folder: string, name: string, host = `DNS:${name}`) {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  mustRun('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
    '-subj', `/CN=${name}`, '-addext', `subjectAltName=${host}`, '-out', certFile, '-keyout', keyFile,
  ]);
  return { certFile, keyFile };
}

/** Accepts a self-signed certificate. */
export async function callTls(port: number, path: string, more: RequestOptions = {}) {
  const outgoing = get({ port, path, host: '127.0.0.1', rejectUnauthorized: false, agent: false, ...more });
  const [incoming] = await once(outgoing, 'response') as [IncomingMessage];
  await text(incoming);
  return incoming;
}
