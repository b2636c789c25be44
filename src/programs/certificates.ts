/**
 * Loads renewed certificates while the service runs: when a file has changed, and on request. Open
 * connections keep their certificate. A pair that cannot be used, such as a half-written one, leaves the old
 * pair in place.
 */
import { watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { readTlsOptions, readValidity, type TlsFiles } from '../http/tls.ts';
import { reasonOf, type Log } from '../telemetry/log.ts';

/**
 * The files are polled at this interval. A watch would miss a symbolic link that changes its target, and
 * Kubernetes renews secrets in this way.
 */
const ASK_EVERY_MS = 5_000;

/** @returns A function that loads the files now. */
export function renewCertificates(server: Server, files: TlsFiles, log: Log): () => void {
  function renew(): void {
    try {
      const options = readTlsOptions(files);
      server.setSecureContext(options);
      log('info', 'certificate renewed', { valid_to: readValidity(options) });
    } catch (error) {
      log('error', 'certificate not renewed', { error: reasonOf(error) });
    }
  }

  for (const path of [files.certFile, files.keyFile]) {
    watchFile(path, { interval: ASK_EVERY_MS, persistent: false }, renew);
  }
  return renew;
}
