/**
 * The bodies of rqlite's HTTP API (rqlite.io/docs/api). Statements are sent as `[["SQL", parameter…], …]`. An
 * answer is `{"results":[…]}` with a result for each statement. A result is
 * `{"columns":[…],"values":[[…],…]}` for rows, `{"rows_affected":…}` for a change, or `{"error":"…"}` for a
 * failed statement. The tables of the service hold only text and safe integers, which JSON keeps exact.
 */
import type { Row, SqlValue, Statement } from '../../database/database.ts';

export interface StatementResult {
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
  readonly changes: number;
  /** The reason for a failure, in the words of rqlite. Operators see this text, but clients do not. */
  readonly error: string | undefined;
}

export type Answer =
  | { readonly kind: 'answered'; readonly results: readonly StatementResult[] }
  /** The credentials or the content of the request are wrong, so a retry is useless. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The request failed, but may have taken effect. */
  | { readonly kind: 'failed'; readonly reason: string };

const STATUS_OK = 200;
const STATUSES_REFUSED: readonly number[] = [400, 401, 403];

export function encodeStatement({ sql, parameters }: Statement): string {
  return JSON.stringify([sql, ...parameters]);
}

export function readAnswer(status: number, text: string): Answer {
  if (status !== STATUS_OK) {
    return {
      kind: STATUSES_REFUSED.includes(status) ? 'refused' : 'failed',
      reason: `status ${status}: ${text.trim()}`,
    };
  }
  const { results, error } = toObject(parseJson(text));
  return Array.isArray(results) && error === undefined
    ? { kind: 'answered', results: results.map(toResult) }
    : { kind: 'failed', reason: String(error ?? 'the answer is not from rqlite') };
}

/** @throws Error if a value is an unsafe integer, because `JSON.parse` may have rounded the value. */
export function toRows({ columns, values }: StatementResult): readonly Row[] {
  return values.map((row) => Object.fromEntries(columns.map((column, index) => [
    column, toSqlValue(row[index]),
  ])));
}

function toSqlValue(value: unknown): SqlValue {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error(`Cannot read a value of the database: expected a safe integer, found ${value}`);
  }
  return value as SqlValue; // rqlite writes only numbers, texts and nulls
}

function toResult(value: unknown): StatementResult {
  const { columns, values, rows_affected: changes, error } = toObject(value);
  return {
    columns: Array.isArray(columns) ? columns.map(String) : [],
    values: Array.isArray(values) ? values.filter(Array.isArray) : [],
    changes: typeof changes === 'number' ? changes : 0, // rqlite omits `rows_affected` if no row changed
    error: error === undefined ? undefined : String(error),
  };
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? value as Record<string, unknown> : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the answer was cut short, or is not from rqlite
  }
}
