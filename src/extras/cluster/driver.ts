/**
 * The driver for a cluster: SQLite replicated by Raft, spoken to over rqlite's HTTP API (rqlite.io/docs/api).
 *
 * Reads. `linearizable` is rqlite's level `strong`, which takes the question through the log of the cluster
 * like a write. So a leader cannot answer if it was deposed without knowing it, because it was frozen or cut
 * off. rqlite's own level `linearizable` would be cheaper, but versions before 8.32 silently take the word
 * for `weak`. Reads are idempotent, so they are retried.
 *
 * Reads that wait at the same time share one request, and one entry of the log. Equal questions are asked
 * once (groups.ts). An answer is never older than its question: a question joins only a request that is not
 * yet sent. So the entry follows every write that was acknowledged before the question was asked.
 *
 * Several questions go behind a barrier: a strong read of nothing, then the questions at level `weak`,
 * answered by the same process. The barrier is an entry that follows every write acknowledged before, and the
 * leader has applied it when it answers. A process only ever applies further entries, so whatever it answers
 * afterwards includes those writes, whether or not it still leads. Two events would break this guarantee. The
 * node forwards one of the two requests, as its header says. Or the connection is lost in between: the
 * process may have been restarted and be reading its log again. After either event the questions are asked
 * again at level `strong`. So `DATABASE_URL` names nodes, never a proxy that distributes the requests of a
 * connection.
 *
 * `recent` reads scale with the nodes: any node answers from what it has (level `none`), on two conditions.
 * It heard of the leader within the last second, and it holds the tickets of the latest writes of this
 * process (own-writes.ts). Each copy stays with one node, so a later list is not older than an earlier one.
 * Otherwise the leader answers (level `weak`).
 *
 * Writes. Without an answer it is unknown whether a write took effect. Each batch carries a ticket
 * (batch.ts), so it can be sent again without taking effect twice. If an earlier attempt turns out to have
 * been applied, the batch is acknowledged, unless it returns rows: those are lost, and the caller is told
 * that the outcome is unknown. Queued writes are not used, because rqlite acknowledges them before they are
 * durable.
 *
 * Batches that wait at the same time share one request, one transaction and one entry of the log.
 * - Atomic: the transaction holds whole batches, one after the other; all take effect or none does.
 * - Independent: if a statement is refused, the whole transaction is undone, and each of its batches is sent
 *   alone. So a refused batch undoes no other batch, and no batch is acknowledged or refused for the sake of
 *   another.
 * - Once: each batch has a ticket of its own. A shared request is never retried. If its answer is lost, each
 *   batch is sent alone with the same ticket; a late copy of the shared request then fails on that ticket as
 *   a whole.
 * - Durable: a shared request is answered only when its entry is in the log, like the request of one batch.
 */
import { randomUUID } from 'node:crypto';
import {
  DatabaseUnavailableError, type Consistency, type Database, type Row, type Statement,
} from '../../database/database.ts';
import type { RqliteLocation } from '../../database/location.ts';
import {
  createBatch, CREATE_TICKETS, PRUNE_TICKETS, readGroupOutcome, returnsRows, toPreparation, toReturnedRows,
  toTicketCount, toTicketStatements, type Batch,
} from './batch.ts';
import { createGroups, type GroupItem, type GroupResult } from './groups.ts';
import { encodeStatement, toRows, type StatementResult } from './messages.ts';
import { findNodesWithoutForeignKeys } from './nodes.ts';
import { createOwnWrites } from './own-writes.ts';
import {
  createRequests, REQUEST_TIMEOUT_MS, REQUESTS_WAITING_MAX, STRONG_PATH, type RqliteRequests,
} from './requests.ts';

const RECENT_PATH = '/db/query?level=none&freshness=1s&freshness_strict';
const WEAK_PATH = '/db/query?level=weak';

/**
 * Limits of a group. With more requests in flight, groups would be smaller. With one, an item would first
 * wait for a whole request.
 */
const LIMITS = { requestsMax: 2, charactersMax: 262_144, waitingMax: REQUESTS_WAITING_MAX };
const READ_LIMITS = { ...LIMITS, itemsMax: 256 };
const WRITE_LIMITS = { ...LIMITS, itemsMax: 64 };

/** The fewest questions for which a barrier saves more than it costs. */
const QUESTIONS_BEHIND_BARRIER_MIN = 4;

/**
 * The most statements that this process remembers as prepared. The service has far fewer. Beyond this number,
 * all are forgotten, and prepared again.
 */
const PREPARED_MAX = 1_000;

interface Question extends GroupItem {
  readonly endsAtMs: number;
}

interface WaitingBatch extends GroupItem {
  readonly batch: Batch;
  readonly endsAtMs: number;
  /** The time of the request, on the counter of own-writes.ts. */
  readonly askedAt: number;
}

type BatchOutcome =
  | { readonly kind: 'applied'; readonly results: readonly StatementResult[] }
  /** One statement of the batch was refused, and none took effect. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * @throws When the cluster cannot be reached, refuses the credentials, or a node does not enforce foreign
 * keys.
 */
export async function openRqlite(location: RqliteLocation): Promise<Database> {
  const requests = createRequests(location);
  try {
    const { path, statements } = createBatch(randomUUID(), [CREATE_TICKETS, PRUNE_TICKETS]);
    const { results } = await requests.ask(path, toBody(statements.map(encodeStatement)));
    results.forEach(assertAccepted);
    const nodes = await findNodesWithoutForeignKeys(location);
    if (nodes.length > 0) {
      const names = nodes.join(', ');
      throw new Error(`${names} without foreign keys: expected every rqlited to be started with -fk`);
    }
    return new RqliteDatabase(requests);
  } catch (error) {
    requests.close();
    throw error;
  }
}

class RqliteDatabase implements Database {
  readonly #requests: RqliteRequests;
  readonly #ask: (question: Question) => Promise<StatementResult>;
  /** Batches with the same path share requests. */
  readonly #applyByPath = new Map<Batch['path'], (batch: WaitingBatch) => Promise<BatchOutcome>>();
  /** The text of statements that have been prepared before. */
  readonly #prepared = new Set<string>();
  readonly #ownWrites = createOwnWrites();
  /** Tickets that are no longer needed; the next write removes them. */
  #settled: readonly string[] = [];

  constructor(requests: RqliteRequests) {
    this.#requests = requests;
    this.#ask = createGroups<Question, StatementResult>(READ_LIMITS, {
      sendGroup: (questions) => this.#askGroup(questions),
      sendAlone: (question) => this.#askUntilAnswered(STRONG_PATH, question),
    });
  }

  async read(statement: Statement, consistency: Consistency = 'linearizable'): Promise<readonly Row[]> {
    const text = encodeStatement(statement);
    const question = { key: text, text, endsAtMs: performance.now() + REQUEST_TIMEOUT_MS };
    const result = await (consistency === 'recent' ? this.#askNearby(question) : this.#ask(question));
    return toRows(assertAccepted(result));
  }

  async write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (statements.length === 0) {
      return [];
    }
    const batch = createBatch(randomUUID(), statements);
    await this.#prepare(batch);
    const outcome = await this.#apply({
      key: batch.ticket,
      text: statements.map(encodeStatement).join(),
      batch,
      askedAt: this.#ownWrites.now(),
      endsAtMs: performance.now() + REQUEST_TIMEOUT_MS,
    });
    if (outcome.kind === 'refused') {
      throw new Error(`The database cluster refuses a statement: ${outcome.reason}`);
    }
    return statements.map((statement, index) => toReturnedRows(statement, outcome.results[index]));
  }

  /** @throws When one of the statements cannot be prepared. */
  async #prepare(batch: Batch): Promise<void> {
    const statements = toPreparation(batch).filter(({ sql }) => !this.#prepared.has(sql));
    await this.write(statements);
    if (this.#prepared.size > PREPARED_MAX) {
      this.#prepared.clear();
    }
    statements.forEach(({ sql }) => this.#prepared.add(sql));
  }

  #apply(waiting: WaitingBatch): Promise<BatchOutcome> {
    const { path } = waiting.batch;
    const apply = this.#applyByPath.get(path) ?? createGroups<WaitingBatch, BatchOutcome>(WRITE_LIMITS, {
      sendGroup: (batches) => this.#applyGroup(path, batches),
      sendAlone: (batch, earlier) => this.#applyAlone(batch, earlier),
    });
    this.#applyByPath.set(path, apply);
    return apply(waiting);
  }

  measure(): undefined {}

  /** Does nothing: the nodes trim their logs themselves. */
  async trimLog(): Promise<void> {}

  async close(): Promise<void> {
    this.#requests.close();
  }

  async #askGroup(questions: readonly Question[]): Promise<readonly GroupResult<StatementResult>[]> {
    const body = toBody(questions.map(({ text }) => text));
    const isWorthBarrier = questions.length >= QUESTIONS_BEHIND_BARRIER_MIN;
    const answer = (isWorthBarrier ? await this.#requests.tryBehindBarrier(body) : undefined)
      ?? await this.#requests.tryOnce(STRONG_PATH, body);
    const results = answer.kind === 'answered' ? answer.results : [];
    return questions.map((_, index) => toGroupResult(results[index]));
  }

  async #askNearby(question: Question): Promise<StatementResult> {
    const tickets = this.#ownWrites.latest();
    const body = toBody([encodeStatement(toTicketCount(tickets)), question.text]);
    const answer = await this.#requests.tryNearby(RECENT_PATH, body);
    const [count, result] = answer.kind === 'answered' ? answer.results : [];
    const isRecent = count?.values[0]?.[0] === tickets.length;
    return isRecent && result !== undefined ? result : this.#askUntilAnswered(WEAK_PATH, question);
  }

  async #askUntilAnswered(path: string, { text, endsAtMs }: Question): Promise<StatementResult> {
    const options = { mayBeApplied: false, endsAtMs };
    const { results: [result] } = await this.#requests.ask(path, toBody([text]), options);
    if (result === undefined) {
      throw new Error('The database cluster answered without a result');
    }
    return result;
  }

  async #applyGroup(
    path: string, waiting: readonly WaitingBatch[],
  ): Promise<readonly GroupResult<BatchOutcome>[]> {
    const batches = waiting.map(({ batch }) => batch);
    const settled = this.#settled;
    this.#settled = [];
    const sentAt = this.#ownWrites.now();
    const answer = await this.#requests.tryOnce(path, toWriteBody(waiting, settled));
    if (answer.kind !== 'answered') {
      this.#settled = [...this.#settled, ...settled];
      return batches.map(() => ({ kind: 'send-alone', mayBeApplied: answer.kind === 'failed' }));
    }
    const outcome = readGroupOutcome(batches, answer.results);
    switch (outcome.kind) {
      case 'applied':
        this.#acknowledge(batches, { sentAt, hasCopies: false });
        return outcome.results.map((results) => ({ kind: 'known', outcome: { kind: 'applied', results } }));
      case 'refused':
        return batches.length === 1
          ? [{ kind: 'known', outcome }]
          : batches.map(() => ({ kind: 'send-alone', mayBeApplied: false }));
      case 'ticket-refused':
      case 'unknown':
        return batches.map(() => ({ kind: 'send-alone', mayBeApplied: true }));
    }
  }

  async #applyAlone(
    waiting: WaitingBatch, earlier: { readonly mayBeApplied: boolean },
  ): Promise<BatchOutcome> {
    const { batch, endsAtMs, askedAt: sentAt } = waiting; // since an earlier attempt may be the one applied
    const { results, isFirstAttempt } = await this.#requests.ask(
      batch.path, toWriteBody([waiting], []), { ...earlier, endsAtMs },
    );
    const outcome = readGroupOutcome([batch], results);
    if (outcome.kind === 'applied') {
      this.#acknowledge([batch], { sentAt, hasCopies: !isFirstAttempt });
      return { kind: 'applied', results: outcome.results[0] ?? [] };
    }
    if (outcome.kind === 'refused' && isFirstAttempt) {
      return outcome;
    }
    const isAcknowledged = outcome.kind === 'ticket-refused' && !batch.statements.some(returnsRows);
    if (isAcknowledged && (await this.#isApplied(batch))) {
      this.#acknowledge([batch], { sentAt, hasCopies: true });
      return { kind: 'applied', results: [] };
    }
    const { reason } = outcome;
    throw new DatabaseUnavailableError(`An earlier attempt has an unknown outcome; the last one: ${reason}`);
  }

  /** Keeps the first ticket while nodes must show that they hold it, and gives up the other tickets. */
  #acknowledge(
    batches: readonly Batch[], write: { readonly sentAt: number; readonly hasCopies: boolean },
  ): void {
    const [ticket = '', ...others] = batches.map((batch) => batch.ticket);
    this.#settled = [...this.#settled, ...others, ...this.#ownWrites.acknowledge({ ...write, ticket })];
  }

  async #isApplied({ ticket }: Batch): Promise<boolean> {
    const [row] = await this.read(toTicketCount([ticket]));
    return row?.['count'] === 1;
  }
}

/** @returns The result of a statement that was not refused. */
function assertAccepted(result: StatementResult): StatementResult {
  if (result.error !== undefined) {
    throw new Error(`The database cluster refuses a statement: ${result.error}`);
  }
  return result;
}

function toGroupResult(outcome: StatementResult | undefined): GroupResult<StatementResult> {
  return outcome === undefined ? { kind: 'send-alone', mayBeApplied: false } : { kind: 'known', outcome };
}

function toWriteBody(waiting: readonly WaitingBatch[], settled: readonly string[]): string {
  const tickets = toTicketStatements(waiting.map(({ batch }) => batch), settled);
  return toBody([...tickets.map(encodeStatement), ...waiting.map(({ text }) => text)]);
}

function toBody(statements: readonly string[]): string {
  return `[${statements.join()}]`;
}
