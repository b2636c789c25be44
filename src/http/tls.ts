/** Only TLS 1.2 and 1.3 are accepted (RFC 9325 §3.1.1). A new certificate is loaded without a restart. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, watchFile } from 'node:fs';
import type { Server, ServerOptions } from 'node:https';
import { getSystemErrorMessage } from 'node:util';
import type { Log } from './message.ts';

export type TlsOptions = ReturnType<typeof readTlsOptions>;

export function readTlsOptions({ certFile, keyFile }: Readonly<Record<'certFile' | 'keyFile', string>>) {
  const { createSecureContext } = process.getBuiltinModule('node:tls'); // listener.ts explains this call
  try {
    const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
    const options = { certFile, keyFile, cert, key, minVersion: 'TLSv1.2' } as const;
    createSecureContext(options);
    return options;
  } catch (error) {
    const { code = '', errno = 0, path, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' ? 'the key belongs to another certificate'
      : code.startsWith('ERR_') ? `expected PEM files (${code})` // clearer than OpenSSL's message
      : message;
    throw new Error(path !== undefined
      ? `Cannot read the file "${path}": ${getSystemErrorMessage(errno)}`
      : `Cannot use the certificate "${certFile}" with the key "${keyFile}": ${reason}`, { cause: error });
  }
}

/** Watches PEM files. Existing connections keep the old certificate. A half-written file has no effect. */
export function createTlsServer(options: ServerOptions, tls: TlsOptions, log: Log): Server {
  const server = process.getBuiltinModule('node:https').createServer({ ...options, ...tls });
  for (const path of [tls.certFile, tls.keyFile]) {
    // Polls the file, because `fs.watch` would not see that Kubernetes changes a symbolic link.
    watchFile(path, { interval: 5_000, persistent: false }, () => {
      try {
        const renewed = readTlsOptions(tls);
        server.setSecureContext(renewed);
        log('info', 'certificate renewed', { valid_to: new X509Certificate(renewed.cert).validTo });
      } catch (error) {
        log('error', 'certificate not renewed', { error: (error as Error).message }); // always an `Error`
      }
    });
  }
  return server;
}
