/**
 * The only interface to the database, which is embedded SQLite or a cluster over HTTP. Each write is a batch
 * with guards (stores/guards.ts), because a cluster has no interactive transactions.
 *
 * The current time and all random values are parameters, so a statement has the same effect on every node. A
 * batch must not use `SELECT` to read results, because every node would run this `SELECT`. A batch uses no
 * `RETURNING`: if a statement with `RETURNING` fails, rqlite before 9.4.2 does not undo the batch (rqlite
 * issue 2530).
 */

/** The letters `Roll` mark each database and each backup (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x526f6c6c;

/** Strings contain no NUL, because some drivers cut a string at a NUL. Stored integers are below 2^53. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** @param text - SQL from this program, never from a request. */
export const raw = (text: string): Statement => ({ sql: text, parameters: [] });

/** Joined SQL. Each key of `next` is a part that can follow `text`. The value has this part appended. */
interface Joined {
  readonly text: string;
  readonly next: Map<string, Joined>;
}

/** This map caches joined SQL, because joining SQL again would make the insertion of a row 5 % slower. */
const joinedTexts = new Map<TemplateStringsArray, Joined>();

/**
 * Joins statements and values into one statement. Each value becomes a parameter, and never becomes SQL.
 * Each parameter has a `+`. Otherwise, SQLite would compile a statement again for each new value of a
 * `LIMIT`, and SQLite 3.54 would also do this for each new value in a join. Compiling a statement takes
 * longer than reading 50 ids.
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Statement)[]): Statement {
  const parameters: SqlValue[] = [];
  let joined = joinedTexts.get(texts) ?? keep(joinedTexts, texts, texts[0] ?? '');
  let index = 0;
  for (const part of parts) {
    index += 1;
    let text = '+?';
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
  /** The number of rows that each statement changed, not counting changes by triggers. */
  readonly counts: readonly number[];
  readonly row: Row | undefined;
}

/**
 * A `linearizable` read (the default) sees every write that was acknowledged before the read began. In a
 * cluster, a `recent` read can miss the writes of other processes in the last second.
 */
export type Consistency = 'linearizable' | 'recent';

/**
 * The method `write` runs statements in order, as one atomic batch. When the promise is fulfilled, the batch
 * is on disk; with `synchronous=normal`, the batch reaches the disk soon after. The method `change` works
 * like `write`. If the first statement changes no rows, `change` runs `readBack` at the end, and returns the
 * first row that `readBack` finds. On a cluster, this row can include later changes.
 *
 * The methods throw a `Database…Error` in an outage, and another error if the database refuses a statement.
 */
export interface Database {
  read(statement: Statement, consistency?: Consistency): Promise<readonly Row[]>;
  write(statements: readonly Statement[]): Promise<unknown>;
  change(statements: readonly Statement[], readBack?: Statement): Promise<Change>;
  /** Inspects the nodes of a cluster. @returns A sentence for each fault that was found. */
  findNodeFaults?(depth: 'quick' | 'thorough'): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * The database did not respond in time. A batch without a response can still be written later, but only as a
 * whole and at most once. After any error except `DatabaseUnavailableError`, the batch has changed nothing.
 */
export class DatabaseUnavailableError extends Error {}

/** The disk is full, but `read` still works. */
export class DatabaseFullError extends Error {}

/** Another program held the lock of the database file for longer than the driver waits. */
export class DatabaseLockedError extends Error {}

export async function readOne<Result>(
  database: Database, statement: Statement, toResult: (row: Row) => Result,
): Promise<Result | undefined> {
  const [row] = await database.read(statement);
  return row && toResult(row);
}

/** The database stores a `flag` as 0 or 1. */
interface ColumnTypes {
  readonly integer: number;
  readonly flag: boolean;
  readonly text: string;
  readonly 'text or null': string | undefined;
}

/** @returns The values of the columns. @throws Error if a value has the wrong type (a bug in the SQL). */
export function readRow<const Columns extends Readonly<Record<string, keyof ColumnTypes>>>(
  row: Row, columns: Columns,
) {
  const values: Record<string, unknown> = {};
  for (const name in columns) {
    const type = columns[name];
    const value = row[name];
    const expected = type === 'integer' || type === 'flag' ? 'number' : 'string';
    if (typeof value !== expected && !(value === null && type === 'text or null')) {
      throw new Error(`The column "${name}" does not have the type "${type}"`);
    }
    values[name] = type === 'flag' ? value === 1 : value ?? undefined;
  }
  return values as { readonly [Name in keyof Columns]: ColumnTypes[Columns[Name]] };
}
