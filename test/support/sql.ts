import type { Database, SqlValue, Statement } from '../../src/database/database.ts';

export function sql(text: string, ...parameters: readonly SqlValue[]): Statement {
  return { sql: text, parameters };
}

export async function readColumn(
  database: Pick<Database, 'read'>, text: string, ...parameters: readonly SqlValue[]
): Promise<readonly (SqlValue | undefined)[]> {
  return (await database.read(sql(text, ...parameters))).map((row) => Object.values(row)[0]);
}
