/**
 * nginx and Caddy for tests, with the configurations that the guide shows, in front of a program that shows
 * the requests that it gets. Each starts on a free port, with its files in a temporary folder, and ends with
 * the test. Without these programs the tests are skipped with a reason; if `CI` is set, they fail instead.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call, type Answer, type CallOptions } from './http-client.ts';
import { listen } from './listen.ts';
import { read } from './project.ts';
import { createFolder } from './programs.ts';

export type ProxyName = 'nginx' | 'Caddy';

/** Which program runs a configuration of the guide, and what it needs around it. */
const PROXIES: Readonly<Record<ProxyName, {
  readonly program: string;
  readonly versionArgument: string;
  readonly argumentsFor: (file: string, folder: string) => readonly string[];
  readonly wrap: (guide: string, place: { readonly port: number; readonly folder: string }) => string;
}>> = {
  nginx: {
    program: 'nginx',
    versionArgument: '-v',
    argumentsFor: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
    wrap: (guide, { port, folder }) => `
daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    ${guide}
  }
}`,
  },
  Caddy: {
    program: 'caddy',
    versionArgument: 'version',
    argumentsFor: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    wrap: (guide, { port }) => `
{
  admin off
  auto_https off
}
${guide.replace('wiki.example.org', `http://:${port}`)}`,
  },
};

/**
 * @returns The reason to skip a test with the proxy, or `false`. @throws If it is missing and `CI` is set.
 */
export function skipWithout(name: ProxyName): string | false {
  const { program, versionArgument } = PROXIES[name];
  const isInstalled = spawnSync(program, [versionArgument]).status === 0;
  if (!isInstalled && process.env['CI']) {
    throw new Error(`Tests with ${program} must not be skipped where CI is set`);
  }
  const advice = 'Debian has the packages nginx-light and caddy';
  return isInstalled ? false : `there is no ${program} on PATH (${advice})`;
}

/** A request as the program behind the proxy got it. */
export interface SeenRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Proxied {
  call(line: string, options?: CallOptions): Promise<Answer>;
  /** Takes the requests that the program got since the last time. */
  takeSeen(): readonly SeenRequest[];
}

/**
 * Starts a program, and the proxy in front of it.
 *
 * @param rollcallPort - The port of the service that the proxy asks.
 */
export async function startProxy(
  context: TestContext, name: ProxyName, rollcallPort: number,
): Promise<Proxied> {
  const seen: SeenRequest[] = [];
  const program = createServer(async (incoming, outgoing) => {
    const { method = '', headers } = incoming;
    seen.push({ method, headers, body: (await buffer(incoming)).toString('utf8') });
    outgoing.end('seen');
  });
  const programPort = await listen(context, program);
  const folder = createFolder(context);
  const port = await findFreePort();
  const file = join(folder, 'configuration');
  const { program: command, argumentsFor, wrap } = PROXIES[name];
  const guide = readBlock('Configuration', name)
    .replaceAll(':8080', `:${rollcallPort}`).replaceAll(':3000', `:${programPort}`);
  writeFileSync(file, wrap(guide, { port, folder }));
  const child = spawn(command, argumentsFor(file, folder), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  context.after(() => child.kill('SIGKILL'));
  const errors = text(child.stderr);
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (child.exitCode !== null || tries === 500) {
      child.kill('SIGKILL');
      assert.fail(`${command} does not listen: ${await errors}`);
    }
    await pause(20);
  }
  return {
    call: (line, options) => call(port, line, options),
    takeSeen: () => seen.splice(0),
  };
}

/** Reads a block of the guide. @param kind - The first word of its label. */
export function readBlock(kind: 'Configuration' | 'Program' | 'Check', name: string): string {
  const page = read('static/guides/programs.html');
  const block = [...page.matchAll(/aria-label="(\w+): ([^"]*)"\s*><code\s*>([^]*?)<\/code/g)]
    .find(([, blockKind, blockName]) => blockKind === kind && blockName === name);
  assert.ok(block?.[3] !== undefined, `The guide has no ${kind}: ${name}`);
  return block[3].replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Another program could take the port before the proxy does; the test then fails. */
export async function findFreePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
