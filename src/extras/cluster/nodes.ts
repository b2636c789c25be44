/**
 * Inspects the answer, the flags, the file and the rows of each node of a cluster. Raft keeps the logs of all
 * nodes identical, but not their rows: a node whose disk was full may have failed to apply an entry of the
 * log, and then answers with wrong rows and without an error.
 *
 * While writes go on, the rows of nodes can be compared only at the same point of the log. By a write, each
 * node copies some of its own rows into the table `node_snapshots`, and is then asked for its copy.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { raw, sql, textOf, type Database, type Row, type Statement } from '../../database/database.ts';
import type { RqliteLocation, RqliteNode } from '../../database/location.ts';
import { PRUNE_TICKETS } from './batch.ts';
import { createConnection } from './connection.ts';
import { encodeStatement, readAnswer, type Answer, type StatementResult } from './messages.ts';

/** `quick` compares the newest rows, once a minute; `thorough` compares all rows, and checks each file. */
type Depth = 'quick' | 'thorough';

const PATH = '/db/query?level=none';
const ANSWER_TIMEOUT_MS = { quick: 2_000, thorough: 120_000 } as const;

/** The time within which a node must apply a write that the other nodes have applied. */
const BEHIND_MS_MAX = 5_000;
const POLL_MS = 20;

const NEWEST = sql`ORDER BY rowid DESC LIMIT 100`;
const ROWS_AT_ONCE = 500;

/** The most snapshots that interrupted comparisons may leave in the table `node_snapshots`. */
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
 * The tables to compare, with their columns: all tables with a rowid, except the shadow tables of the search
 * index, which may differ between nodes whose indexes are equal.
 */
const COLUMNS = sql`
  SELECT tables.name AS "table", group_concat('"' || columns.name || '"', ', ') AS columns
  FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
  WHERE tables.schema = 'main' AND tables.type = 'table' AND NOT tables.wr
    AND tables.name NOT IN ('sqlite_schema', 'node_snapshots')
  GROUP BY tables.name`;

interface NodeAnswer {
  /** The host and the port of the node. */
  readonly name: string;
  readonly results: readonly StatementResult[];
  /** Why the node gave no results. */
  readonly fault?: string;
}

/** Asks every node; each node answers from its own data. */
type AskNodes = (statements: readonly Statement[]) => Promise<readonly NodeAnswer[]>;

/** @throws When a node does not enforce foreign keys: rqlite needs the flag `-fk`. */
export async function requireForeignKeys(location: RqliteLocation): Promise<void> {
  const answers = await withNodes(location, ANSWER_TIMEOUT_MS.quick, (ask) => ask([FOREIGN_KEYS]));
  const without = answers.filter(({ fault, results: [row] }) => fault === undefined && valueOf(row) !== 1);
  if (without.length > 0) {
    const names = without.map(({ name }) => name).join(', ');
    throw new Error(`no foreign keys on ${names}: start every rqlited with -fk`);
  }
}

/** Inspects all nodes, and removes old tickets. @returns A sentence for each fault. */
export async function findNodeFaults(
  { location, database }: { readonly location: RqliteLocation; readonly database: Database },
  depth: Depth,
): Promise<readonly string[]> {
  return withNodes(location, ANSWER_TIMEOUT_MS[depth], async (ask) => {
    const answers = await ask([FOREIGN_KEYS, ...(depth === 'thorough' ? [INTEGRITY] : [])]);
    const faults = findFaultsOfEach(answers);
    const failure: unknown = await compareNodes(depth, { ask, database, faults }).catch((error) => error);
    if (failure !== undefined && faults.size === 0) {
      throw failure;
    }
    return [
      ...Array.from(faults, ([name, fault]) => `Node ${name} ${fault}`),
      ...(failure === undefined ? [] : [`The rows of the nodes were not compared: ${String(failure)}`]),
    ];
  });
}

async function withNodes<Result>(
  location: RqliteLocation, timeoutMs: number, use: (ask: AskNodes) => Promise<Result>,
): Promise<Result> {
  const connection = createConnection(location);

  async function askNode(node: RqliteNode, body: string): Promise<NodeAnswer> {
    const name = `${node.host}:${node.port}`;
    const answer = await connection.post(node, PATH, body, timeoutMs)
      .then(readAnswer, (error: unknown): Answer => ({ kind: 'failed', reason: String(error) }));
    return answer.kind === 'answered' ? { name, results: answer.results }
      : { name, results: [], fault: answer.reason };
  }

  try {
    return await use((statements) => {
      const body = `[${statements.map(encodeStatement).join()}]`;
      return Promise.all(location.nodes.map((node) => askNode(node, body)));
    });
  } finally {
    connection.close();
  }
}

function findFaultsOfEach(answers: readonly NodeAnswer[]): Map<string, string> {
  const faults = new Map<string, string>();
  for (const { name, fault, results: [foreignKeys, integrity] } of answers) {
    if (fault !== undefined) {
      faults.set(name, `does not answer: ${fault}`);
    } else if (valueOf(foreignKeys) !== 1) {
      faults.set(name, 'does not enforce foreign keys: start every rqlited with -fk');
    } else if (integrity !== undefined && valueOf(integrity) !== 'ok') {
      faults.set(name, `has a damaged file: ${integrity.error ?? String(valueOf(integrity))}`);
    }
  }
  return faults;
}

const valueOf = (result: StatementResult | undefined) => result?.values[0]?.[0];

interface Comparison {
  readonly ask: AskNodes;
  readonly database: Database;
  /** Faults by the name of the node. A comparison skips nodes with a fault, and adds the faults it finds. */
  readonly faults: Map<string, string>;
}

async function compareNodes(depth: Depth, comparison: Comparison): Promise<void> {
  await comparison.database.write(PREPARATION);
  for (const table of await comparison.database.read(COLUMNS)) {
    let rowIds: readonly number[] = [0];
    do {
      const next = sql`WHERE rowid > ${rowIds.at(-1) ?? 0} ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`;
      rowIds = await compareRows(table, depth === 'quick' ? NEWEST : next, comparison);
    } while (depth === 'thorough' && rowIds.length === ROWS_AT_ONCE);
  }
}

/** @param choice - The end of a `SELECT` of rows. @returns The rowids of the selected rows on most nodes. */
async function compareRows(
  row: Row, choice: Statement, { ask, database, faults }: Comparison,
): Promise<readonly number[]> {
  const id = randomUUID();
  const [table, columns] = [textOf(row, 'table'), raw(textOf(row, 'columns'))];
  await database.write([sql`
    INSERT INTO node_snapshots (id, content) SELECT ${id}, json_group_array(json_array(row_id, ${columns}))
    FROM (SELECT rowid AS row_id, ${columns} FROM ${raw(`"${table}"`)} ${choice})`]);
  const snapshots = await collectSnapshots(id, ask, faults);
  const majority = findMostFrequent([...snapshots.values()]);
  for (const [name] of [...snapshots].filter(([, snapshot]) => snapshot !== majority)) {
    faults.set(name, `holds different rows in table "${table}" than the other nodes: replace this node`);
  }
  await database.write([sql`DELETE FROM node_snapshots WHERE id = ${id}`]);
  return (JSON.parse(majority) as [number][]).map(([rowId]) => rowId); // the text is from json_group_array
}

/** @returns The snapshots by the name of the node; a node that shows no snapshot in time gets a fault. */
async function collectSnapshots(
  id: string, ask: AskNodes, faults: Map<string, string>,
): Promise<Map<string, string>> {
  const endsAtMs = performance.now() + BEHIND_MS_MAX;
  for (;;) {
    const answers = (await ask([sql`SELECT content FROM node_snapshots WHERE id = ${id}`]))
      .filter(({ name }) => !faults.has(name));
    const missing = answers.filter(({ results: [result] }) => result?.values.length !== 1);
    if (missing.length === 0) {
      return new Map(answers.map(({ name, results: [result] }) => [name, String(valueOf(result))]));
    }
    if (performance.now() > endsAtMs) {
      const reason = 'is behind: it has not applied the latest writes';
      missing.forEach(({ name, fault }) => faults.set(name, fault ?? reason));
    }
    await pause(POLL_MS);
  }
}

function findMostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.toSorted((left, right) => right.length - left.length)[0]?.[0] ?? '[]';
}
