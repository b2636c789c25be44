/**
 * Sends a request to a cluster: either once, or until a node answers or the time is over. Followers forward
 * requests to the leader. A request may reach the cluster more than once, so requests must be idempotent.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../database/database.ts';
import type { RqliteNode } from '../../database/location.ts';
import type { Connection } from './connection.ts';
import type { Answer } from './messages.ts';

interface Timeouts {
  /** The time for all attempts of a request: enough to elect a leader, which takes one to three seconds. */
  readonly requestMs: number;
  /** The time for one attempt: a statement takes milliseconds, so a slower node is frozen or cut off. */
  readonly attemptMs: number;
}

export const TIMEOUTS: Timeouts = { requestMs: 8_000, attemptMs: 2_000 };

/** The first pause between attempts. After each attempt, the pause is doubled, up to the maximum. */
const RETRY_PAUSE_MS = 25;
const RETRY_PAUSE_MS_MAX = 400;

/**
 * `leader` begins as the first node of the list, and `nearby` as a random node. The next node of the list
 * takes the place of a node that fails or forwards a request, so the true leader is soon found.
 */
export type NodeChoice = 'leader' | 'nearby';

interface AskOptions {
  /** The time at which the request is given up, on the clock `performance.now()`. */
  readonly endsAtMs: number;
  /** True if the content of this request may have reached the cluster before, in a shared request. */
  readonly mayBeApplied: boolean;
}

export type RqliteRequests = ReturnType<typeof createRequests>;

export function createRequests(connection: Connection, { requestMs, attemptMs }: Timeouts) {
  const { nodes, nodes: [first] } = connection;
  const targets = { leader: first, nearby: nodes[randomInt(nodes.length)] ?? first };
  let isClosed = false;

  async function attempt(
    target: NodeChoice, path: string, body: string, remainingMs = Infinity,
  ): Promise<Answer> {
    if (isClosed) {
      return { kind: 'failed', reason: 'the database is closed' };
    }
    const node = targets[target];
    const timeoutMs = Math.max(1, Math.ceil(Math.min(attemptMs, remainingMs)));
    const { answer, isForwarded } = await connection.post(
      node, `${path}&timeout=${timeoutMs}ms`, body, timeoutMs,
    );
    if (answer.kind === 'failed' || isForwarded) {
      leave(target, node);
    }
    return answer.kind === 'failed'
      ? { kind: 'failed', reason: `${node.host}:${node.port}: ${answer.reason}` }
      : answer;
  }

  /** Replaces a target by the next node, unless another request has replaced the target already. */
  function leave(target: NodeChoice, node: RqliteNode): void {
    if (targets[target] === node) {
      targets[target] = nodes[(nodes.indexOf(node) + 1) % nodes.length] ?? first;
    }
  }

  return {
    /** The time at which a request that begins now is given up. */
    toDeadline: () => performance.now() + requestMs,

    /** Never rejects. @param path - A path with a query, to which a parameter is appended. */
    tryOnce: (target: NodeChoice, path: string, body: string) => attempt(target, path, body),

    /**
     * Repeats a request until a node answers. Unless `isFirstAttempt`, an earlier attempt may have been
     * applied, too.
     *
     * @throws DatabaseUnavailableError for an unknown outcome, and another error for a refusal.
     */
    async ask(path: string, body: string, { endsAtMs, mayBeApplied }: AskOptions) {
      for (let attempts = 1; ; attempts += 1) {
        const isFirstAttempt = attempts === 1 && !mayBeApplied;
        const answer = await attempt('leader', path, body, endsAtMs - performance.now());
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

    /** Ends all requests as if the cluster did not answer. */
    close(): void {
      isClosed = true;
      connection.close();
    },
  };
}
