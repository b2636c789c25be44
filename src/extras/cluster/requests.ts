/**
 * Sends requests to a cluster: once, or again until a node answers or the time is over. Any node accepts a
 * request, since followers forward it to the leader. A request may reach the cluster more than once, so
 * driver.ts sends only requests that are idempotent.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../database/database.ts';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';
import { createConnection } from './connection.ts';
import { readAnswer, type Answer } from './messages.ts';

interface Timeouts {
  /** How long a request is retried: a new leader is elected in one to three seconds. */
  readonly requestMs: number;
  /** The longest time of an attempt. A statement takes milliseconds: a slower node is frozen or cut off. */
  readonly attemptMs: number;
}

export const TIMEOUTS: Timeouts = { requestMs: 8_000, attemptMs: 2_000 };

/** The pause before the second attempt. The pause doubles before each further attempt, up to the maximum. */
const RETRY_PAUSE_MS = 25;
const RETRY_PAUSE_MS_MAX = 400;

/**
 * The node to ask. `leader` is a guess. When a node fails or forwards a request, the next node becomes the
 * guess, so the guess is soon right. `nearby` is a random node, and changes only after a failure.
 */
export type NodeChoice = 'leader' | 'nearby';

interface AskOptions {
  /**
   * The deadline on the clock `performance.now()`. At the deadline, the caller learns that there is no
   * answer.
   */
  readonly endsAtMs: number;
  /** Whether an earlier attempt, as part of another request, may have reached the cluster. */
  readonly mayBeApplied: boolean;
}

export type RqliteRequests = ReturnType<typeof createRequests>;

export function createRequests(location: RqliteLocation, { requestMs, attemptMs }: Timeouts) {
  const connection = createConnection(location);
  const [first] = location.nodes;
  const targets: Record<NodeChoice, RqliteNode> = {
    leader: first, nearby: location.nodes[randomInt(location.nodes.length)] ?? first,
  };
  let isClosed = false;

  async function attempt(
    target: NodeChoice, path: string, body: string, remainingMs = Infinity,
  ): Promise<Answer> {
    if (isClosed) {
      return { kind: 'failed', reason: 'the database is closed' };
    }
    const node = targets[target];
    const timeoutMs = Math.max(1, Math.ceil(Math.min(attemptMs, remainingMs)));
    try {
      const request = { path: `${path}&timeout=${timeoutMs}ms`, body, timeoutMs };
      const response = await connection.post(node, request);
      const answer = readAnswer(response);
      if (answer.kind === 'failed' || response.isForwarded) {
        leave(target, node);
      }
      return answer;
    } catch (error) {
      leave(target, node);
      return { kind: 'failed', reason: `${node.host}:${node.port}: ${String(error)}` };
    }
  }

  /** Lets later requests begin at the next node, unless another request has already changed the node. */
  function leave(target: NodeChoice, node: RqliteNode): void {
    if (targets[target] === node) {
      targets[target] = location.nodes[(location.nodes.indexOf(node) + 1) % location.nodes.length] ?? node;
    }
  }

  return {
    /** @returns The moment when a request made now is given up, on the clock `performance.now()`. */
    toDeadline: () => performance.now() + requestMs,

    /** Sends a request once, and never rejects. @param path - With a query; parameters are appended. */
    tryOnce: (target: NodeChoice, path: string, body: string) => attempt(target, path, body),

    /**
     * Sends a request until a node answers.
     *
     * @returns The results. If they come from a later attempt, an earlier attempt may have been applied.
     * @throws DatabaseUnavailableError when the outcome is not known, another error when the request is
     *   refused.
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
            `No answer from the database cluster in ${attempts} attempts; the last failed: ${answer.reason}`,
          );
        }
        await pause(pauseMs);
      }
    },

    /** Ends all requests with the outcome that they have when the cluster does not answer. */
    close(): void {
      isClosed = true;
      connection.close();
    },
  };
}
