/** The clients send requests until the test stops the clients. */
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call, KEEP_ALIVE, type Answer, type CallOptions } from './http-client.ts';

const createTally = () => ({
  /** The ids of the requests that got a response. */
  answered: new Set<string>(),
  /** The requests with the status 503 or without a response. The outcome of these requests is unknown. */
  unknown: [] as string[],
  wrong: [] as string[],
  /** The created projects, each with the time of the response. */
  created: new Map<string, number>(),
});

type Tally = ReturnType<typeof createTally>;

/** Repeats a request until a server accepts the connection. Returns only responses of status `expected`. */
type Ask = (line: string, expected: number, options?: CallOptions) => Promise<Answer | undefined>;

/** `name` is different in each round. */
export type Round = (ask: Ask, name: string, tally: Tally) => Promise<unknown>;

const createAndRead: Round = async (ask, name, { created }) => {
  if (await ask('POST /api/v1/projects', 201, { json: { name, description: name } })) {
    created.set(name, performance.now());
    await ask(`GET /api/v1/projects/${name}`, 200);
  }
};

export function startClients(
  context: TestContext,
  { port, as, count, prefix, keepAlive = false, pauseMs = 0 }: {
    readonly port: number; readonly as: string; readonly count: number; readonly prefix: string;
    readonly keepAlive?: boolean; readonly pauseMs?: number;
  },
  round: Round = createAndRead,
) {
  const tally = createTally();
  const agent = keepAlive ? { agent: KEEP_ALIVE } : {};
  let isStopping = false;
  let sent = 0;

  const ask: Ask = async (line, expected, options) => {
    const id = `${prefix}-request-${sent += 1}`;
    while (!isStopping) {
      try {
        const answer = await call(port, line, { as, headers: { 'X-Request-Id': id }, ...agent, ...options });
        tally.answered.add(id);
        if (answer.status === expected) {
          return answer;
        }
        tally[answer.status === 503 ? 'unknown' : 'wrong'].push(`${id} ${line}: ${answer.text}`);
        return undefined;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED') {
          tally.unknown.push(`${id} ${line}: ${code}`);
          return undefined;
        }
        await pause(20);
      }
    }
    return undefined;
  };

  const clients = Array.from({ length: count }, async (_, client) => {
    for (let index = 1; !isStopping; index += 1) {
      await round(ask, `${prefix}-${client}-${index}`, tally);
      await pause(pauseMs);
    }
  });
  async function stop(): Promise<Tally> {
    isStopping = true;
    await Promise.all(clients);
    return tally;
  }
  context.after(stop);
  return { tally, stop };
}
