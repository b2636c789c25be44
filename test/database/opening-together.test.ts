import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createFolder } from '../support/programs.ts';

const THREADS = 2;
const FILES = 60;

if (isMainThread) {
  const skip = process.features.typescript ? false : 'this Node.js does not read TypeScript in a thread';
  test(`${THREADS} threads that open each of ${FILES} new files at once all succeed`, { skip }, async (t) => {
    const task = { folder: createFolder(t), arrivals: new Int32Array(new SharedArrayBuffer(4)) };
    const errors = await Promise.all(Array.from({ length: THREADS }, () => new Promise((resolve, reject) => {
      new Worker(new URL(import.meta.url), { workerData: task }).on('message', resolve).on('error', reject);
    })));
    assert.deepEqual(errors, Array(THREADS).fill([]));
  });
} else {
  const { folder, arrivals } = workerData;
  const errors: string[] = [];
  for (let file = 1; file <= FILES; file += 1) {
    Atomics.add(arrivals, 0, 1);
    // waits for the other threads, so that all threads open the file at almost the same time
    while (Atomics.load(arrivals, 0) < file * THREADS) {}
    const path = join(folder, `${file}.sqlite`);
    const opened = await openSqlite({ driver: 'sqlite', path }).catch((error) => errors.push(`${error}`));
    await (typeof opened === 'object' && opened.close());
  }
  parentPort?.postMessage(errors);
}
