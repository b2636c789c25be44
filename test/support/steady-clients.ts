/** Starts clients that retry refused connections. Every error except a refused connection is a failure. */
import { Agent } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from './http-client.ts';

const REFUSED_PAUSE_MS = 20;

export function startClients(
  context: TestContext,
  { port, as, count, keepAlive, prefix, pauseMs = 0 }: {
    readonly port: number; readonly as: string; readonly count: number; readonly keepAlive: boolean;
    readonly prefix: string; readonly pauseMs?: number;
  },
) {
  const agent = new Agent({ keepAlive });
  const tally = {
    /** The status of each response, by the id of its request. */
    answered: new Map<string, number>(),
    /** The requests that got no response or a wrong response. */
    failed: [] as string[],
    created: new Set<string>(),
  };
  let isStopping = false;

  async function ask(id: string, line: string, json?: object): Promise<number | undefined> {
    while (!isStopping) {
      try {
        const { status } = await call(port, line, { as, json, agent, headers: { 'X-Request-Id': id } });
        tally.answered.set(id, status);
        return status;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED') {
          tally.failed.push(`${id} ${line}: ${code}`);
          return undefined;
        }
        await pause(REFUSED_PAUSE_MS);
      }
    }
    return undefined;
  }

  async function run(client: number): Promise<void> {
    for (let index = 1; !isStopping; index += 1) {
      const name = `${prefix}-${client}-${index}`;
      const written = await ask(`${name}-write`, 'POST /api/v1/projects', { name, description: name });
      if (written === 201) {
        tally.created.add(name);
      }
      const read = written && (await ask(`${name}-read`, `GET /api/v1/projects/${name}`));
      if ((written ?? 201) !== 201 || (read ?? 200) !== 200) {
        tally.failed.push(`${name}: ${written} for the write, ${read} for the read`);
      }
      await pause(pauseMs);
    }
  }

  const clients = Array.from({ length: count }, (_, client) => run(client));
  async function stop() {
    isStopping = true;
    await Promise.all(clients);
    agent.destroy();
    return tally;
  }
  context.after(stop);
  return { tally, stop };
}
