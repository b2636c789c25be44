/**
 * The lines of an export, each a JSON object: first `TransferHeader`, then `{"table": …, "record": …}` for each record, table
 * by table in the order of `RECORD_TABLES` and by id, and last `{"records": …}`, their number, without which it is cut off.
 */
import type { Row, SqlValue } from '../database/database.ts';
import { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTable } from '../stores/records.ts';

export interface TransferHeader {
  readonly format: 'rollcall-export';
  readonly version: 1;
  readonly exported_at: string;
  readonly counts: Readonly<Record<RecordTable, number>>;
  /** The highest ids that were ever given, so that none is given again. */
  readonly last_ids: Readonly<Record<RecordTable, number>>;
}

type TransferLine =
  | { readonly kind: 'header'; readonly header: TransferHeader }
  | { readonly kind: 'record'; readonly table: RecordTable; readonly record: Row }
  | { readonly kind: 'end'; readonly count: number };

/** Longer than any record, whose texts are bounded. */
export const LINE_LENGTH_MAX = 1_048_576;

/** @returns What a line says, or `undefined` when it is no line of an export of this version. */
export function parseTransferLine(text: string): TransferLine | undefined {
  const line = parseObject(text);
  if (line === undefined) {
    return undefined;
  }
  if ('format' in line) {
    return toHeader(line);
  }
  if ('records' in line) {
    return isCount(line['records']) ? { kind: 'end', count: line['records'] } : undefined;
  }
  return toRecord(line);
}

function toHeader(line: Readonly<Record<string, unknown>>): TransferLine | undefined {
  const { format, version, exported_at, counts, last_ids } = line;
  const isKnown = format === 'rollcall-export' && version === 1 && typeof exported_at === 'string';
  return isKnown && isByTable(counts) && isByTable(last_ids) ? { kind: 'header', header: { format, version, exported_at, counts, last_ids } } : undefined;
}

function isByTable(value: unknown): value is Readonly<Record<RecordTable, number>> {
  return isObject(value) && RECORD_TABLE_NAMES.every((table) => isCount(value[table]));
}

function toRecord({ table: name, record }: Readonly<Record<string, unknown>>): TransferLine | undefined {
  const table = RECORD_TABLE_NAMES.find((known) => known === name);
  if (table === undefined || !isObject(record)) {
    return undefined;
  }
  const columns = Object.entries(RECORD_TABLES[table]);
  const isWhole = columns.length === Object.keys(record).length && columns.every(([column, type]) => isOfType(record[column], type));
  return isWhole ? { kind: 'record', table, record: record as Row } : undefined; // each value was looked at
}

function isOfType(value: unknown, type: string): value is SqlValue {
  switch (typeof value) {
    case 'string':
      return type.startsWith('text') && !value.includes('\0');
    case 'number':
      return type.startsWith('integer') && Number.isSafeInteger(value);
    default:
      return value === null && type.endsWith('or null');
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
