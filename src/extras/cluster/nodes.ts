/**
 * Checks whether each node of a cluster answers, and whether its flags, file and rows are correct. The
 * protocol Raft keeps the logs of all nodes identical, but the rows can differ. For example, a node with a
 * full disk can miss a write, and later return wrong rows without an error.
 *
 * Rows must be compared at one point of the log, because clients can write during the comparison. So one
 * write copies some rows into the table `node_snapshots` of every node. The service compares only these
 * copies.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { raw, readRow, sql, type Database, type Row, type Statement } from '../../database/database.ts';
import type { Connection } from './connection.ts';
import { encodeStatement, type Answer } from './messages.ts';
import { PRUNE_TICKETS } from './tickets.ts';

/** The depth `quick` compares only the newest rows; the depth `thorough` checks all rows and the files. */
type Depth = 'quick' | 'thorough';

const PATH = '/db/query?level=none';
const ANSWER_TIMEOUT_MS: Readonly<Record<Depth, number>> = { quick: 2_000, thorough: 120_000 };

/** A node is reported as faulty if it needs more time than this to apply a write. */
const BEHIND_MS_MAX = 5_000;
const POLL_MS = 20;

const NEWEST = sql`ORDER BY rowid DESC LIMIT 100`;
const ROWS_AT_ONCE = 500;

/** Interrupted comparisons leave rows in `node_snapshots`. The next comparison keeps only this many rows. */
const SNAPSHOTS_KEPT_MAX = 200;

const PREPARATION = [
  PRUNE_TICKETS,
  sql`CREATE TABLE IF NOT EXISTS node_snapshots (id TEXT NOT NULL, content TEXT NOT NULL) STRICT`,
  sql`DELETE FROM node_snapshots
      WHERE rowid <= (SELECT max(rowid) - ${SNAPSHOTS_KEPT_MAX} FROM node_snapshots)`,
];
const FOREIGN_KEYS = sql`SELECT foreign_keys FROM pragma_foreign_keys`;
const INTEGRITY = sql`SELECT integrity_check FROM pragma_integrity_check(1)`;

/**
 * Lists the tables to compare, with their columns. The shadow tables of the search index are left out: equal
 * indexes can have different shadow tables.
 */
const COLUMNS = sql`
  SELECT tables.name AS "table", group_concat('"' || columns.name || '"', ', ') AS columns
  FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
  WHERE tables.schema = 'main' AND tables.type = 'table' AND NOT tables.wr
    AND tables.name NOT IN ('sqlite_schema', 'node_snapshots')
  GROUP BY tables.name`;

/** The member `name` is the host and the port of the node. */
type NodeAnswer = Answer & { readonly name: string };

/** @throws Error if a node was started without the flag `-fk`, which enforces foreign keys. */
export async function requireForeignKeys(connection: Connection): Promise<void> {
  const answers = await askNodes(connection, 'quick', [FOREIGN_KEYS]);
  const without = answers.filter((answer) => answer.kind === 'answered' && valueOf(answer) !== 1);
  if (without.length > 0) {
    const names = without.map(({ name }) => name).join(', ');
    throw new Error(`no foreign keys on ${names}: start every rqlited with -fk`);
  }
}

/** Also removes old tickets. @returns A sentence for each fault. */
export async function findNodeFaults(
  connection: Connection, database: Database, depth: Depth,
): Promise<readonly string[]> {
  const ofFile = depth === 'thorough' ? [INTEGRITY] : [];
  /** Maps the name of each faulty node to its fault. `collectSnapshots` skips these nodes. */
  const faults = findFaultsOfEach(await askNodes(connection, depth, [FOREIGN_KEYS, ...ofFile]));
  const failure: Error | void = await compareNodes().catch((error) => error);
  if (failure && faults.size === 0) {
    throw failure;
  }
  return [
    ...Array.from(faults, ([name, fault]) => `Node ${name} ${fault}`),
    ...(failure ? [`The rows of the nodes were not compared: ${failure.message}`] : []),
  ];

  async function compareNodes(): Promise<void> {
    await database.write(PREPARATION);
    for (const table of await database.read(COLUMNS)) {
      let rowIds: readonly number[] = [0];
      do {
        const next = sql`WHERE rowid > ${rowIds.at(-1) ?? 0} ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`;
        rowIds = await compareRows(table, depth === 'quick' ? NEWEST : next);
      } while (depth === 'thorough' && rowIds.length === ROWS_AT_ONCE);
    }
  }

  /** @param choice - This SQL selects the rows to compare. @returns The rowids that most nodes have. */
  async function compareRows(row: Row, choice: Statement): Promise<readonly number[]> {
    const id = randomUUID();
    const { table, columns: names } = readRow(row, { table: 'text', columns: 'text' });
    const columns = raw(names);
    await database.write([sql`
      INSERT INTO node_snapshots (id, content) SELECT ${id}, json_group_array(json_array(row_id, ${columns}))
      FROM (SELECT rowid AS row_id, ${columns} FROM ${raw(`"${table}"`)} ${choice})`]);
    const snapshots = await collectSnapshots(id);
    const majority = findMostFrequent([...snapshots.values()]);
    for (const [name] of [...snapshots].filter(([, snapshot]) => snapshot !== majority)) {
      faults.set(name, `holds different rows in table "${table}" than the other nodes: replace this node`);
    }
    await database.write([sql`DELETE FROM node_snapshots WHERE id = ${id}`]);
    return (JSON.parse(majority) as [number][]).map(([rowId]) => rowId); // the text is from json_group_array
  }

  /** @returns A map from the names of nodes to snapshots. Nodes that are too slow are added to `faults`. */
  async function collectSnapshots(id: string): Promise<Map<string, string>> {
    const endsAtMs = performance.now() + BEHIND_MS_MAX;
    const statement = sql`SELECT content FROM node_snapshots WHERE id = ${id}`;
    for (;;) {
      const answers = (await askNodes(connection, depth, [statement]))
        .filter(({ name }) => !faults.has(name));
      const missing = answers.filter((answer) => valueOf(answer) === undefined);
      if (missing.length === 0) {
        return new Map(answers.map((answer) => [answer.name, String(valueOf(answer))]));
      }
      if (performance.now() > endsAtMs) {
        const reason = 'is behind: it has not applied the latest writes';
        missing.forEach((answer) => faults.set(answer.name, 'reason' in answer ? answer.reason : reason));
      }
      await pause(POLL_MS);
    }
  }
}

/** Each node answers from its own data. */
function askNodes(
  connection: Connection, depth: Depth, statements: readonly Statement[],
): Promise<readonly NodeAnswer[]> {
  const body = `[${statements.map(encodeStatement).join()}]`;
  return Promise.all(connection.nodes.map(async (node) => ({
    ...(await connection.post(node, PATH, body, ANSWER_TIMEOUT_MS[depth])),
    name: `${node.host}:${node.port}`,
  })));
}

function findFaultsOfEach(answers: readonly NodeAnswer[]): Map<string, string> {
  const faults = new Map<string, string>();
  for (const answer of answers) {
    if (answer.kind !== 'answered') {
      faults.set(answer.name, `does not answer: ${answer.reason}`);
    } else if (valueOf(answer) !== 1) {
      faults.set(answer.name, 'does not enforce foreign keys: start every rqlited with -fk');
    } else if (answer.results.length > 1 && valueOf(answer, 1) !== 'ok') {
      const fault = answer.results[1]?.error ?? String(valueOf(answer, 1));
      faults.set(answer.name, `has a damaged file: ${fault}`);
    }
  }
  return faults;
}

function valueOf(answer: Answer, statement = 0): unknown {
  return answer.kind === 'answered' ? answer.results[statement]?.values[0]?.[0] : undefined;
}

function findMostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.toSorted((left, right) => right.length - left.length)[0]?.[0] ?? '[]';
}
