/**
 * Notes the use of tokens without ever being in the way of the request that uses one: reading goes on when
 * nothing can be written, because the disk is full, say, or another process holds the database.
 */
import { setTimeout } from 'node:timers/promises';
import type { AccountSource } from './authenticate.ts';

type RecordTokenUse = AccountSource['recordTokenUse'];

/** How long a request waits for the note. */
const WAIT_MS = 1_000;

/** After a note that failed or took longer, no other is tried for this long. */
const PAUSE_MS = 10_000;

const TOO_SLOW = new Error(`No answer within ${WAIT_MS} ms`);

/**
 * @param onError - Told why a note failed, at most once in a pause.
 * @returns Notes a use, unless that failed just before; never fails itself.
 */
export function createTokenUseNotes(
  record: RecordTokenUse,
  onError: (error: unknown) => void,
): RecordTokenUse {
  let resumesAtMs = 0;
  return async (...use) => {
    if (performance.now() < resumesAtMs) {
      return;
    }
    const noting = record(...use).then(() => undefined, (error: unknown) => error);
    const failure = await Promise.race([noting, setTimeout(WAIT_MS, TOO_SLOW, { ref: false })]);
    if (failure !== undefined && performance.now() >= resumesAtMs) {
      resumesAtMs = performance.now() + PAUSE_MS;
      onError(failure);
    }
  };
}
