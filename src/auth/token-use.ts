/** Notes when tokens were last used. No request waits for this for long, or fails because of it. */
import { setTimeout } from 'node:timers/promises';
import type { Timestamp } from '../model/clock.ts';
import type { TokenId } from '../model/token.ts';

/** Records the use of a token at a time, unless a use since another time is recorded. */
export type RecordTokenUse = (id: TokenId, use: { at: Timestamp; unlessSince: Timestamp }) => Promise<void>;

/** The longest time that a request waits until the use of its token is recorded. */
const WAIT_MS = 1_000;

/** After a failure or a timeout, nothing is recorded for this long. */
const PAUSE_MS = 10_000;

const TOO_SLOW = new Error(`No answer within ${WAIT_MS} ms`);

/**
 * Records the use of tokens. A request waits for this at most a second, and never fails because of it. So
 * requests with tokens are still authenticated while nothing can be written, for example because the disk is
 * full or another process holds the database.
 *
 * @param onError - Called with the reason of a failure, at most once in a pause.
 * @returns A function that records a use, unless recording failed just before. It never rejects.
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
