/**
 * Remembers what was read, while nothing that matters has changed. Each request asks who its caller is,
 * mostly with the same answer as before, while other tables change all the time.
 */
import type { Row, Statement } from './database.ts';

/** Beyond it the oldest make room. */
const READS_MAX = 1_000;

interface KnownRows {
  readonly rows: readonly Row[];
  /** Of the condition, when the rows were read. */
  readonly state: string;
}

interface KnownState {
  readonly condition: Statement;
  /** The number of commits when it was last asked. */
  readonly commits: number;
  readonly state: string;
}

export class ReadCache {
  readonly #reads = new Map<string, KnownRows>();
  #latest: KnownState | undefined;
  readonly counts = { hits: 0, misses: 0 };

  /**
   * The condition is read before the rows, so at worst the rows are newer than the state that is remembered
   * with them, and are read again for nothing.
   *
   * @param condition - Mostly the same object, so that it is asked once after each commit.
   * @param commits - Another number after each commit to the database, by whomever.
   * @param run - Asks the database.
   */
  read(
    statement: Statement,
    condition: Statement,
    commits: number,
    run: (statement: Statement) => readonly Row[],
  ): readonly Row[] {
    const state = this.#readState(condition, commits, run);
    const key = [statement.sql, ...statement.parameters].join('\0'); // no text holds NUL, see database.ts
    const known = this.#reads.get(key);
    if (known?.state === state) {
      this.counts.hits += 1;
      return known.rows;
    }
    this.counts.misses += 1;
    const rows = run(statement);
    this.#remember(key, { rows, state });
    return rows;
  }

  #readState(condition: Statement, commits: number, run: (statement: Statement) => readonly Row[]): string {
    if (this.#latest?.condition !== condition || this.#latest.commits !== commits) {
      this.#latest = { condition, commits, state: JSON.stringify(run(condition)) };
    }
    return this.#latest.state;
  }

  /** Finding nothing is not remembered, or guessed tokens would fill the cache. */
  #remember(key: string, found: KnownRows): void {
    this.#reads.delete(key); // so that the map stays in the order of age
    if (found.rows.length === 0) {
      return;
    }
    const [oldest] = this.#reads.keys();
    if (this.#reads.size >= READS_MAX && oldest !== undefined) {
      this.#reads.delete(oldest);
    }
    this.#reads.set(key, found);
  }
}
