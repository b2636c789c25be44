/** Several threads open one new file at the same time, like servers at their first start. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { SqliteDatabase } from '../../src/database/sqlite.ts';

const THREADS = 2;
const FILES = 60;

interface Task {
  readonly folder: string;
  /** For each file, the number of threads that have reached it. */
  readonly arrivals: Int32Array<SharedArrayBuffer>;
}

if (isMainThread) {
  const skip = process.features.typescript ? false : 'this Node.js does not read TypeScript in a thread';
  test(`${THREADS} threads that open each of ${FILES} new files at once all succeed`,
    { skip }, async (context) => {
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
      context.after(() => rmSync(folder, { recursive: true }));
      const task: Task = { folder, arrivals: new Int32Array(new SharedArrayBuffer(4)) };
      const outcomes = await Promise.all(
        Array.from({ length: THREADS }, () => new Promise<string[]>((resolve, reject) => {
          new Worker(new URL(import.meta.url), { workerData: task })
            .on('message', resolve)
            .on('error', reject);
        })),
      );
      assert.deepEqual(outcomes.flat(), []);
    });
} else {
  parentPort?.postMessage(await openAll(workerData as Task));
}

/** @returns The messages of errors; empty if all threads succeeded. */
async function openAll({ folder, arrivals }: Task): Promise<string[]> {
  const errors: string[] = [];
  for (let file = 1; file <= FILES; file += 1) {
    Atomics.add(arrivals, 0, 1);
    // waits for all threads, so that they begin within microseconds
    while (Atomics.load(arrivals, 0) < file * THREADS) {}
    try {
      await new SqliteDatabase(join(folder, `${file}.sqlite`)).close();
    } catch (error) {
      errors.push(String(error));
    }
  }
  return errors;
}
