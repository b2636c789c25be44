/**
 * The embedded driver: one SQLite file in this process, through `node:sqlite`. Its calls are synchronous inside; a
 * statement of this service takes microseconds, and a thread hop would cost more than it frees.
 *
 * Durability: WAL with `synchronous=FULL` syncs the log at each commit, so an acknowledged write survives a power cut;
 * `NORMAL` would only survive the end of the process (sqlite.org/pragma.html#pragma_synchronous).
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Database, Row, Statement } from './database.ts';

const IN_MEMORY = ':memory:';

/** How long a statement waits for another process that writes to the same file, before it fails. */
const BUSY_TIMEOUT_MS = 5_000;

/** More distinct statements than the service has; reaching it means that a value was put into the text of a statement. */
const PREPARED_STATEMENTS_MAX = 200;

export class SqliteDatabase implements Database {
  readonly #connection: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /**
   * Opens the file, and creates it and its folder where they do not exist, readable by their owner only.
   *
   * @param path - A file, or `:memory:` for a database that ends with the process.
   * @throws When the file cannot be opened or is no SQLite database.
   */
  constructor(path: string) {
    if (path !== IN_MEMORY) {
      createPrivateFile(path);
    }
    this.#connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    this.#connection.exec('PRAGMA journal_mode = WAL');
    this.#connection.exec('PRAGMA synchronous = FULL');
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    return this.#run(statement);
  }

  async write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.#connection.exec('BEGIN IMMEDIATE'); // the write lock at once, not half-way through
    try {
      const results = statements.map((statement) => this.#run(statement));
      this.#connection.exec('COMMIT');
      return results;
    } catch (error) {
      if (this.#connection.isTransaction) { // some errors, such as a full disk, have rolled back already
        this.#connection.exec('ROLLBACK');
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #run({ sql, parameters }: Statement): readonly Row[] {
    // Integers and text come back as numbers and strings; the tables hold nothing else (see stores/migrations.ts).
    return this.#prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      return known;
    }
    if (this.#prepared.size >= PREPARED_STATEMENTS_MAX) {
      throw new Error(`Cannot prepare more than ${PREPARED_STATEMENTS_MAX} distinct statements`);
    }
    const statement = this.#connection.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** SQLite gives its `-wal` and `-shm` files the permissions of the database file. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
