/**
 * Sends requests to a cluster: once, or again until a node answers or the time is over. Any node accepts a
 * request, since followers forward it to the leader. Requests stay with a node while it answers them itself.
 * They move to the next node when a node does not answer, or is not the leader.
 *
 * A request may therefore reach the cluster more than once. `driver.ts` sends only requests that are
 * idempotent.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../database/database.ts';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';
import { createConnection, type RqliteRequest, type RqliteResponse } from './connection.ts';
import { readAnswer, type Answer, type StatementResult } from './messages.ts';

/** How long a request is retried: a new leader is elected in one to three seconds. */
export const REQUEST_TIMEOUT_MS = 8_000;

/**
 * The longest time for one attempt at one node. A statement takes milliseconds, so a slower node is frozen or
 * cut off.
 */
const ATTEMPT_TIMEOUT_MS = 2_000;

/** The pause before the second attempt. It doubles before each further one, up to the maximum. */
const RETRY_PAUSE_MS = 25;
const RETRY_PAUSE_MS_MAX = 400;

/**
 * The most requests that wait. Requests pile up while the cluster is unreachable; beyond this number, they
 * are refused at once.
 */
export const REQUESTS_WAITING_MAX = 1_000;

export const STRONG_PATH = '/db/query?level=strong';
export const WEAK_PATH = '/db/query?level=weak';

const CLOSED: Answer = { kind: 'failed', reason: 'the database is closed' };
const NO_ANSWER = Promise.resolve(undefined);

interface AskOptions {
  /** The deadline on the clock `performance.now()`. The caller then learns that there is no answer. */
  readonly endsAtMs: number;
  /** Whether an earlier attempt, as part of another request, may have reached the cluster. */
  readonly mayBeApplied: boolean;
}

interface RqliteReply {
  readonly results: readonly StatementResult[];
  readonly isFirstAttempt: boolean;
}

interface AnswersInTurn {
  readonly first: Answer;
  readonly second: Promise<Answer | undefined>;
}

export interface RqliteRequests {
  /**
   * Sends a request once, and never rejects. @param path - A path with a query, to which parameters are
   * appended.
   */
  tryOnce(path: string, body: string): Promise<Answer>;

  /**
   * Sends a request once like `tryOnce`, and then questions at level `weak` on the same connection. Their
   * answers include all that the first request wrote or waited for (see driver.ts).
   *
   * @param toQuestions - Makes the body of the questions from the results of the first request, or
   *   `undefined` for none.
   * @returns The first answer, and the second when it arrives. The second is `undefined` without questions,
   *   or when another node or process may have answered them, so that nothing is guaranteed.
   */
  tryInTurn(
    path: string, body: string, toQuestions: (results: readonly StatementResult[]) => string | undefined,
  ): Promise<AnswersInTurn>;

  /**
   * Sends a request once to the nearby node, and never rejects. Only for requests that any node may answer.
   */
  tryNearby(path: string, body: string): Promise<Answer>;

  /**
   * Sends a request until a node answers.
   *
   * @returns The results of the statements in the body, and whether this was the first attempt. If not, an
   *   earlier attempt may have been applied without an answer.
   * @throws DatabaseUnavailableError when the outcome is not known, another error when the request is
   *   refused.
   */
  ask(path: string, body: string, options?: AskOptions): Promise<RqliteReply>;

  /** Ends all requests with the same outcome as if the cluster did not answer. */
  close(): void;
}

export function createRequests(location: RqliteLocation): RqliteRequests {
  const connection = createConnection(location);
  let preferred: RqliteNode = location.nodes[0];
  let nearby = location.nodes[randomInt(location.nodes.length)] ?? preferred; // spreads the copies
  let waiting = 0;
  let isClosed = false;

  async function askRepeatedly(path: string, body: string, options: AskOptions): Promise<RqliteReply> {
    for (let attempts = 1; ; attempts += 1) {
      const isFirstAttempt = attempts === 1 && !options.mayBeApplied;
      const answer = await attempt(path, body, options.endsAtMs - performance.now());
      if (answer.kind === 'answered') {
        return { results: answer.results, isFirstAttempt };
      }
      if (answer.kind === 'refused' && isFirstAttempt) {
        throw new Error(`The database cluster refuses a request: ${answer.reason}`);
      }
      const pauseMs = Math.min(RETRY_PAUSE_MS * 2 ** (attempts - 1), RETRY_PAUSE_MS_MAX);
      if (answer.kind === 'refused' || isClosed || performance.now() + pauseMs >= options.endsAtMs) {
        throw new DatabaseUnavailableError(
          `No answer from the database cluster in ${attempts} attempts, the last: ${answer.reason}`,
        );
      }
      await pause(pauseMs);
    }
  }

  async function attempt(path: string, body: string, remainingMs = Infinity): Promise<Answer> {
    if (isClosed) {
      return CLOSED;
    }
    const node = preferred;
    try {
      const response = await connection.post(node, toRequest(path, body, remainingMs));
      const answer = readAnswer(response);
      if (answer.kind === 'failed' || response.isForwarded) {
        leave(node);
      }
      return answer;
    } catch (error) {
      leave(node);
      return toFailure(node, error);
    }
  }

  /** Lets later requests begin at the next node, unless another request has moved on already. */
  function leave(node: RqliteNode): void {
    if (preferred === node) {
      preferred = nextTo(node);
    }
  }

  function nextTo(node: RqliteNode): RqliteNode {
    return location.nodes[(location.nodes.indexOf(node) + 1) % location.nodes.length] ?? node;
  }

  async function tryNearby(path: string, body: string): Promise<Answer> {
    if (isClosed) {
      return CLOSED;
    }
    const node = nearby;
    const posted = connection.post(node, toRequest(path, body));
    const answer = await posted.then(readAnswer, (error: unknown) => toFailure(node, error));
    if (answer.kind !== 'answered' && nearby === node) {
      nearby = nextTo(node);
    }
    return answer;
  }

  async function tryInTurn(
    path: string, body: string, toQuestions: (results: readonly StatementResult[]) => string | undefined,
  ): Promise<AnswersInTurn> {
    const node = preferred;
    if (isClosed) {
      return { first: CLOSED, second: NO_ANSWER };
    }
    try {
      const [first, second] = await connection.postInTurn(node, toRequest(path, body), (response) => {
        const answer = readAnswer(response);
        const isOwn = answer.kind === 'answered' && !response.isForwarded;
        const questions = isOwn ? toQuestions(answer.results) : undefined;
        if (answer.kind === 'failed' || response.isForwarded) {
          leave(node);
        }
        const next = questions === undefined ? undefined : toRequest(WEAK_PATH, questions);
        return [{ answer, hasNext: next !== undefined }, next];
      });
      return {
        first: first.answer,
        second: first.hasNext ? second.then((response) => readOwn(node, response)) : NO_ANSWER,
      };
    } catch (error) {
      leave(node);
      return { first: toFailure(node, error), second: NO_ANSWER };
    }
  }

  /** @returns The answer, if the node gave one, and gave it itself. */
  function readOwn(node: RqliteNode, response: RqliteResponse | undefined): Answer | undefined {
    const answer = response?.isForwarded === false ? readAnswer(response) : undefined;
    if (answer?.kind === 'answered') {
      return answer;
    }
    leave(node);
    return undefined;
  }

  return {
    tryOnce: (path, body) => attempt(path, body),
    tryInTurn,
    tryNearby,
    async ask(path, body, options = toDefaultOptions()) {
      if (waiting >= REQUESTS_WAITING_MAX) {
        const reason = `More than ${REQUESTS_WAITING_MAX} requests wait for the database cluster`;
        throw new DatabaseUnavailableError(reason);
      }
      waiting += 1;
      try {
        return await askRepeatedly(path, body, options);
      } finally {
        waiting -= 1;
      }
    },
    close() {
      isClosed = true;
      connection.close();
    },
  };
}

function toDefaultOptions(): AskOptions {
  return { mayBeApplied: false, endsAtMs: performance.now() + REQUEST_TIMEOUT_MS };
}

function toFailure({ host, port }: RqliteNode, error: unknown): Answer {
  return { kind: 'failed', reason: `${host}:${port}: ${String(error)}` };
}

function toRequest(path: string, body: string, remainingMs = Infinity): RqliteRequest {
  const timeoutMs = Math.max(1, Math.ceil(Math.min(ATTEMPT_TIMEOUT_MS, remainingMs)));
  return { path: `${path}&timeout=${timeoutMs}ms`, body, timeoutMs };
}
