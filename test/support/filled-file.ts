/** Creates a database file with users and many projects, but without audit events. */
import type { TestContext } from 'node:test';
import type { Statement } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createSchema } from '../../src/stores/schema.ts';
import { createInstallation } from './programs.ts';
import { sql } from './sql.ts';

export interface Owner {
  readonly username: string;
  /** The number of projects, which are called `<username>-1` and so on. */
  readonly projects: number;
  readonly description: string;
}

export const LONGEST_DESCRIPTION = '\u{1F600}'.repeat(2_000);
const AT = '2026-01-01T00:00:00.000Z';

export function insertProjects({ username, projects, description }: Owner): Statement {
  return sql(
    `WITH RECURSIVE numbers (number) AS (
       SELECT 1 WHERE ? > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?
     )
     INSERT INTO projects (name, name_key, description, owner_id, date_created)
     SELECT username || '-' || number, username || '-' || number, ?, id, date_created
     FROM users CROSS JOIN numbers WHERE username = ?`,
    projects, projects, description, username,
  );
}

/** Fills a database file before a server starts, so the server does not have to create the tables. */
export async function createFilled(
  context: TestContext, settings: Readonly<Record<string, string>> = {}, owners: readonly Owner[] = [],
) {
  const installation = createInstallation(context, settings);
  const database = await openSqlite({ driver: 'sqlite', path: installation.path });
  await createSchema(database);
  await database.write(owners.flatMap(({ username, projects, description }) => [
    sql(
      `INSERT INTO users (username, username_key, email, password_hash, date_created)
       VALUES (?, ?, 'someone@example.org', '', ?)`,
      username, username, AT,
    ),
    insertProjects({ username, projects, description }),
  ]));
  await database.close();
  return installation;
}
