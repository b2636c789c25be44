/**
 * TLS of the listener: versions 1.2 and 1.3 only (RFC 9325 §3.1.1), with the ciphers that Node.js chooses.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { getSystemErrorMessage } from 'node:util';

const KEYS_DIFFER = 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';

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
  const options = { cert: readText(certFile), key: readText(keyFile), minVersion: 'TLSv1.2' } as const;
  try {
    createSecureContext(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // OpenSSL's messages do not help operators
    const reason =
      code === KEYS_DIFFER ? 'the key belongs to another certificate' : `expected PEM files (${code})`;
    const pair = `the certificate "${certFile}" with the key "${keyFile}"`;
    throw new Error(`Cannot use ${pair}: ${reason}`, { cause: error });
  }
  return options;
}

/** @returns The expiry date of the certificate, in the notation of the certificate. */
export function readValidity({ cert }: TlsOptions): string {
  return new X509Certificate(cert).validTo;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { errno = 0 } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read the file "${file}": ${getSystemErrorMessage(errno)}`, { cause: error });
  }
}
