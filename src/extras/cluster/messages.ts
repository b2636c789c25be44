/**
 * The bodies of rqlite's HTTP API (rqlite.io/docs/api): statements go as `[["SQL", parameter…], …]`,
 * answers come as `{"results": [{"columns": […], "values": [[…], …]}, …]}`, with `{"rows_affected": …}`
 * for a statement that changed rows, and `{"error": "…"}` for a statement that failed.
 *
 * Our tables hold only text and safe integers. JSON carries both without loss, including the character of
 * code 0.
 */
import type { Row, SqlValue, Statement } from '../../database/database.ts';

/** A node's answer to one statement. */
export interface StatementResult {
  /** Absent for a statement that cannot return rows, unlike a `SELECT` that finds none. */
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
  /** The number of rows that the statement changed. */
  readonly changes: number;
  /** The reason of a refusal, for the log. No decision depends on its words. */
  readonly error: string | undefined;
}

export type Answer =
  | { readonly kind: 'answered'; readonly results: readonly StatementResult[] }
  /** The request will never be accepted: its credentials or its content are wrong. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The node failed, or its answer does not tell whether the request took effect. */
  | { readonly kind: 'failed'; readonly reason: string };

const STATUS_OK = 200;
const STATUSES_REFUSED: readonly number[] = [400, 401, 403];

/** @throws When a parameter is a number that JSON cannot carry. */
export function encodeStatement({ sql, parameters }: Statement): string {
  return JSON.stringify([sql, ...parameters.map(assertCarried)]);
}

function assertCarried(value: SqlValue): SqlValue {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    // JSON would turn NaN and the infinities into null.
    throw new Error(`Cannot send the parameter ${value}: expected a finite number`);
  }
  return value;
}

/** Reads what a node answered to a list of statements. */
export function readAnswer({ status, text }: { readonly status: number; readonly text: string }): Answer {
  if (status !== STATUS_OK) {
    return {
      kind: STATUSES_REFUSED.includes(status) ? 'refused' : 'failed',
      reason: `status ${status}: ${text.trim()}`,
    };
  }
  const body = parseObject(text);
  if (body?.['error'] !== undefined || !Array.isArray(body?.['results'])) {
    return { kind: 'failed', reason: String(body?.['error'] ?? 'the answer is not from rqlite') };
  }
  return { kind: 'answered', results: body['results'].map(toResult) };
}

/**
 * @throws When a value is of a kind that our tables do not hold, such as an unsafe integer: parsing has
 *   already rounded it.
 */
export function toRows({ columns, values }: StatementResult): readonly Row[] {
  return values.map((row) => Object.fromEntries(columns.map((column, index) => [
    column, toSqlValue(row[index]),
  ])));
}

function toSqlValue(value: unknown): SqlValue {
  if (typeof value === 'string' || value === null) {
    return value;
  }
  if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))) {
    return value;
  }
  const found = `${typeof value} ${String(value)}`;
  throw new Error(
    `Cannot read a value of the database: expected text, a safe integer or NULL, found ${found}`,
  );
}

function toResult(value: unknown): StatementResult {
  const { columns, values, rows_affected: changes, error } =
    (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    columns: Array.isArray(columns) ? columns.map(String) : [],
    values: Array.isArray(values) ? values.filter(Array.isArray) : [],
    changes: typeof changes === 'number' ? changes : 0, // the member is absent for 0
    error: error === undefined ? undefined : String(error),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined; // cut short, or not from rqlite
  }
}
