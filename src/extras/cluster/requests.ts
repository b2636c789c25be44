/**
 * Sends a request to a cluster once, or repeatedly until a node answers or the time is up. Followers forward
 * requests to the leader. A request must be idempotent, because it can reach the cluster repeatedly.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../database/database.ts';
import type { Connection } from './connection.ts';
import type { Answer } from './messages.ts';

export const TIMEOUTS = {
  /** The maximum time for all attempts together. To elect a leader, nodes need up to three seconds. */
  requestMs: 8_000,
  /** The maximum time for one attempt. A node without faults answers within milliseconds. */
  attemptMs: 2_000,
};

/** The first pause. The pause doubles after each attempt, up to the maximum. */
const RETRY_PAUSE_MS = 25;
const RETRY_PAUSE_MS_MAX = 400;

/**
 * At the start, `leader` means the first node of the list, and `nearby` means a random node. If a request to
 * the chosen node fails, or if the node forwards the request, the next node of the list is chosen. After a
 * few requests, `leader` means the node that leads the cluster.
 */
export type NodeChoice = 'leader' | 'nearby';

interface AskOptions {
  /** The deadline for all attempts, as a value of `performance.now()`. */
  readonly endsAtMs: number;
  /** True if the cluster may have applied the batch already, as a part of a shared request. */
  readonly mayBeApplied?: boolean;
}

export type RqliteRequests = ReturnType<typeof createRequests>;

export function createRequests(connection: Connection, { requestMs, attemptMs }: typeof TIMEOUTS) {
  const { nodes, nodes: [first] } = connection;
  const targets = { leader: first, nearby: nodes[randomInt(nodes.length)] ?? first };
  let isClosed = false;

  /** Never rejects. @param path - Must have a query, because `&timeout=…` is appended to the path. */
  async function tryOnce(
    target: NodeChoice, path: string, body: string, remainingMs = Infinity,
  ): Promise<Answer> {
    if (isClosed) {
      return { kind: 'failed', reason: 'the database is closed' };
    }
    const node = targets[target];
    const timeoutMs = Math.max(1, Math.ceil(Math.min(attemptMs, remainingMs)));
    const answer = await connection.post(node, `${path}&timeout=${timeoutMs}ms`, body, timeoutMs);
    // Later requests go to the next node, unless another request has already changed the target.
    if ((answer.kind === 'failed' || answer.isForwarded) && targets[target] === node) {
      targets[target] = nodes[(nodes.indexOf(node) + 1) % nodes.length] ?? first;
    }
    return answer.kind === 'failed'
      ? { kind: 'failed', reason: `${node.host}:${node.port}: ${answer.reason}` }
      : answer;
  }

  return {
    toDeadline: () => performance.now() + requestMs,

    tryOnce,

    /**
     * Repeats a request until a node answers. If the cluster may have applied an earlier attempt,
     * `isFirstAttempt` is false.
     *
     * @throws DatabaseUnavailableError if the outcome is unknown, or another error for a refused request.
     */
    async ask(path: string, body: string, { endsAtMs, mayBeApplied = false }: AskOptions) {
      for (let attempts = 1; ; attempts += 1) {
        const isFirstAttempt = attempts === 1 && !mayBeApplied;
        const answer = await tryOnce('leader', path, body, endsAtMs - performance.now());
        if (answer.kind === 'answered') {
          return { results: answer.results, isFirstAttempt };
        }
        if (answer.kind === 'refused' && isFirstAttempt) {
          throw new Error(`The database cluster refused a request: ${answer.reason}`);
        }
        const pauseMs = Math.min(RETRY_PAUSE_MS * 2 ** (attempts - 1), RETRY_PAUSE_MS_MAX);
        if (answer.kind === 'refused' || isClosed || performance.now() + pauseMs >= endsAtMs) {
          throw new DatabaseUnavailableError(
            `No answer from the database cluster in ${attempts} attempts; last failure: ${answer.reason}`,
          );
        }
        await pause(pauseMs);
      }
    },

    /** Ends all requests. Callers get the same error as if the cluster did not answer. */
    close(): void {
      isClosed = true;
      connection.close();
    },
  };
}
