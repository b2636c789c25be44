import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call, type CallOptions } from './http-client.ts';
import { findFreePort, listen } from './listen.ts';
import { toText } from './pages.ts';
import { read } from './project.ts';
import { createFolder } from './programs.ts';

export type ProxyName = 'nginx' | 'Caddy';

export async function startProxy(context: TestContext, name: ProxyName, rollcallPort: number) {
  const seen: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const program = createServer(async (incoming, outgoing) => {
    seen.push({ headers: incoming.headers, body: await text(incoming) });
    outgoing.end('seen');
  });
  const programPort = await listen(context, program);
  const { ask } = await startRecipe(context, name, rollcallPort, { ':3000': `:${programPort}` });
  return { call: ask, takeSeen: () => seen.splice(0) };
}

/**
 * @param recipe - The name of a configuration in the guide. All configurations except `Caddy` are for nginx.
 * @param places - Maps further addresses and paths in the guide to their replacements.
 */
export async function startRecipe(
  context: TestContext, recipe: string, rollcallPort: number, places: Readonly<Record<string, string>> = {},
) {
  const folder = createFolder(context);
  const port = await findFreePort();
  const shown = Object.entries({
    ...places, ':8080': `:${rollcallPort}`, '/var/log/nginx/': `${folder}/access-`,
  });
  const block = readBlock('Configuration', recipe);
  const guide = shown.reduce((text, [from, to]) => text.replaceAll(from, to), block);
  const file = join(folder, 'configuration');
  if (recipe === 'Caddy') {
    const site = guide.replace('wiki.example.org', `http://:${port}`);
    writeFileSync(file, `{\n  admin off\n  auto_https off\n}\n${site}\n`);
    await startProgram(context, port, 'caddy', ['run', '--adapter', 'caddyfile', '--config', file]);
  } else {
    const servers = guide.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace('include fastcgi_params', 'include /etc/nginx/fastcgi_params');
    await startNginx(context, folder, servers, port);
  }
  const readLog = () => readdirSync(folder).filter((name) => name.startsWith('access-'))
    .map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  return { port, readLog, ask: (line: string, options?: CallOptions) => call(port, line, options) };
}

export async function startNginx(
  context: TestContext, folder: string, servers: string, port: number,
): Promise<void> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `
    daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
    events {} http { ${temporary.join(' ')} ${servers} }`);
  await startProgram(context, port, 'nginx', ['-p', folder, '-c', file, '-e', 'stderr']);
}

export async function startProgram(
  context: TestContext, place: number | string, command: string, programArguments: readonly string[],
): Promise<void> {
  const folder = createFolder(context);
  const child = spawn(command, programArguments, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  context.after(() => child.kill('SIGKILL'));
  const errors = text(child.stderr);
  for (let tries = 0; !(await accepts(place)); tries += 1) {
    if (child.exitCode !== null || tries === 500) {
      child.kill('SIGKILL');
      assert.fail(`${command} does not listen: ${await errors}`);
    }
    await pause(20);
  }
}

export function readBlock(
  kind: 'Configuration' | 'Program' | 'Check', name: string, guide = 'programs.html',
): string {
  const page = read(`static/guides/${guide}`);
  const block = [...page.matchAll(/<pre aria-label="(\w+): ([^"]*)">([^]*?)<\/pre>/g)]
    .find(([, blockKind, blockName]) => blockKind === kind && blockName === name);
  assert.ok(block?.[3] !== undefined, `The guide has no ${kind}: ${name}`);
  return toText(block[3]);
}

export function accepts(place: number | string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
