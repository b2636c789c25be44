/**
 * The driver for a cluster: SQLite replicated by Raft, spoken to over rqlite's HTTP API (rqlite.io/docs/api).
 *
 * Reads. `linearizable` is rqlite's level `strong`, which takes the question through the log of the cluster like a write: a
 * leader that has been deposed without knowing it, because it was frozen or cut off, cannot answer. rqlite's own level
 * `linearizable` would be cheaper, but versions before 8.32 take the word for `weak` without a complaint. `recent` is
 * `weak`: the leader answers from what it has. Reads are repeated freely.
 *
 * Writes. An answer that does not come says nothing about whether the write took effect. Each batch carries a ticket
 * (rqlite-batch.ts) and can be sent again without taking effect again; one that turns out to have been applied by an earlier
 * attempt is acknowledged, unless it was to return rows: those are lost, and the caller is told that the outcome is unknown.
 * Queued writes are not used: they are acknowledged before they are durable.
 */
import { randomUUID } from 'node:crypto';
import { DatabaseUnavailableError, type Consistency, type Database, type Row, type Statement } from './database.ts';
import {
  isSelection,
  PREPARE_TICKETS,
  readOutcome,
  returnsRows,
  toStatements,
  type Batch,
} from './rqlite-batch.ts';
import { createCluster, type RqliteCluster } from './rqlite-cluster.ts';
import { encodeStatements, toRows, type StatementResult } from './rqlite-messages.ts';
import type { RqliteLocation } from './rqlite-url.ts';

const WRITE_PATH = '/db/execute?transaction';
/** Unlike `/db/execute`, it answers a SELECT within a batch. See `#refuseUnprepared`. */
const WRITE_AND_SELECT_PATH = '/db/request?transaction';
const READ_PATHS: Readonly<Record<Consistency, string>> = {
  linearizable: '/db/query?level=strong',
  recent: '/db/query?level=weak',
};

/** @throws When the cluster cannot be reached, refuses the credentials, or does not enforce foreign keys. */
export async function openRqlite(location: RqliteLocation): Promise<Database> {
  const cluster = createCluster(location);
  try {
    const { results } = await cluster.ask(WRITE_PATH, encodeStatements(PREPARE_TICKETS));
    results.forEach(assertAccepted);
    const database = new RqliteDatabase(cluster);
    await assertForeignKeys(database);
    return database;
  } catch (error) {
    cluster.close();
    throw error;
  }
}

class RqliteDatabase implements Database {
  readonly #cluster: RqliteCluster;
  /** Tickets of batches whose first attempt was answered. */
  readonly #settled: string[] = [];
  /** Texts of statements that the cluster is known to understand. */
  readonly #prepared = new Set<string>();

  constructor(cluster: RqliteCluster) {
    this.#cluster = cluster;
  }

  async read(statement: Statement, consistency: Consistency = 'linearizable'): Promise<readonly Row[]> {
    const { results } = await this.#cluster.ask(READ_PATHS[consistency], encodeStatements([statement]));
    const [result] = results.map(assertAccepted);
    if (result === undefined) {
      throw new Error('The database cluster answered without a result');
    }
    return toRows(result);
  }

  async write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (statements.length === 0) {
      return [];
    }
    const path = statements.some(isSelection) ? WRITE_AND_SELECT_PATH : WRITE_PATH;
    if (path === WRITE_AND_SELECT_PATH) {
      await this.#refuseUnprepared(statements);
    }
    const batch: Batch = { ticket: randomUUID(), settled: this.#settled.splice(0), statements };
    const { results, attempts } = await this.#cluster.ask(path, encodeStatements(toStatements(batch)));
    const outcome = readOutcome(batch, results);
    if (outcome.kind === 'applied') {
      if (attempts === 1) {
        this.#settled.push(batch.ticket); // no copy of the batch can be on the way
      }
      return outcome.rows;
    }
    if (attempts === 1 && outcome.kind !== 'ticket-refused') {
      throw new Error(`The database cluster refuses a statement: ${outcome.reason}`);
    }
    if (outcome.kind === 'ticket-refused' && !statements.some(returnsRows) && (await this.#isApplied(batch))) {
      return statements.map(() => []);
    }
    throw new DatabaseUnavailableError(`What became of an earlier attempt cannot be known; the last: ${outcome.reason}`);
  }

  measure(): undefined {}

  async close(): Promise<void> {
    this.#cluster.close();
  }

  /**
   * `/db/request` commits the other statements of a batch when one cannot be prepared, for lack of a table
   * say. So each text is explained once before it is used there, which prepares it and does nothing else. A
   * statement that fails when it runs undoes the batch as it should.
   */
  async #refuseUnprepared(statements: readonly Statement[]): Promise<void> {
    const unknown = statements.filter(({ sql }) => !this.#prepared.has(sql));
    if (unknown.length === 0) {
      return;
    }
    const explanations = unknown.map(({ sql, parameters }) => ({ sql: `EXPLAIN ${sql}`, parameters }));
    const { results } = await this.#cluster.ask(WRITE_PATH, encodeStatements(explanations));
    results.forEach(assertAccepted);
    unknown.forEach(({ sql }) => this.#prepared.add(sql));
  }

  async #isApplied({ ticket }: Batch): Promise<boolean> {
    const rows = await this.read({ sql: 'SELECT ticket FROM applied_batches WHERE ticket = ?', parameters: [ticket] });
    return rows.length === 1;
  }
}

/** Nodes do not enforce them unless they are told to. The one that leads is asked; all must be started alike. */
async function assertForeignKeys(database: Database): Promise<void> {
  const [row] = await database.read({ sql: 'SELECT foreign_keys FROM pragma_foreign_keys', parameters: [] });
  if (row?.['foreign_keys'] !== 1) {
    throw new Error('Cannot work without foreign keys: expected every rqlited to be started with -fk');
  }
}

/** @returns The result of a statement that was not refused. */
function assertAccepted(result: StatementResult): StatementResult {
  if (result.error !== undefined) {
    throw new Error(`The database cluster refuses a statement: ${result.error}`);
  }
  return result;
}
