/** Writes all data as lines: see transfer-format.ts. */
import { RECORD_TABLE_NAMES, type RecordStore, type RecordTable } from './records.ts';
import type { StartProgress } from './progress.ts';
import type { TransferHeader } from './transfer-format.ts';

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
  startProgress: StartProgress,
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
