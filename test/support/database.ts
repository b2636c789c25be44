/** A fresh database for one test. */
import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';

/** An empty one, which ends with the test. */
export async function openTestDatabase(context: TestContext): Promise<Database> {
  const database = await openDatabase({ driver: 'sqlite', path: ':memory:' });
  context.after(() => database.close());
  return database;
}
