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
 * process (own-writes.ts). Each process stays with one node, so a later list is not older than an earlier
 * one. Otherwise the leader answers (level `weak`). Recent reads of one moment share requests, too.
 *
 * Writes. Without an answer it is unknown whether a write took effect. Each batch carries a ticket
 * (batch.ts), so it can be sent again without taking effect twice. If an earlier attempt turns out to have
 * been applied, a `write` is acknowledged. For a `change`, the number of changed rows is lost, and the caller
 * is told that the outcome is unknown. Queued writes are not used, because rqlite acknowledges them before
 * they are durable.
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
 *
 * A row that was changed is read back after the commit, because every node would run a `SELECT` in a batch.
 * The shared request serves as a barrier: the leader has applied it when it answers. So the rows are asked at
 * level `weak` on the same connection, and at level `strong` after one of the two events above.
 */
import { randomUUID } from 'node:crypto';
import {
  APPLICATION_ID, DatabaseUnavailableError, type Change, type Consistency, type Database, type Row,
  type Statement,
} from '../../database/database.ts';
import type { RqliteLocation } from '../../database/location.ts';
import {
  CREATE_TICKETS, PRUNE_TICKETS, readGroupOutcome, toTicketCount, toTicketStatements, type Batch,
} from './batch.ts';
import { createGroups, type GroupItem, type GroupResult } from './groups.ts';
import { encodeStatement, toRows, type StatementResult } from './messages.ts';
import { findNodesWithoutForeignKeys } from './nodes.ts';
import { createOwnWrites } from './own-writes.ts';
import {
  createRequests, REQUEST_TIMEOUT_MS, REQUESTS_WAITING_MAX, STRONG_PATH, WEAK_PATH, type RqliteRequests,
} from './requests.ts';

const RECENT_PATH = '/db/query?level=none&freshness=1s&freshness_strict';
/** A refused statement undoes the whole transaction. */
const WRITE_PATH = '/db/execute?transaction';

/** Lets a file of the service accept a backup that rqlite makes. Idempotent. */
const SET_APPLICATION_ID: Statement = {
  sql: `PRAGMA application_id = ${APPLICATION_ID}`,
  parameters: [],
};

/** The strong read that serves as the barrier; its answer does not matter. */
const BARRIER = '["SELECT 1"]';

/**
 * Limits of a group. With more requests in flight, groups would be smaller. With one, an item would first
 * wait for a whole request.
 */
const LIMITS = { requestsMax: 2, charactersMax: 262_144, waitingMax: REQUESTS_WAITING_MAX };
const READ_LIMITS = { ...LIMITS, itemsMax: 256 };
const WRITE_LIMITS = { ...LIMITS, itemsMax: 64 };
/** Lists are long, up to some megabytes each, and any node answers; so few share one of several requests. */
const LIST_LIMITS = { ...LIMITS, itemsMax: 4, requestsMax: 8 };

/** The fewest questions for which a barrier saves more than it costs. */
const QUESTIONS_BEHIND_BARRIER_MIN = 4;

interface Question extends GroupItem {
  readonly endsAtMs: number;
}

interface WaitingBatch extends GroupItem {
  readonly batch: Batch;
  /** Asked after the commit, if the first statement changed a row. */
  readonly readBack: Question | undefined;
  /** Whether the caller needs the number of changed rows. */
  readonly needsCounts: boolean;
  readonly endsAtMs: number;
  /** The time of the request, on the counter of own-writes.ts. */
  readonly askedAt: number;
}

type BatchOutcome =
  | {
    readonly kind: 'applied'; readonly counts: readonly number[];
    /** The result of `readBack` when it arrives, if it could be asked on the connection of the write. */
    readonly readBack?: Promise<StatementResult | undefined>;
  }
  /** One statement of the batch was refused, and none took effect. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * @throws When the cluster cannot be reached, refuses the credentials, or a node does not enforce foreign
 * keys.
 */
export async function openRqlite(location: RqliteLocation): Promise<Database> {
  const requests = createRequests(location);
  try {
    const preparation = [SET_APPLICATION_ID, CREATE_TICKETS, PRUNE_TICKETS].map(encodeStatement);
    const { results } = await requests.ask(WRITE_PATH, toBody(preparation));
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
  readonly #askNearby: (question: Question) => Promise<StatementResult>;
  readonly #apply: (batch: WaitingBatch) => Promise<BatchOutcome>;
  readonly #ownWrites = createOwnWrites();
  /** Tickets that are no longer needed; the next write removes them. */
  #settled: readonly string[] = [];

  constructor(requests: RqliteRequests) {
    this.#requests = requests;
    this.#ask = createGroups<Question, StatementResult>(READ_LIMITS, {
      sendGroup: (questions) => this.#askGroup(questions),
      sendAlone: (question) => this.#askUntilAnswered(STRONG_PATH, question),
    });
    this.#askNearby = createGroups<Question, StatementResult>(LIST_LIMITS, {
      sendGroup: (questions) => this.#askGroupNearby(questions),
      sendAlone: (question) => this.#askUntilAnswered(WEAK_PATH, question),
    });
    this.#apply = createGroups<WaitingBatch, BatchOutcome>(WRITE_LIMITS, {
      sendGroup: (batches) => this.#applyGroup(batches),
      sendAlone: (batch, earlier) => this.#applyAlone(batch, earlier),
    });
  }

  async read(statement: Statement, consistency: Consistency = 'linearizable'): Promise<readonly Row[]> {
    const question = toQuestion(statement);
    const result = await (consistency === 'recent' ? this.#askNearby(question) : this.#ask(question));
    return toRows(assertAccepted(result));
  }

  async write(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) {
      await this.#send(statements, { needsCounts: false, readBack: undefined });
    }
  }

  async change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    const question = readBack && toQuestion(readBack);
    const outcome = await this.#send(statements, { needsCounts: true, readBack: question });
    const { counts } = outcome;
    if (question === undefined || counts[0] === 0) {
      return { counts, row: undefined };
    }
    return { counts, row: await this.#readBack(question, outcome.readBack) };
  }

  /** @throws DatabaseUnavailableError for any reason, because the change took effect. */
  async #readBack(
    question: Question, asked: Promise<StatementResult | undefined> | undefined,
  ): Promise<Row> {
    const result = await asked;
    const isUsable = result !== undefined && result.error === undefined;
    try {
      const [row] = toRows(isUsable ? result : assertAccepted(await this.#ask(question)));
      if (row !== undefined) {
        return row;
      }
    } catch (cause) {
      throw new DatabaseUnavailableError('A change took effect, but its row cannot be read back', { cause });
    }
    throw new DatabaseUnavailableError('A row was changed, and changed again before it was read back');
  }

  /** @throws When a statement is refused, or the outcome is unknown. */
  async #send(
    statements: readonly Statement[], needs: Pick<WaitingBatch, 'needsCounts' | 'readBack'>,
  ): Promise<Exclude<BatchOutcome, { kind: 'refused' }>> {
    const ticket = randomUUID();
    const outcome = await this.#apply({
      key: ticket,
      text: statements.map(encodeStatement).join(),
      batch: { ticket, statements },
      ...needs,
      askedAt: this.#ownWrites.now(),
      endsAtMs: performance.now() + REQUEST_TIMEOUT_MS,
    });
    if (outcome.kind === 'refused') {
      throw new Error(`The database cluster refuses a statement: ${outcome.reason}`);
    }
    return outcome;
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
    const inTurn = isWorthBarrier
      ? await this.#requests.tryInTurn(STRONG_PATH, BARRIER, () => body)
      : undefined;
    const answer = await inTurn?.second ?? await this.#requests.tryOnce(STRONG_PATH, body);
    const results = answer.kind === 'answered' ? answer.results : [];
    return questions.map((_, index) => toGroupResult(results[index]));
  }

  async #askGroupNearby(questions: readonly Question[]): Promise<readonly GroupResult<StatementResult>[]> {
    const tickets = this.#ownWrites.latest();
    const body = toBody([encodeStatement(toTicketCount(tickets)), ...questions.map(({ text }) => text)]);
    const answer = await this.#requests.tryNearby(RECENT_PATH, body);
    const [count, ...results] = answer.kind === 'answered' ? answer.results : [];
    const isRecent = count?.values[0]?.[0] === tickets.length;
    return questions.map((_, index) => toGroupResult(isRecent ? results[index] : undefined));
  }

  async #askUntilAnswered(path: string, { text, endsAtMs }: Question): Promise<StatementResult> {
    const options = { mayBeApplied: false, endsAtMs };
    const { results: [result] } = await this.#requests.ask(path, toBody([text]), options);
    if (result === undefined) {
      throw new Error('The database cluster answered without a result');
    }
    return result;
  }

  async #applyGroup(waiting: readonly WaitingBatch[]): Promise<readonly GroupResult<BatchOutcome>[]> {
    const batches = waiting.map(({ batch }) => batch);
    const settled = this.#settled;
    this.#settled = [];
    const sentAt = this.#ownWrites.now();
    const body = toWriteBody(waiting, settled);
    let readers: readonly WaitingBatch[] = [];
    const { first: answer, second } = await this.#requests.tryInTurn(WRITE_PATH, body, (results) => {
      readers = findReaders(waiting, readGroupOutcome(batches, results));
      const questions = readers.map(({ readBack }) => readBack?.text ?? '');
      return questions.length > 0 ? toBody(questions) : undefined;
    });
    const outcome = answer.kind === 'answered' ? readGroupOutcome(batches, answer.results) : undefined;
    if (outcome?.kind !== 'applied') {
      this.#settled = [...this.#settled, ...settled];
    }
    if (outcome === undefined) {
      return batches.map(() => ({ kind: 'send-alone', mayBeApplied: answer.kind === 'failed' }));
    }
    switch (outcome.kind) {
      case 'applied':
        this.#acknowledge(batches, { sentAt, hasCopies: false });
        return waiting.map((batch, index) => {
          const counts = outcome.counts[index] ?? [];
          const place = readers.indexOf(batch);
          const readBack = second.then((read) => read?.kind === 'answered' ? read.results[place] : undefined);
          return { kind: 'known', outcome: { kind: 'applied', counts, readBack } };
        });
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
    const { batch, needsCounts, endsAtMs } = waiting;
    const { askedAt: sentAt } = waiting; // an earlier attempt may be the one that is applied
    const { results, isFirstAttempt } = await this.#requests.ask(
      WRITE_PATH, toWriteBody([waiting], []), { ...earlier, endsAtMs },
    );
    const outcome = readGroupOutcome([batch], results);
    if (outcome.kind === 'applied') {
      this.#acknowledge([batch], { sentAt, hasCopies: !isFirstAttempt });
      return { kind: 'applied', counts: outcome.counts[0] ?? [] };
    }
    if (outcome.kind === 'refused' && isFirstAttempt) {
      return outcome;
    }
    if (outcome.kind === 'ticket-refused' && !needsCounts && (await this.#isApplied(batch))) {
      this.#acknowledge([batch], { sentAt, hasCopies: true });
      return { kind: 'applied', counts: [] };
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

function toQuestion(statement: Statement): Question {
  const text = encodeStatement(statement);
  return { key: text, text, endsAtMs: performance.now() + REQUEST_TIMEOUT_MS };
}

/** @returns The batches that changed a row and read it back. */
function findReaders(
  waiting: readonly WaitingBatch[], outcome: ReturnType<typeof readGroupOutcome>,
): readonly WaitingBatch[] {
  return waiting.filter(({ readBack }, index) => {
    return outcome.kind === 'applied' && readBack !== undefined && outcome.counts[index]?.[0] !== 0;
  });
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
