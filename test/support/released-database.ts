import type { Database } from '../../src/database/database.ts';
import { columnIn, inFile } from './programs.ts';
import { read } from './project.ts';
import { sql } from './sql.ts';

export const RELEASED_VERSIONS = [5, 6, 7] as const;

type ReleasedVersion = (typeof RELEASED_VERSIONS)[number];

function readReleased(version: ReleasedVersion): string {
  return read(`test/fixtures/version-${version}.sql`);
}

export function createReleasedFile(path: string, version: ReleasedVersion): void {
  inFile(path, (database) => database.exec(`PRAGMA journal_mode = WAL; ${readReleased(version)}`));
}

export function readVersionOf(path: string): unknown {
  return columnIn(path, 'SELECT max(version) FROM schema_version')[0];
}

/** Versions 5 and 6 of the schema had this trigger on clusters, but not in SQLite files. */
const CLUSTER_TRIGGER = `CREATE TRIGGER audit_events_are_not_replaced BEFORE INSERT ON audit_events
  WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = new.id)
  BEGIN SELECT RAISE(ABORT, 'Audit events cannot be replaced'); END`;

export async function fillAsReleased(
  database: Database, version: ReleasedVersion, isCluster: boolean,
): Promise<void> {
  const statements = readReleased(version).replace(/^--.*\n/gm, '').split(';\n\n').filter(Boolean);
  const triggers = isCluster && version < 7 ? [CLUSTER_TRIGGER] : [];
  await database.write([...statements, ...triggers].map((text) => sql(text)));
}

/** The keys are the names that `make.ts` gives to ada's tokens. */
export function readTokens(version: ReleasedVersion): ReadonlyMap<string, string> {
  const lines = readReleased(version).matchAll(/^-- Token "(\w+)" of ada: (\S+)$/gm);
  return new Map([...lines].map(([, name = '', token = '']) => [name, token]));
}
