/**
 * Asks a cluster until one of its nodes answers or the time is over. Any node will do: one that does not lead passes the
 * request on to the one that does. Requests stay with one node while it answers, and go to the next when it does not.
 *
 * Everything in here may therefore reach the cluster more than once. `driver.ts` sends nothing that this would harm.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { createConnection } from './connection.ts';
import { readAnswer, type Answer, type StatementResult } from './messages.ts';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';

/** How long a request is tried: a new leader is elected in one to three seconds, and a caller should not wait for ever. */
const REQUEST_TIMEOUT_MS = 8_000;

/** How long a node may take for one attempt; a statement takes milliseconds, so it is frozen or cut off. */
const ATTEMPT_TIMEOUT_MS = 2_000;

/** Before the second attempt, doubled before each further one up to the maximum. */
const RETRY_PAUSE_MS = 25;
const RETRY_PAUSE_MS_MAX = 400;

/** While the cluster is away requests pile up; more than this many are turned away at once. */
const REQUESTS_PENDING_MAX = 1_000;

export interface RqliteCluster {
  /**
   * @param path - With a query, which is continued.
   * @returns The results of the statements in the body, and how many times the request was sent to have them.
   * @throws DatabaseUnavailableError when it is not known what became of the request, another error when it is refused.
   */
  ask(path: string, body: string): Promise<{ readonly results: readonly StatementResult[]; readonly attempts: number }>;
  /** Ends what is under way, as if the cluster did not answer. */
  close(): void;
}

export function createCluster(location: RqliteLocation): RqliteCluster {
  const connection = createConnection(location);
  let preferred: RqliteNode = location.nodes[0];
  let pending = 0;
  let isClosed = false;

  async function askRepeatedly(path: string, body: string) {
    const endsAtMs = performance.now() + REQUEST_TIMEOUT_MS;
    for (let attempts = 1; ; attempts += 1) {
      const answer = await askOnce(path, body, Math.min(ATTEMPT_TIMEOUT_MS, endsAtMs - performance.now()));
      if (answer.kind === 'answered') {
        return { results: answer.results, attempts };
      }
      if (answer.kind === 'refused' && attempts === 1) {
        throw new Error(`The database cluster refuses a request: ${answer.reason}`);
      }
      const pauseMs = Math.min(RETRY_PAUSE_MS * 2 ** (attempts - 1), RETRY_PAUSE_MS_MAX);
      if (answer.kind === 'refused' || isClosed || performance.now() + pauseMs >= endsAtMs) {
        throw new DatabaseUnavailableError(`No answer from the database cluster in ${attempts} attempts, the last: ${answer.reason}`);
      }
      await pause(pauseMs);
    }
  }

  async function askOnce(path: string, body: string, timeoutMs: number): Promise<Answer> {
    const node = preferred;
    const wholeMs = Math.ceil(timeoutMs);
    const answer = await connection
      .post(node, { path: `${path}&timeout=${wholeMs}ms`, body, timeoutMs: wholeMs })
      .then(readAnswer, (error: unknown): Answer => ({ kind: 'failed', reason: `${node.host}:${node.port}: ${String(error)}` }));
    if (answer.kind === 'failed' && preferred === node) { // unless another request that failed there has moved on already
      preferred = location.nodes[(location.nodes.indexOf(node) + 1) % location.nodes.length] ?? node;
    }
    return answer;
  }

  return {
    async ask(path, body) {
      if (isClosed || pending >= REQUESTS_PENDING_MAX) {
        throw new DatabaseUnavailableError(isClosed ? 'The database is closed' : `More than ${REQUESTS_PENDING_MAX} requests wait for the database cluster`);
      }
      pending += 1;
      try {
        return await askRepeatedly(path, body);
      } finally {
        pending -= 1;
      }
    },
    close() {
      isClosed = true;
      connection.close();
    },
  };
}
