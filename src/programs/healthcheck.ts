/**
 * `server.js healthcheck`: asks the server with the same settings whether it is ready. It serves images
 * without curl. It prints only names of a known form from the answer: any program may listen on the port.
 */
import { request, type ClientRequest } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { json } from 'node:stream/consumers';
import { toTlsFiles, type Config } from '../config.ts';
import { readTlsOptions } from '../http/tls.ts';
import { reasonOf } from '../telemetry/log.ts';
import { EXIT_FAILURE, EXIT_OK } from '../runtime.ts';

/** The timeout of the request, longer than the two seconds that the server waits for its database. */
const TIMEOUT_MS = 4_000;

/** The loopback address to connect to when the server listens on a wildcard address. */
const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const CHECK_NAME = /^[a-z-]{1,32}$/;

type HealthConfig = Pick<Config, 'host' | 'port' | 'basePath' | 'tlsCertFile' | 'tlsKeyFile'>;

/** @returns The exit code, and a line for operators that says why it is not 0. */
export async function checkHealth(config: HealthConfig): Promise<{ code: number; reason: string }> {
  const { host, port } = config;
  if (port === 0) {
    return { code: EXIT_FAILURE, reason: 'Cannot ask for readiness: with PORT=0 the port is not known' };
  }
  try {
    const { status, failedChecks } = await askReadiness(config);
    return status === 200
      ? { code: EXIT_OK, reason: '' }
      : { code: EXIT_FAILURE, reason: `Not ready: ${status} ${failedChecks.join(', ')}`.trimEnd() };
  } catch (error) {
    const { errno, code, name } = error as NodeJS.ErrnoException; // no `errno`: TLS or a timeout
    const reason = errno === undefined ? code ?? name : reasonOf(error);
    return { code: EXIT_FAILURE, reason: `Cannot ask ${host}:${port} for readiness: ${reason}` };
  }
}

function askReadiness(config: HealthConfig): Promise<{ status: number; failedChecks: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(config);
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      json(incoming).then(
        (body) => resolve({ status, failedChecks: toFailedChecks(body) }),
        () => resolve({ status, failedChecks: [] }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/**
 * Starts the request. The certificate names the host that clients know, but this request goes to another
 * name. So the name is not checked; instead, only the configured certificate is trusted.
 */
function startRequest(config: HealthConfig): ClientRequest {
  const { host, port, basePath = '' } = config;
  const options = {
    host: LOOPBACKS[host] ?? host, port, path: `${basePath}/readyz`, agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  const files = toTlsFiles(config);
  return files === undefined
    ? request(options)
    : requestSecurely({
      ...options, ca: readTlsOptions(files).cert, allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    });
}

function toFailedChecks(body: unknown): readonly string[] {
  const names = typeof body === 'object' && body !== null && 'failed_checks' in body
    ? body.failed_checks
    : [];
  return Array.isArray(names)
    ? names.filter((name) => typeof name === 'string' && CHECK_NAME.test(name))
    : [];
}
