/**
 * Caches the rows of frequent reads until the data that they depend on changes. Each request looks up its
 * caller, mostly with the same result, while other tables change all the time.
 */
import type { Row, Statement } from './database.ts';

/** When the cache is full, the oldest entry is evicted. */
const READS_MAX = 1_000;

interface KnownRows {
  readonly rows: readonly Row[];
  /** The rows of the condition when these rows were read, as JSON. */
  readonly state: string;
}

interface KnownState {
  readonly condition: Statement;
  /** The number of commits when the condition was last read. */
  readonly commits: number;
  readonly state: string;
}

export class ReadCache {
  readonly #reads = new Map<string, KnownRows>();
  #latest: KnownState | undefined;
  readonly counts = { hits: 0, misses: 0 };

  /**
   * Answers a statement from the cache, or reads the condition and then the rows. If a commit comes between
   * the two, newer rows are kept under an older state: one needless read, but never a stale answer.
   *
   * @param condition - Pass the same object each time, so that it is read only once after each commit.
   * @param commits - A number that changes with each commit, by any process.
   * @param run - Runs a statement on the database.
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

  /** Misses are not cached, or guessed tokens would fill the cache. */
  #remember(key: string, found: KnownRows): void {
    this.#reads.delete(key); // so that the map stays in order of age
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
