/** Reads columns of a row as the type that the tables give them; anything else is a mistake in a statement. */
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
