/**
 * A database that gathers what is written in one turn of the event loop into one batch, so that the stores, which insert
 * one record at a time, fill tables by the thousand with the very statements that the service uses.
 *
 * All writes of a batch stand or fall together, which is right for filling and for nothing else.
 */
import type { Database, Row, Statement } from '../../src/database/database.ts';

type Rows = readonly (readonly Row[])[];

interface WaitingWrite {
  readonly statements: readonly Statement[];
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

export function gatherWrites(database: Database): Database {
  let waiting: WaitingWrite[] = [];

  return {
    read: (statement) => database.read(statement),
    write(statements) {
      if (waiting.length === 0) {
        setImmediate(flush);
      }
      return new Promise((resolve, reject) => waiting.push({ statements, resolve, reject }));
    },
    measure: () => database.measure(),
    trimLog: () => database.trimLog(),
    close: () => database.close(),
  };

  function flush(): void {
    const batch = waiting;
    waiting = [];
    database.write(batch.flatMap(({ statements }) => statements)).then(
      (rows) => deal(batch, rows),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    );
  }
}

/** Gives each write the rows of its own statements. */
function deal(batch: readonly WaitingWrite[], rows: Rows): void {
  let start = 0;
  for (const { statements, resolve } of batch) {
    resolve(rows.slice(start, start + statements.length));
    start += statements.length;
  }
}
