/** Reads columns of a row as the types that the tables declare; any other type is a bug in a statement. */
import type { Row } from '../database/database.ts';

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') {
    throw new Error(`Expected text in column "${column}", found ${typeof value}`);
  }
  return value;
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') {
    throw new Error(`Expected an integer in column "${column}", found ${typeof value}`);
  }
  return value;
}

/** @returns `undefined` for NULL. */
export function textOrNone(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** @returns `undefined` for NULL. */
export function integerOrNone(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column);
}
