/**
 * `server.js healthcheck`: asks the server that runs with the same settings whether it is ready, for images without curl.
 * Nothing of an answer is shown but names that this program knows the form of, as anything may listen on a port.
 */
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { EXIT_FAILURE, EXIT_OK } from './exit-codes.ts';

/** The server itself waits two seconds for its database. */
const TIMEOUT_MS = 4_000;

/** What stands for all addresses of a machine is no address that one can ask. */
const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const CHECK_NAME = /^[a-z-]{1,32}$/;

/** @returns The exit code, and for operators a line that says why it is not 0. */
export async function checkHealth({ host, port }: Pick<Config, 'host' | 'port'>): Promise<{ code: number; reason: string }> {
  if (port === 0) {
    return { code: EXIT_FAILURE, reason: 'Cannot ask for readiness: with PORT=0 the port is not known' };
  }
  try {
    const { status, failedChecks } = await askReadiness(LOOPBACKS[host] ?? host, port);
    return status === 200 ? { code: EXIT_OK, reason: '' } : { code: EXIT_FAILURE, reason: `Not ready: ${status} ${failedChecks.join(', ')}`.trimEnd() };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: EXIT_FAILURE, reason: `Cannot ask ${host}:${port} for readiness: ${code ?? name}` };
  }
}

function askReadiness(host: string, port: number): Promise<{ status: number; failedChecks: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path: '/readyz', agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (incoming) => {
      const status = incoming.statusCode ?? 0;
      json(incoming).then((body) => resolve({ status, failedChecks: toFailedChecks(body) }), () => resolve({ status, failedChecks: [] }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function toFailedChecks(body: unknown): readonly string[] {
  const names = typeof body === 'object' && body !== null && 'failed_checks' in body ? body.failed_checks : [];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string' && CHECK_NAME.test(name)) : [];
}
