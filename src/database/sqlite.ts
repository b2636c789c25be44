/**
 * The embedded driver: one SQLite file in this process, through `node:sqlite`. Its calls are synchronous inside; a
 * statement of this service takes microseconds, and a thread hop would cost more than it frees.
 *
 * Durability: WAL with `synchronous=FULL` syncs the log at each commit, so an acknowledged write survives a power cut;
 * `NORMAL` would only survive the end of the process (sqlite.org/pragma.html#pragma_synchronous).
 */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Database, DatabaseMeasures, Row, Statement } from './database.ts';
import { ReadCache } from './read-cache.ts';
import { isBusy, toDatabaseError } from './sqlite-errors.ts';
import { claimDatabase } from './sqlite-files.ts';

const IN_MEMORY = ':memory:';

/** How long a write waits for another process that writes to the same file, before it fails. */
const LOCK_TIMEOUT_MS = 5_000;
/** How much of that it waits inside SQLite, where the whole process waits with it. */
const BUSY_TIMEOUT_MS = 20;
const LOCK_RETRY_MS = 20;

/** What SQLite may keep of the file in memory: by default 2 MiB, beyond which each page is a system call away. */
const CACHE_KIB_MAX = 65_536;

/** Up to this size a file is checked when it is opened, which takes about 1.1 ms a megabyte. */
const CHECKED_BYTES_MAX = 1_073_741_824;

/** Batches in one transaction: enough to make the wait for the disk cheap, not so many that others wait for them. */
const GROUP_MAX = 64;

/** More distinct statements than the service has; reaching it means that a value was put into the text of a statement. */
const PREPARED_STATEMENTS_MAX = 200;

/** A batch that has not run yet, and who waits for its outcome. */
interface WaitingBatch {
  readonly statements: readonly Statement[];
  readonly resolve: (results: readonly (readonly Row[])[]) => void;
  readonly reject: (error: unknown) => void;
}

export class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #connection: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #waiting: WaitingBatch[] = [];
  #isCommitting = false;

  readonly #cache = new ReadCache();
  /** Asks for a number that changes when another connection commits (sqlite.org/pragma.html#pragma_data_version). */
  readonly #dataVersion: StatementSync;
  #lastDataVersion: number | undefined;
  #commits = 0;

  /**
   * Opens the file, and creates it and its folder where they do not exist, readable by their owner only.
   *
   * @param path - A file, or `:memory:` for a database that ends with the process.
   * @param synchronous - With `normal`, the last writes may be lost in a power cut, never in the end of the process.
   * @throws When the file cannot be opened, is no SQLite database or that of another program, or is damaged.
   */
  constructor(path: string, synchronous: 'full' | 'normal' = 'full') {
    this.#path = path;
    if (path !== IN_MEMORY) {
      createPrivateFile(path);
    }
    this.#connection = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS, enableForeignKeyConstraints: true });
    try {
      claimDatabase(this.#connection);
      this.#useLog();
      if (path !== IN_MEMORY && statSync(path).size <= CHECKED_BYTES_MAX) {
        this.#assertSound();
      }
      this.#connection.exec('PRAGMA temp_store = MEMORY'); // in a read-only container there is no place for files
      this.#connection.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      this.#connection.exec(`PRAGMA cache_size = -${CACHE_KIB_MAX}`);
      this.#dataVersion = this.#connection.prepare('PRAGMA data_version');
      this.#dataVersion.setReturnArrays(true);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** Of two processes that do this to a new file at once, SQLite refuses one without waiting, as they wait for each other. */
  #useLog(): void {
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        return this.#connection.exec('PRAGMA journal_mode = WAL');
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) {
          throw error;
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS); // nothing else goes on at the start
      }
    }
  }

  /** Pages and tables are as they should be; whether indexes agree with tables would take longer to tell. */
  #assertSound(): void {
    const [row] = this.#run({ sql: 'PRAGMA quick_check(1)', parameters: [] });
    if (row?.['quick_check'] !== 'ok') {
      throw new Error(`it is damaged: ${String(row?.['quick_check']).replaceAll('\n', ' ')}`);
    }
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    try {
      return statement.isFrequent ? this.#cache.read(statement, this.#state(), () => this.#run(statement)) : this.#run(statement);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * @returns Another number after each commit that may matter: SQLite counts those of other connections only, so ours are
   *   counted here.
   */
  #state(): number {
    const [version] = this.#dataVersion.get() as unknown as readonly [number];
    if (version !== this.#lastDataVersion) {
      this.#lastDataVersion = version;
      this.#commits += 1;
    }
    return this.#commits;
  }

  /**
   * Batches that arrive in one turn of the event loop share one transaction, and so one wait for the disk (group commit).
   * Each has its own outcome: one that fails is undone alone. None is acknowledged before the commit.
   */
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject: (error) => reject(toDatabaseError(error)) });
      if (this.#waiting.length === 1 && !this.#isCommitting) {
        setImmediate(() => void this.#commitWaiting());
      }
    });
  }

  async #commitWaiting(): Promise<void> {
    this.#isCommitting = true;
    while (this.#waiting.length > 0) {
      try {
        await this.#begin();
        this.#commitGroup(this.#waiting.splice(0, GROUP_MAX));
      } catch (error) {
        this.#waiting.splice(0).forEach(({ reject }) => reject(error)); // the lock could not be had
      }
    }
    this.#isCommitting = false;
  }

  /** Runs in one turn of the event loop, so that nothing comes in between. */
  #commitGroup(group: readonly WaitingBatch[]): void {
    try {
      const settlements = group.map((batch) => this.#runBatch(batch));
      this.#connection.exec('COMMIT');
      this.#commits += group.some(isSeen) ? 1 : 0;
      settlements.forEach((settle) => settle());
    } catch (error) {
      if (this.#connection.isTransaction) {
        this.#connection.exec('ROLLBACK');
      }
      group.forEach(({ reject }) => reject(error));
    }
  }

  /**
   * @returns Tells the outcome to whoever waits for it, once it is on disk.
   * @throws When the whole transaction is lost, which a full disk does.
   */
  #runBatch({ statements, resolve, reject }: WaitingBatch): () => void {
    this.#connection.exec('SAVEPOINT batch');
    try {
      const results = statements.map((statement) => this.#run(statement));
      this.#connection.exec('RELEASE batch');
      return () => resolve(results);
    } catch (error) {
      if (!this.#connection.isTransaction) {
        throw error;
      }
      this.#connection.exec('ROLLBACK TO batch; RELEASE batch');
      return () => reject(error);
    }
  }

  /** While another process holds the write lock, for a backup say, the write waits and the process goes on answering. */
  async #begin(): Promise<void> {
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    while (!this.#tryBegin(performance.now() > deadlineMs)) {
      await setTimeout(LOCK_RETRY_MS);
    }
  }

  /**
   * Takes the write lock, at once and not half-way through.
   *
   * @returns False when another process holds it.
   * @throws When another process holds it and this was the last try.
   */
  #tryBegin(isLast: boolean): boolean {
    try {
      this.#connection.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (isLast || !isBusy(error)) {
        throw error;
      }
      return false;
    }
  }

  measure(): DatabaseMeasures {
    return { fileBytes: sizeOf(this.#path), walBytes: sizeOf(`${this.#path}-wal`), frequentReads: this.#cache.counts };
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #run({ sql, parameters }: Statement): readonly Row[] {
    // Integers and text come back as numbers and strings; the tables hold nothing else (see stores/schema.ts).
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

/** Whether a frequent read could have another answer afterwards. */
function isSeen({ statements }: WaitingBatch): boolean {
  return statements.some(({ isUnseen }) => isUnseen !== true);
}

/** @returns 0 for what is not there, such as a database in memory. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite gives its `-wal` and `-shm` files the permissions of the database file. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
