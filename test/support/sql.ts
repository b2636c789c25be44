import type { SqlValue, Statement } from '../../src/database/database.ts';

export function sql(text: string, ...parameters: readonly SqlValue[]): Statement {
  return { sql: text, parameters };
}
