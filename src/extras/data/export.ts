/**
 * Writes all data as lines, and parses such a line. Each line is a JSON object. `TransferHeader` is the first
 * line. A line `{"table": …, "record": …}` follows for each record, table by table in the order of
 * `RECORD_TABLES`, and by id. The last line, `{"records": …}`, holds the number of records; an export without
 * it was cut off.
 */
import type { Row } from '../../database/database.ts';
import { compileSchema, type Complaint, type Validate } from '../../jsonschema/compile.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { TOKEN_SCOPES } from '../../model/token.ts';
import { startProgress } from './progress.ts';
import {
  LATER_COLUMNS, RECORD_TABLE_NAMES, RECORD_TABLES, type RecordStore, type RecordTable,
} from './records.ts';

export interface TransferHeader {
  readonly format: 'rollcall-export';
  readonly version: 1;
  readonly exported_at: string;
  readonly counts: Readonly<Record<RecordTable, number>>;
  /** The highest id ever assigned in each table, so that no id is assigned again after the import. */
  readonly last_ids: Readonly<Record<RecordTable, number>>;
}

export type TransferLine =
  | { readonly kind: 'header'; readonly header: TransferHeader }
  | { readonly kind: 'record'; readonly table: RecordTable; readonly record: Row }
  | { readonly kind: 'end'; readonly count: number }
  /** A line that an export of this version cannot contain. */
  | { readonly kind: 'wrong'; readonly reason: string };

const RECORDS_AT_ONCE = 1_000;

/**
 * Exports all records. Stop the service first: otherwise the export may contain some concurrent changes and
 * lack others.
 *
 * @returns The text of the export, in pieces.
 */
export async function* exportRecords(
  records: RecordStore,
  exportedAt: string,
): AsyncGenerator<string> {
  const counts = await countAll(records);
  const last_ids = await records.readLastIds();
  const header: TransferHeader = {
    format: 'rollcall-export', version: 1, exported_at: exportedAt, counts, last_ids,
  };
  yield toLine(header);
  const progress = startProgress('Exporting', Object.values(counts).reduce((sum, count) => sum + count, 0));
  let done = 0;
  for (const table of RECORD_TABLE_NAMES) {
    for await (const rows of listAll(records, table)) {
      yield rows.map((record) => toLine({ table, record })).join('');
      done += rows.length;
      progress.update(done);
    }
  }
  yield toLine({ records: done });
  progress.end();
}

async function* listAll(records: RecordStore, table: RecordTable) {
  for (let last = 0; ;) {
    const rows = await records.listAfter(table, last, RECORDS_AT_ONCE);
    if (rows.length === 0) {
      return;
    }
    yield rows;
    last = Number(rows.at(-1)?.['id']);
  }
}

async function countAll(records: RecordStore): Promise<TransferHeader['counts']> {
  const entries = RECORD_TABLE_NAMES.map(async (table) => [table, await records.count(table)]);
  return Object.fromEntries(await Promise.all(entries)) as TransferHeader['counts']; // one per table
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

type JsonObject = Readonly<Record<string, unknown>>;

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const COUNT: Schema = { type: 'integer', ...SAFE, minimum: 0 };

/** NUL is refused, because some versions of the drivers treat it as the end of a text. */
const WITHOUT_NUL = { pattern: '^[^\\0]*$', title: 'text without NUL' };

/** The schema of a column, by its kind in `RECORD_TABLES`. */
const COLUMNS = {
  'integer': { type: 'integer', ...SAFE },
  'integer or null': { type: ['integer', 'null'], ...SAFE },
  'text': { type: 'string', ...WITHOUT_NUL },
  'text or null': { type: ['string', 'null'], ...WITHOUT_NUL },
  'token scope': { enum: TOKEN_SCOPES }, // the table has no CHECK for it, since SQLite cannot change one
} as const satisfies Readonly<Record<string, Schema>>;

const ofEachTable = toClosedObject(Object.fromEntries(RECORD_TABLE_NAMES.map((table) => [table, COUNT])));

const judgeHeader = compileSchema(
  toClosedObject({
    format: { enum: ['rollcall-export'] },
    version: { enum: [1] },
    exported_at: { type: 'string' },
    counts: ofEachTable,
    last_ids: ofEachTable,
  }),
);
const judgeEnd = compileSchema(toClosedObject({ records: COUNT }));
/** Judges a line whose table is unknown; the complaint lists the known tables. */
const judgeTable = compileSchema({
  required: ['table'],
  properties: { table: { enum: RECORD_TABLE_NAMES } },
});
const judgeRecord: ReadonlyMap<string, Validate> = new Map(
  RECORD_TABLE_NAMES.map((table) => {
    const properties = Object.entries(RECORD_TABLES[table]).map(([column, type]) => [column, COLUMNS[type]]);
    const record = toClosedObject(Object.fromEntries(properties), LATER_COLUMNS[table]);
    return [table, compileSchema(toClosedObject({ table: { enum: [table] }, record }))];
  }),
);

/** The schema of an object with these members and no others. Members in `optional` may be absent. */
function toClosedObject(properties: Readonly<Record<string, Schema>>, optional: object = {}): Schema {
  const required = Object.keys(properties).filter((name) => !(name in optional));
  return { type: 'object', required, properties, additionalProperties: false };
}

/** Parses a line. Each cast in it comes after a schema has accepted the value. */
export function parseTransferLine(text: string): TransferLine {
  const line = parseObject(text);
  if (line === undefined) {
    return { kind: 'wrong', reason: 'it is not a JSON object' };
  }
  if ('format' in line) {
    return findFault(judgeHeader(line)) ?? { kind: 'header', header: line as unknown as TransferHeader };
  }
  if ('records' in line) {
    return findFault(judgeEnd(line)) ?? { kind: 'end', count: Number(line['records']) };
  }
  const { table, record } = line as { readonly table: RecordTable; readonly record: Row };
  const judge = judgeRecord.get(table) ?? judgeTable;
  return findFault(judge(line)) ?? {
    kind: 'record', table, record: { ...LATER_COLUMNS[table], ...record },
  };
}

function findFault([complaint]: readonly Complaint[]): TransferLine | undefined {
  return complaint && { kind: 'wrong', reason: `${complaint.pointer} ${complaint.message}`.trim() };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
