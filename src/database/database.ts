/**
 * The one interface to the database: embedded SQLite, or a cluster over HTTP. A cluster has no interactive
 * transactions, so writes are batches, and statements make the decisions (stores/guards.ts).
 *
 * The clock and random values are parameters, so a statement means the same on every node. A batch has no
 * `SELECT`, because every node would run it. A batch has no `RETURNING`, because rqlite before 9.4.2 does not
 * undo a batch in which a `RETURNING` fails (rqlite issue 2530).
 */

/** `Roll`, in the header of each database and backup (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x526f6c6c;

/** Text has no NUL, because some drivers end a text at a NUL. Integers are at most 2^53 - 1. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** @param text - Must come from this program, never from a request. */
export const raw = (text: string): Statement => ({ sql: text, parameters: [] });

/** A text that was joined from parts. `next` maps a further part to the text that is longer by this part. */
interface Joined {
  readonly text: string;
  readonly next: Map<string, Joined>;
}

/** Without this map of some thousand texts, joining texts would take 5 % of the time of an insertion. */
const joinedTexts = new Map<TemplateStringsArray, Joined>();

/** Joins statements and values to one statement. Every value becomes a parameter, so no value becomes SQL. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Statement)[]): Statement {
  const parameters: SqlValue[] = [];
  let joined = joinedTexts.get(texts) ?? keep(joinedTexts, texts, texts[0] ?? '');
  let index = 0;
  for (const part of parts) {
    index += 1;
    let text = '?';
    if (typeof part === 'object' && part !== null) {
      text = part.sql;
      parameters.push(...part.parameters);
    } else {
      parameters.push(part);
    }
    joined = joined.next.get(text) ?? keep(joined.next, text, joined.text + text + texts[index]);
  }
  return { sql: joined.text, parameters };
}

function keep<Key>(texts: Map<Key, Joined>, key: Key, text: string): Joined {
  const joined = { text, next: new Map() };
  texts.set(key, joined);
  return joined;
}

export type Row = Readonly<Record<string, SqlValue>>;

export interface Change {
  /** The number of rows that each statement changed, without changes by triggers. */
  readonly counts: readonly number[];
  readonly row: Row | undefined;
}

/**
 * A `linearizable` read (the default) sees every write that was acknowledged before the read began. For a
 * second, a `recent` read may miss writes of other processes, because any node of a cluster may answer.
 */
export type Consistency = 'linearizable' | 'recent';

/**
 * `write` runs statements in order, as one atomic batch. When the promise is fulfilled, the changes are on
 * disk (with `synchronous=normal`, soon after). `change` also tells how many rows each statement changed. If
 * the first statement, which decides about the batch, changes no rows, `readBack` reads a row. On a cluster,
 * the row may show a later change, too.
 *
 * The methods throw a `Database…Error` for an outage, and another error for a statement that is refused.
 */
export interface Database {
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;
  write(statements: readonly Statement[]): Promise<unknown>;
  change(statements: readonly Statement[], readBack?: Statement): Promise<Change>;
  /** Inspects the nodes of a cluster. @returns A sentence for each fault. */
  findNodeFaults?(depth: 'quick' | 'thorough'): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * The database did not respond in time. A batch without a response may still be written later, but only as a
 * whole and at most once. If a batch fails with an error of another class, nothing was changed.
 */
export class DatabaseUnavailableError extends Error {}

/** The disk is full, but reads still work. */
export class DatabaseFullError extends Error {}

export class DatabaseLockedError extends Error {}

export async function readOne<Result>(
  database: Database, statement: Statement, toResult: (row: Row) => Result,
): Promise<Result | undefined> {
  const [row] = await database.read(statement);
  return row && toResult(row);
}

/** Reads a column as the type that the table declares; any other type is a bug in the statement. */
export const textOf = (row: Row, column: string): string =>
  typeof row[column] === 'string' ? row[column] : refuseColumn(column);

export const integerOf = (row: Row, column: string): number =>
  typeof row[column] === 'number' ? row[column] : refuseColumn(column);

export const textOrNone = (row: Row, column: string) =>
  row[column] === null ? undefined : textOf(row, column);

function refuseColumn(column: string): never {
  throw new Error(`The column "${column}" has another type`);
}
