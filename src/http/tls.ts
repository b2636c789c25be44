/**
 * TLS of the listener: versions 1.2 and 1.3 only (RFC 9325 §3.1.1), with the ciphers that Node.js chooses,
 * and with certificates that can be renewed.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { getSystemErrorMessage } from 'node:util';

/** PEM files (RFC 7468): the certificate chain, and the private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: 'TLSv1.2';
}

/** @throws When a file cannot be read or is not PEM, or the key belongs to another certificate. */
export function readTlsOptions({ certFile, keyFile }: TlsFiles): TlsOptions {
  const { createSecureContext } = process.getBuiltinModule('node:tls'); // loaded late: see node-http.ts
  try {
    const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
    const options = { cert, key, minVersion: 'TLSv1.2' } as const;
    createSecureContext(options);
    return options;
  } catch (error) {
    throw new Error(reasonOf(error as NodeJS.ErrnoException, { certFile, keyFile }), { cause: error });
  }
}

function reasonOf({ code = '', errno = 0, path, message }: NodeJS.ErrnoException, files: TlsFiles): string {
  if (path !== undefined) {
    return `Cannot read the file "${path}": ${getSystemErrorMessage(errno)}`;
  }
  const reason = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' ? 'the key belongs to another certificate'
    : code.startsWith('ERR_') ? `expected PEM files (${code})` // OpenSSL's messages do not help operators
    : message;
  return `Cannot use the certificate "${files.certFile}" with the key "${files.keyFile}": ${reason}`;
}

/**
 * The files are polled at this interval. A watch would miss a symbolic link that changes its target, and
 * Kubernetes renews secrets in this way.
 */
const ASK_EVERY_MS = 5_000;

/**
 * Loads renewed certificates when a file has changed. Open connections keep their certificate. A pair that
 * cannot be used, such as a half-written one, leaves the old pair in place.
 *
 * @param onRenewed - Gets the expiry date of the certificate, in the notation of the certificate.
 */
export function renewCertificates(
  server: Server, files: TlsFiles, onRenewed: (validTo: string) => void, onFailed: (error: unknown) => void,
): void {
  for (const path of [files.certFile, files.keyFile]) {
    watchFile(path, { interval: ASK_EVERY_MS, persistent: false }, () => {
      try {
        const options = readTlsOptions(files);
        server.setSecureContext(options);
        onRenewed(new X509Certificate(options.cert).validTo);
      } catch (error) {
        onFailed(error);
      }
    });
  }
}
