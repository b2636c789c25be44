/**
 * Reads the lines of an export into a database. Records that the database already holds must be the beginning
 * of the same export: each is compared with its line and then skipped. So an interrupted import can be run
 * again, and the data of two services is never mixed.
 */
import type { Row } from '../../database/database.ts';
import { parseTransferLine, type TransferHeader, type TransferLine } from './export.ts';
import { RECORD_TABLE_NAMES, type RecordStore, type RecordTable } from './records.ts';
import { reasonOf } from '../../telemetry/error-text.ts';
import { startProgress } from './progress.ts';

/** The most records that are inserted in one batch. */
const RECORDS_AT_ONCE = 1_000;

/** The longest line of an export, in characters. No record is longer, because its texts are bounded. */
const LINE_LENGTH_MAX = 1_048_576;

interface RecordBatch {
  readonly table: RecordTable;
  /** The id of the record before the first one; 0 at the beginning of a table. */
  readonly after: number;
  readonly records: Row[];
}

interface ExportReader {
  readonly header: TransferHeader;
  /** The lines after the header. */
  readonly lines: AsyncIterable<string>;
}

/**
 * @param pieces - The text of an export, cut anywhere.
 * @throws When the first line is not the header of an export.
 */
export async function readExport(pieces: AsyncIterable<string>): Promise<ExportReader> {
  const lines = splitLines(pieces);
  const { value } = await lines.next();
  const line = parseTransferLine(typeof value === 'string' ? value : '');
  if (line.kind !== 'header') {
    const reason = 'line 1 is not the header of an export, or the export comes from a newer version';
    throw new Error(reason + toSuffix(line));
  }
  return { header: line.header, lines };
}

/**
 * @returns How many records the database holds now, and how many of them it held before.
 * @throws When a line is malformed, or the database holds other data.
 */
export async function importRecords(
  { header, lines }: ExportReader,
  store: RecordStore,
): Promise<{ readonly total: number; readonly known: number }> {
  const announced = Object.values(header.counts).reduce((sum, count) => sum + count, 0);
  const progress = startProgress('Importing', announced);
  const lastIds = new Map<RecordTable, number>();
  let [total, known] = [0, 0];
  for await (const { table, after, records } of toBatches(lines)) {
    known += await insertMissing(store, { table, after, records });
    total += records.length;
    lastIds.set(table, idOf(records.at(-1)));
    progress.update(total);
  }
  for (const table of RECORD_TABLE_NAMES) {
    const [other] = await store.listAfter(table, lastIds.get(table) ?? 0, 1);
    refuseOther(table, other);
    await store.setLastId(table, header.last_ids[table]);
  }
  progress.end();
  return { total, known };
}

/** @returns How many of the records existed already. */
async function insertMissing(store: RecordStore, { table, after, records }: RecordBatch): Promise<number> {
  const known = await store.listBetween(table, after, idOf(records.at(-1)));
  known.forEach((row, index) => refuseOther(table, isSame(row, records[index]) ? undefined : row));
  const missing = records.slice(known.length);
  try {
    await (missing.length > 0 && store.insert(table, missing));
  } catch (error) {
    const records = `the records after id ${after} of "${table}"`;
    throw new Error(`the database refuses ${records}: ${reasonOf(error)}`, { cause: error });
  }
  return known.length;
}

function refuseOther(table: RecordTable, row: Row | undefined): void {
  if (row !== undefined) {
    throw new Error(`the database holds other data, such as id ${row['id']} of "${table}"`);
  }
}

function isSame(row: Row, record: Row | undefined): boolean {
  return record !== undefined && Object.keys(row).every((column) => row[column] === record[column]);
}

/** Groups records into batches of one table, up to the last line, which gives the number of records. */
async function* toBatches(lines: AsyncIterable<string>): AsyncGenerator<RecordBatch> {
  let batch: RecordBatch = { table: 'users', after: 0, records: [] };
  let [number, count] = [1, 0];
  let isEnded = false;
  for await (const text of lines) {
    number += 1;
    const line = parseTransferLine(text);
    if (isEnded) {
      throw new Error(`line ${number} follows the end of the export`);
    }
    if (line.kind === 'record' && isNext(batch, line)) {
      if (line.table !== batch.table || batch.records.length === RECORDS_AT_ONCE) {
        yield* whole(batch);
        batch = { table: line.table, after: line.table === batch.table ? lastIdOf(batch) : 0, records: [] };
      }
      batch.records.push(line.record);
      count += 1;
    } else if (line.kind === 'end' && line.count === count) {
      isEnded = true;
    } else {
      const expected = `a record of the next id or table, or the end after ${count} records`;
      const mistake = `line ${number} is malformed or out of order`;
      throw new Error(`${mistake}: expected ${expected}${toSuffix(line)}`);
    }
  }
  if (!isEnded) {
    throw new Error(`the file is cut off after ${count} records. Import the whole file to continue`);
  }
  yield* whole(batch);
}

function toSuffix(line: TransferLine): string {
  return line.kind === 'wrong' ? ` (${line.reason})` : '';
}

function whole(batch: RecordBatch): readonly RecordBatch[] {
  return batch.records.length > 0 ? [batch] : [];
}

function isNext(
  batch: RecordBatch,
  { table, record }: { readonly table: RecordTable; readonly record: Row },
): boolean {
  return table === batch.table
    ? idOf(record) > lastIdOf(batch)
    : RECORD_TABLE_NAMES.indexOf(table) > RECORD_TABLE_NAMES.indexOf(batch.table) && idOf(record) > 0;
}

function lastIdOf({ after, records }: RecordBatch): number {
  return records.length === 0 ? after : idOf(records.at(-1));
}

function idOf(record: Row | undefined): number {
  return Number(record?.['id'] ?? 0);
}

async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > LINE_LENGTH_MAX) {
      throw new Error('a line is longer than any line of an export');
    }
  }
  if (rest !== '') {
    yield rest;
  }
}
