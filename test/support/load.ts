/**
 * Puts load on services during faults. Some clients create projects with unique names. Other clients issue
 * and revoke tokens, and try the revoked tokens at all services.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { call, type Answer, type CallOptions } from './http-client.ts';

export interface Tally {
  /** The names of projects whose creation got a 201. */
  readonly acknowledged: Set<string>;
  /** The number of requests with an unknown outcome: 503, or no response. */
  unknown: number;
  /** Responses that are certainly wrong, such as "taken" for a unique name. */
  readonly wrong: string[];
  /** The tokens whose revocation got a 200. */
  readonly revoked: string[];
  /** The number of requests with revoked tokens, and of those that were accepted. */
  checks: number;
  letIn: number;
  /** The time of the last acknowledged write, and the longest time between two such writes. */
  lastWriteAtMs: number;
  longestGapMs: number;
}

const WRITERS_PER_PORT = 4;

/** Without this pause, a client that gets no response would flood a dead service. */
const PAUSE_MS = 20;

/** The number of recently revoked tokens that a client tries at all services. */
const REVOKED_TRIED_MAX = 5;

export function startLoad(ports: readonly number[], as: string) {
  const tally: Tally = {
    acknowledged: new Set(), unknown: 0, wrong: [], revoked: [], checks: 0, letIn: 0,
    lastWriteAtMs: performance.now(), longestGapMs: 0,
  };
  let isStopping = false;

  async function ask(port: number, line: string, options: CallOptions): Promise<Answer | undefined> {
    const answer = await call(port, line, options).catch(() => undefined);
    if (answer === undefined || answer.status === 503) {
      tally.unknown += 1;
      await pause(PAUSE_MS);
      return undefined;
    }
    return answer;
  }

  async function write(port: number, writer: number): Promise<void> {
    for (let index = 1; !isStopping; index += 1) {
      const name = `project-${port}-${writer}-${index}`;
      const answer = await ask(port, 'POST /api/v1/projects', { as, json: { name, description: name } });
      if (answer?.status === 201) {
        tally.acknowledged.add(name);
        const now = performance.now();
        tally.longestGapMs = Math.max(tally.longestGapMs, now - tally.lastWriteAtMs);
        tally.lastWriteAtMs = now;
      } else if (answer !== undefined) {
        tally.wrong.push(`${answer.status} for the new name ${name}: ${answer.text}`);
      }
    }
  }

  async function revoke(port: number): Promise<void> {
    while (!isStopping) {
      const issued = await ask(port, 'POST /api/v1/token', { as });
      if (issued?.status === 201) {
        const token = `Bearer ${issued.json['token']}`;
        const answer = await ask(port, 'DELETE /api/v1/token', { as: token });
        if (answer?.status === 200) {
          tally.revoked.push(token);
        } else if (answer !== undefined) {
          tally.wrong.push(`${answer.status} for a revocation: ${answer.text}`);
        }
      }
      await tryRevoked();
    }
  }

  async function tryRevoked(): Promise<void> {
    for (const token of tally.revoked.slice(-REVOKED_TRIED_MAX)) {
      const answers = await Promise.all(
        ports.map((port) => ask(port, 'GET /api/v1/users?items_per_page=1', { as: token })),
      );
      tally.checks += answers.filter((answer) => answer !== undefined).length;
      tally.letIn += answers.filter((answer) => answer?.status === 200).length;
    }
  }

  const clients = ports.flatMap((port) => [
    ...Array.from({ length: WRITERS_PER_PORT }, (_, writer) => write(port, writer)),
    revoke(port),
  ]);
  return {
    tally,
    async stop(): Promise<Tally> {
      isStopping = true;
      await Promise.all(clients);
      return tally;
    },
  };
}
