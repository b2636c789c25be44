/**
 * The database driver for rqlite clusters, in which each node holds a copy of a SQLite database.
 *
 * Each batch of writes also inserts a row with a random id. This id is called the ticket of the batch
 * (tickets.ts). Nodes apply writes in the order of the Raft log. So a node that holds the ticket has applied
 * the batch and all earlier writes.
 *
 * A `linearizable` read sees every write that was acknowledged to any client before the read began. If fewer
 * than four reads wait, the driver sends the reads at rqlite's level `strong`. At this level, every node runs
 * every read. If four or more reads wait, the driver sends a barrier, then the reads. The barrier and the
 * reads together cost half as much as reads at the level `strong`. A barrier is a batch that inserts nothing
 * except its ticket. In the log, the barrier follows all earlier writes. A node that holds the ticket of the
 * barrier answers the reads from its own data (level `none`). The driver never uses rqlite's level
 * `linearizable`, because rqlite before version 8.32 silently treats this level as `weak`.
 *
 * A node can answer `recent` reads from its own data if the node heard from the leader within the last
 * second. The driver uses the answer only if the node holds the tickets of the latest writes of this process.
 * If the node cannot answer a `recent` read, the leader answers from its own data. If even the leader cannot
 * answer, the driver sends a `linearizable` read. After a change, the driver reads the row from the leader's
 * own data. A `SELECT` inside the batch would run on every node.
 *
 * If no node answers a batch, the driver can send the batch again. A node that has applied the batch refuses
 * the repeated ticket. If an earlier attempt was applied, a repeated `write` succeeds. But a repeated
 * `change` throws `DatabaseUnavailableError`, because only the lost answer said how many rows were changed.
 *
 * If several batches wait, the driver sends the batches in one shared request, as one transaction
 * (groups.ts). If the shared request fails, the driver sends each batch in its own request, so that one batch
 * cannot make another batch fail. Each batch keeps its ticket. The shared request can still arrive later. But
 * the cluster accepts each ticket only once. If the cluster has already applied one batch of the shared
 * request, the cluster refuses the whole request.
 */
import { randomUUID } from 'node:crypto';
import {
  DatabaseUnavailableError, type Change, type Consistency, type Database, type Row, type Statement,
} from '../../database/database.ts';
import type { RqliteLocation } from '../../database/location.ts';
import { createConnection } from './connection.ts';
import { createGroups, type GroupItem, type GroupResult } from './groups.ts';
import { encodeStatement, toRows, type StatementResult } from './messages.ts';
import { findNodeFaults, requireForeignKeys } from './nodes.ts';
import { createRequests, TIMEOUTS, type NodeChoice, type RqliteRequests } from './requests.ts';
import {
  CREATE_TICKETS, createTickets, PRUNE_TICKETS, readGroupOutcome, toTicketCount, toTicketStatements,
  type Batch,
} from './tickets.ts';

const STRONG_PATH = '/db/query?level=strong';
const LOCAL_PATH = '/db/query?level=none&freshness=1s&freshness_strict';
const WRITE_PATH = '/db/execute?transaction';

/**
 * With only one request in flight, new reads would wait longer than with two requests. With three requests in
 * flight, each request would carry fewer reads than with two requests.
 */
const LIMITS = { requestsMax: 2, pendingMax: 2_000 };
const READ_LIMITS = { ...LIMITS, itemsMax: 256 };
const WRITE_LIMITS = { ...LIMITS, itemsMax: 64 };
/** Any node can read lists, so the driver sends up to eight requests at a time, each for a few lists. */
const LIST_LIMITS = { ...LIMITS, itemsMax: 4, requestsMax: 8 };

/** If at least this many reads wait, a barrier and local reads cost less than reads at the level `strong`. */
const QUESTIONS_BEHIND_BARRIER_MIN = 4;

/** A question is a read that has no answer yet. The member `key` is the JSON text of the SQL statement. */
interface Question extends GroupItem {
  readonly endsAtMs: number;
}

interface QueuedBatch extends GroupItem, Batch {
  /** Callers of `change`, unlike callers of `write`, need to know how many rows were changed. */
  readonly kind: 'write' | 'change';
  readonly endsAtMs: number;
  /** The counter in tickets.ts had this value when the caller asked to write the batch. */
  readonly askedAt: number;
}

/** For each statement of a batch, the number of rows that the statement changed. */
type Counts = readonly number[];
type Results = readonly StatementResult[];

/** @throws Error if no node answers, if the password is refused, or if a node ignores foreign keys. */
export async function openRqlite(location: RqliteLocation, timeouts = TIMEOUTS): Promise<Required<Database>> {
  const connection = createConnection(location);
  const requests = createRequests(connection, timeouts);
  try {
    const preparation = toBody([CREATE_TICKETS, PRUNE_TICKETS].map(encodeStatement));
    const endsAtMs = requests.toDeadline();
    const { results } = await requests.ask(WRITE_PATH, preparation, { endsAtMs });
    results.forEach(assertAccepted);
    await requireForeignKeys(connection);
    const database = createDatabase(requests);
    return { ...database, findNodeFaults: (depth) => findNodeFaults(connection, database, depth) };
  } catch (error) {
    requests.close();
    throw error;
  }
}

function createDatabase(requests: RqliteRequests): Database {
  const tickets = createTickets();
  const ask = createQuestions(READ_LIMITS, askLinearizable, askUntilAnswered);
  const askLeader = createQuestions(READ_LIMITS, (questions) => askLocally('leader', questions), ask);
  const askNearby = createQuestions(LIST_LIMITS, (questions) => askLocally('nearby', questions), askLeader);
  const apply = createGroups<QueuedBatch, Counts>(WRITE_LIMITS, {
    sendGroup: applyGroup, sendAlone: applyAlone,
  });

  return { read, write, change, close: async () => requests.close() };

  async function read(statement: Statement, consistency: Consistency = 'linearizable') {
    const question = toQuestion(statement);
    return toRows(assertAccepted(await (consistency === 'recent' ? askNearby(question) : ask(question))));
  }

  async function write(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) {
      await apply(toQueued('write', statements));
    }
  }

  async function change(statements: readonly Statement[], readBack?: Statement): Promise<Change> {
    const question = readBack && toQuestion(readBack);
    const counts = await apply(toQueued('change', statements));
    return { counts, row: question && counts[0] === 0 ? await readChangedRow(question) : undefined };
  }

  /** @throws DatabaseUnavailableError. After any other error, callers assume that nothing was changed. */
  async function readChangedRow(question: Question): Promise<Row> {
    try {
      const [row] = toRows(assertAccepted(await askLeader(question)));
      if (row !== undefined) {
        return row;
      }
    } catch (cause) {
      throw new DatabaseUnavailableError('The change was made, but its row cannot be read', { cause });
    }
    throw new DatabaseUnavailableError('The row was changed again before the result could be read');
  }

  function toQuestion(statement: Statement): Question {
    return { key: encodeStatement(statement), endsAtMs: requests.toDeadline() };
  }

  function toQueued(kind: QueuedBatch['kind'], statements: readonly Statement[]): QueuedBatch {
    const ticket = randomUUID();
    const [askedAt, endsAtMs] = [tickets.now(), requests.toDeadline()];
    return { key: ticket, ticket, kind, statements, askedAt, endsAtMs };
  }

  async function askLinearizable(questions: readonly Question[]): Promise<Results> {
    if (questions.length >= QUESTIONS_BEHIND_BARRIER_MIN) {
      const { outcomes: [barrier] } = await applyGroup([toQueued('write', [])]);
      const results = barrier ? await askLocally('leader', questions) : [];
      if (results.length > 0) {
        return results;
      }
    }
    const answer = await requests.tryOnce('leader', STRONG_PATH, toBody(questions.map(({ key }) => key)));
    return answer.kind === 'answered' ? answer.results : [];
  }

  /** Ignores the answers of a node that lacks a recent write of this process. */
  async function askLocally(target: NodeChoice, questions: readonly Question[]): Promise<Results> {
    const latest = tickets.latest();
    const body = toBody([encodeStatement(toTicketCount(latest)), ...questions.map(({ key }) => key)]);
    const answer = await requests.tryOnce(target, LOCAL_PATH, body);
    const [count, ...results] = answer.kind === 'answered' ? answer.results : [];
    return count?.values[0]?.[0] === latest.length ? results : [];
  }

  async function askUntilAnswered({ key, endsAtMs }: Question): Promise<StatementResult> {
    const { results: [result] } = await requests.ask(STRONG_PATH, toBody([key]), { endsAtMs });
    if (result === undefined) {
      throw new Error('The database cluster answered without a result');
    }
    return result;
  }

  async function applyGroup(batches: readonly Batch[]): Promise<GroupResult<Counts>> {
    const [removed, sentAt] = [tickets.takeRemovable(), tickets.now()];
    const answer = await requests.tryOnce('leader', WRITE_PATH, toWriteBody(batches, removed));
    const outcome = answer.kind === 'answered' ? readGroupOutcome(batches, answer.results) : answer;
    if (outcome.kind === 'applied') {
      tickets.acknowledge(batches, { sentAt, hasCopies: false });
      return { outcomes: outcome.counts, mayBeApplied: false };
    }
    tickets.release(removed);
    return { outcomes: [], mayBeApplied: outcome.kind !== 'refused' };
  }

  /** @throws Error if a statement is refused, or if the outcome is unknown. */
  async function applyAlone(
    batch: QueuedBatch, earlier: { readonly mayBeApplied: boolean },
  ): Promise<Counts> {
    // A node can apply the batch without answering. So `sentAt` must precede the first attempt.
    const { kind, endsAtMs, askedAt: sentAt } = batch;
    const { results, isFirstAttempt } = await requests.ask(
      WRITE_PATH, toWriteBody([batch], []), { ...earlier, endsAtMs },
    );
    const outcome = readGroupOutcome([batch], results);
    if (outcome.kind === 'applied') {
      tickets.acknowledge([batch], { sentAt, hasCopies: !isFirstAttempt });
      return outcome.counts[0] ?? [];
    }
    if (outcome.kind === 'refused' && isFirstAttempt) {
      throw new Error(`The database cluster refused a statement: ${outcome.reason}`);
    }
    if (outcome.kind === 'ticket-refused' && kind === 'write' && (await isApplied(batch))) {
      tickets.acknowledge([batch], { sentAt, hasCopies: true });
      return [];
    }
    throw new DatabaseUnavailableError(
      `An earlier attempt has an unknown outcome; the last attempt failed: ${outcome.reason}`,
    );
  }

  async function isApplied({ ticket }: Batch): Promise<boolean> {
    const [row] = await read(toTicketCount([ticket]));
    return row?.['count'] === 1;
  }
}

function assertAccepted(result: StatementResult): StatementResult {
  if (result.error !== undefined) {
    throw new Error(`The database cluster refused a statement: ${result.error}`);
  }
  return result;
}

/** @param send - If no node has answered, the result is an empty list. */
function createQuestions(
  limits: typeof READ_LIMITS, send: (questions: readonly Question[]) => Promise<Results>,
  sendAlone: (question: Question) => Promise<StatementResult>,
) {
  return createGroups<Question, StatementResult>(limits, {
    sendGroup: async (questions) => ({ outcomes: await send(questions), mayBeApplied: false }),
    sendAlone,
  });
}

function toWriteBody(batches: readonly Batch[], removed: readonly string[]): string {
  const statements = batches.flatMap((batch) => batch.statements);
  return toBody([...toTicketStatements(batches, removed), ...statements].map(encodeStatement));
}

function toBody(encoded: readonly string[]): string {
  return `[${encoded.join()}]`;
}
