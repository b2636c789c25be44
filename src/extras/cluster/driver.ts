/**
 * The driver for a cluster: SQLite replicated by Raft, over rqlite's HTTP API (rqlite.io/docs/api).
 *
 * Tickets. Each batch of writes inserts a ticket, a random id (batch.ts). Nodes apply the log in order. So a
 * node that holds a ticket has applied that batch and every earlier write, even after a restart or while it
 * is cut off.
 *
 * `linearizable` reads include every write that was acknowledged, to anybody, before the question. A few
 * questions are sent at rqlite's level `strong`, which passes through the log like a write. More questions
 * wait behind a barrier: a batch without statements, whose ticket follows all earlier writes. Then one node
 * that holds the ticket answers from its own data (level `none`). A barrier costs half as much as `strong`,
 * at which every node answers every question. rqlite's level `linearizable` would be cheaper, but versions
 * before 8.32 silently take the word for `weak`.
 *
 * `recent` reads are answered by any node from its own data. The node must have heard from the leader within
 * the last second, and hold the tickets of the latest writes of this process (own-writes.ts). If that node
 * cannot answer, the leader is asked in the same way, and at last with a linearizable read. A changed row is
 * read back from the leader's own data, because a `SELECT` in a batch would run on every node.
 *
 * Writes. Without an answer, nobody knows whether a write took effect. A batch can be sent again, because the
 * second copy fails on its ticket. If an earlier copy was applied, a `write` is acknowledged. For a `change`,
 * the number of changed rows is lost, so the outcome is reported as unknown. rqlite's queued writes are not
 * used, because rqlite acknowledges them before they are durable.
 *
 * Requests that wait at the same time are sent as one (groups.ts). Their batches share one transaction. If a
 * statement is refused, the whole transaction is undone, and each batch is sent alone. So the outcome of a
 * batch never depends on another batch. If the answer to a shared request is lost, each batch is sent alone
 * with the same ticket; a late copy of the shared request then fails on that ticket as a whole.
 */
import { randomUUID } from 'node:crypto';
import {
  DatabaseUnavailableError, type Change, type Consistency, type Database, type Row, type Statement,
} from '../../database/database.ts';
import type { RqliteLocation } from '../../database/location.ts';
import {
  CREATE_TICKETS, PRUNE_TICKETS, readGroupOutcome, toTicketCount, toTicketStatements, type Batch,
} from './batch.ts';
import { createGroups, type GroupItem, type GroupResult } from './groups.ts';
import { encodeStatement, toRows, type StatementResult } from './messages.ts';
import { requireForeignKeys } from './nodes.ts';
import { createOwnWrites } from './own-writes.ts';
import { createRequests, TIMEOUTS, type NodeChoice, type RqliteRequests } from './requests.ts';

const STRONG_PATH = '/db/query?level=strong';
const LOCAL_PATH = '/db/query?level=none&freshness=1s&freshness_strict';
const WRITE_PATH = '/db/execute?transaction';

/** More requests in flight would make groups smaller. A single one would make every item wait for its end. */
const LIMITS = { requestsMax: 2, pendingMax: 2_000 };
const READ_LIMITS = { ...LIMITS, itemsMax: 256 };
const WRITE_LIMITS = { ...LIMITS, itemsMax: 64 };
/** Lists have up to some megabytes, and any node can answer: so there are more requests of fewer lists. */
const LIST_LIMITS = { ...LIMITS, itemsMax: 4, requestsMax: 8 };

/** The fewest questions for which a barrier saves more than it costs. */
const QUESTIONS_BEHIND_BARRIER_MIN = 4;

interface Question extends GroupItem {
  readonly text: string;
  readonly endsAtMs: number;
}

interface QueuedBatch extends GroupItem {
  readonly batch: Batch;
  readonly text: string;
  readonly needsCounts: boolean;
  readonly endsAtMs: number;
  /** On the counter of own-writes.ts. */
  readonly askedAt: number;
}

/** The numbers of rows that the statements of a batch changed. */
type Counts = readonly number[];

/** @throws When no node answers, the credentials are refused, or a node does not enforce foreign keys. */
export async function openRqlite(location: RqliteLocation, timeouts = TIMEOUTS): Promise<Database> {
  const requests = createRequests(location, timeouts);
  try {
    const preparation = [CREATE_TICKETS, PRUNE_TICKETS].map(encodeStatement);
    const options = { mayBeApplied: false, endsAtMs: requests.toDeadline() };
    const { results } = await requests.ask(WRITE_PATH, toBody(preparation), options);
    results.forEach(assertAccepted);
    await requireForeignKeys(location);
    return new RqliteDatabase(requests);
  } catch (error) {
    requests.close();
    throw error;
  }
}

class RqliteDatabase implements Database {
  readonly #requests: RqliteRequests;
  readonly #ownWrites = createOwnWrites();
  /** Tickets that are no longer needed; the next write removes them. */
  #settled: readonly string[] = [];

  readonly #ask = createGroups<Question, StatementResult>(READ_LIMITS, {
    sendGroup: async (questions) => toGroupResults(questions, await this.#askLinearizable(questions)),
    sendAlone: (question) => this.#askUntilAnswered(question),
  });
  readonly #askLeader = createGroups<Question, StatementResult>(READ_LIMITS, {
    sendGroup: async (questions) => toGroupResults(questions, await this.#askLocally('leader', questions)),
    sendAlone: (question) => this.#ask(question),
  });
  readonly #askNearby = createGroups<Question, StatementResult>(LIST_LIMITS, {
    sendGroup: async (questions) => toGroupResults(questions, await this.#askLocally('nearby', questions)),
    sendAlone: (question) => this.#askLeader(question),
  });
  readonly #apply = createGroups<QueuedBatch, Counts>(WRITE_LIMITS, {
    sendGroup: (batches) => this.#applyGroup(batches),
    sendAlone: (batch, earlier) => this.#applyAlone(batch, earlier),
  });

  constructor(requests: RqliteRequests) {
    this.#requests = requests;
  }

  async read(statement: Statement, consistency: Consistency = 'linearizable'): Promise<readonly Row[]> {
    const question = this.#toQuestion(statement);
    const result = await (consistency === 'recent' ? this.#askNearby(question) : this.#ask(question));
    return toRows(assertAccepted(result));
  }

  async write(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) {
      await this.#apply(this.#toWaiting(statements, { needsCounts: false }));
    }
  }

  async change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    const question = readBack && this.#toQuestion(readBack);
    const counts = await this.#apply(this.#toWaiting(statements, { needsCounts: true }));
    const isRead = question !== undefined && counts[0] === 0;
    return { counts, row: isRead ? await this.#readBack(question) : undefined };
  }

  /** @throws DatabaseUnavailableError after any failure: every other error means that nothing was changed. */
  async #readBack(question: Question): Promise<Row> {
    try {
      const [row] = toRows(assertAccepted(await this.#askLeader(question)));
      if (row !== undefined) {
        return row;
      }
    } catch (cause) {
      throw new DatabaseUnavailableError('A change took effect, but its row cannot be read back', { cause });
    }
    throw new DatabaseUnavailableError('A row was changed again before the first change was read back');
  }

  #toWaiting(
    statements: readonly Statement[], { needsCounts }: Pick<QueuedBatch, 'needsCounts'>,
  ): QueuedBatch {
    const ticket = randomUUID();
    const text = statements.map(encodeStatement).join();
    const askedAt = this.#ownWrites.now();
    const endsAtMs = this.#requests.toDeadline();
    return { key: ticket, text, batch: { ticket, statements }, needsCounts, askedAt, endsAtMs };
  }

  async close(): Promise<void> {
    this.#requests.close();
  }

  /** @returns No results if no node has answered. */
  async #askLinearizable(questions: readonly Question[]): Promise<readonly StatementResult[]> {
    if (questions.length >= QUESTIONS_BEHIND_BARRIER_MIN) {
      const [barrier] = await this.#applyGroup([this.#toWaiting([], { needsCounts: false })]);
      const results = barrier?.kind === 'known' ? await this.#askLocally('leader', questions) : [];
      if (results.length > 0) {
        return results;
      }
    }
    const body = toBody(questions.map(({ text }) => text));
    const answer = await this.#requests.tryOnce('leader', STRONG_PATH, body);
    return answer.kind === 'answered' ? answer.results : [];
  }

  /** @returns No results if the node lacks one of the latest own writes. */
  async #askLocally(
    target: NodeChoice, questions: readonly Question[],
  ): Promise<readonly StatementResult[]> {
    const tickets = this.#ownWrites.latest();
    const body = toBody([encodeStatement(toTicketCount(tickets)), ...questions.map(({ text }) => text)]);
    const answer = await this.#requests.tryOnce(target, LOCAL_PATH, body);
    const [count, ...results] = answer.kind === 'answered' ? answer.results : [];
    return count?.values[0]?.[0] === tickets.length ? results : [];
  }

  async #askUntilAnswered({ text, endsAtMs }: Question): Promise<StatementResult> {
    const options = { mayBeApplied: false, endsAtMs };
    const { results: [result] } = await this.#requests.ask(STRONG_PATH, toBody([text]), options);
    if (result === undefined) {
      throw new Error('The database cluster answered without a result');
    }
    return result;
  }

  async #applyGroup(waiting: readonly QueuedBatch[]): Promise<readonly GroupResult<Counts>[]> {
    const batches = waiting.map(({ batch }) => batch);
    const settled = this.#settled;
    this.#settled = [];
    const sentAt = this.#ownWrites.now();
    const answer = await this.#requests.tryOnce('leader', WRITE_PATH, toWriteBody(waiting, settled));
    const outcome = answer.kind === 'answered' ? readGroupOutcome(batches, answer.results) : answer;
    if (outcome.kind === 'applied') {
      this.#acknowledge(batches, { sentAt, hasCopies: false });
      return outcome.counts.map((counts) => ({ kind: 'known', outcome: counts }));
    }
    this.#settled = [...this.#settled, ...settled];
    return batches.map(() => ({ kind: 'send-alone', mayBeApplied: outcome.kind !== 'refused' }));
  }

  /** @throws When a statement is refused, or the outcome is unknown. */
  async #applyAlone(waiting: QueuedBatch, earlier: { readonly mayBeApplied: boolean }): Promise<Counts> {
    // The first of several attempts may be the applied one, so the time of the request counts.
    const { batch, needsCounts, endsAtMs, askedAt: sentAt } = waiting;
    const { results, isFirstAttempt } = await this.#requests.ask(
      WRITE_PATH, toWriteBody([waiting], []), { ...earlier, endsAtMs },
    );
    const outcome = readGroupOutcome([batch], results);
    if (outcome.kind === 'applied') {
      this.#acknowledge([batch], { sentAt, hasCopies: !isFirstAttempt });
      return outcome.counts[0] ?? [];
    }
    if (outcome.kind === 'refused' && isFirstAttempt) {
      throw new Error(`The database cluster refused a statement: ${outcome.reason}`);
    }
    if (outcome.kind === 'ticket-refused' && !needsCounts && (await this.#isApplied(batch))) {
      this.#acknowledge([batch], { sentAt, hasCopies: true });
      return [];
    }
    const { reason } = outcome;
    throw new DatabaseUnavailableError(
      `An earlier attempt has an unknown outcome; the last attempt failed: ${reason}`,
    );
  }

  /** Keeps the first ticket, which nodes must hold to answer reads, and gives up the other tickets. */
  #acknowledge(
    batches: readonly Batch[], write: { readonly sentAt: number; readonly hasCopies: boolean },
  ): void {
    const [ticket = '', ...others] = batches.map((batch) => batch.ticket);
    this.#settled = [...this.#settled, ...others, ...this.#ownWrites.acknowledge({ ...write, ticket })];
  }

  #toQuestion(statement: Statement): Question {
    const text = encodeStatement(statement);
    return { key: text, text, endsAtMs: this.#requests.toDeadline() };
  }

  async #isApplied({ ticket }: Batch): Promise<boolean> {
    const [row] = await this.read(toTicketCount([ticket]));
    return row?.['count'] === 1;
  }
}

function assertAccepted(result: StatementResult): StatementResult {
  if (result.error !== undefined) {
    throw new Error(`The database cluster refused a statement: ${result.error}`);
  }
  return result;
}

/** @param results - One for each question, or none at all. */
function toGroupResults(
  questions: readonly Question[], results: readonly StatementResult[],
): readonly GroupResult<StatementResult>[] {
  return questions.map((_, index) => {
    const outcome = results[index];
    return outcome === undefined ? { kind: 'send-alone', mayBeApplied: false } : { kind: 'known', outcome };
  });
}

function toWriteBody(waiting: readonly QueuedBatch[], settled: readonly string[]): string {
  const tickets = toTicketStatements(waiting.map(({ batch }) => batch), settled);
  const texts = waiting.map(({ text }) => text).filter((text) => text !== ''); // a barrier has no statements
  return toBody([...tickets.map(encodeStatement), ...texts]);
}

function toBody(statements: readonly string[]): string {
  return `[${statements.join()}]`;
}
