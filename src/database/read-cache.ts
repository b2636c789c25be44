/**
 * Remembers what was read, for as long as nothing is written. What a request needs to know of its caller is asked again
 * with every request, and seldom has another answer.
 */
import type { Row, Statement } from './database.ts';

/** Beyond it the oldest make room. */
const READS_MAX = 1_000;

export class ReadCache {
  readonly #reads = new Map<string, readonly Row[]>();
  #state: number | undefined;
  readonly counts = { hits: 0, misses: 0 };

  /**
   * @param state - Of the data; another number after each write, by whomever it was.
   * @param load - Called when the rows are not known. Finding nothing is not remembered: the world is full of wrong tokens.
   */
  read(statement: Statement, state: number, load: () => readonly Row[]): readonly Row[] {
    if (state !== this.#state) {
      this.#reads.clear();
      this.#state = state;
    }
    const key = [statement.sql, ...statement.parameters].join('\0'); // no text holds NUL, see database.ts
    const known = this.#reads.get(key);
    this.counts[known === undefined ? 'misses' : 'hits'] += 1;
    return known ?? this.#remember(key, load());
  }

  #remember(key: string, rows: readonly Row[]): readonly Row[] {
    if (rows.length > 0) {
      const [oldest] = this.#reads.size < READS_MAX ? [] : this.#reads.keys();
      this.#reads.delete(oldest ?? key);
      this.#reads.set(key, rows);
    }
    return rows;
  }
}
