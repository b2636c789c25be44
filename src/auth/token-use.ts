/**
 * Notes when tokens were last used, at most once a minute for each: otherwise every read would also be a
 * write. No request waits for such a write or fails because of it. So requests with tokens are authenticated
 * while nothing can be written, for example because the disk is full or another process holds the database.
 */
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import type { Token, TokenId } from '../model/token.ts';

/** Records the use of a token at a time, unless a use since another time is recorded. */
export type RecordTokenUse = (id: TokenId, use: { at: Timestamp; unlessSince: Timestamp }) => Promise<void>;

const NOTED_EVERY_MS = 60_000;

/** The most writes that are under way. Further uses are noted when the same tokens are used again. */
const WRITES_MAX = 100;

/** After a failure, nothing is recorded for this long. */
const PAUSE_MS = 10_000;

/**
 * @param onError - Called with the reason of a failure, at most once in a pause.
 * @returns A function that notes a use, and returns the record with it.
 */
export function createTokenUseNotes(
  record: RecordTokenUse, onError: (error: unknown) => void, clock: Clock,
): (token: Token) => Token {
  let writes = 0;
  let resumesAtMs = 0;

  async function write(id: TokenId, at: Timestamp, unlessSince: Timestamp): Promise<void> {
    writes += 1;
    try {
      await record(id, { at, unlessSince });
    } catch (error) {
      void (performance.now() < resumesAtMs || onError(error));
      resumesAtMs = performance.now() + PAUSE_MS;
    } finally {
      writes -= 1;
    }
  }

  return (token) => {
    const nowMs = clock();
    const sinceMs = nowMs - NOTED_EVERY_MS;
    if (token.lastUsed !== undefined && Date.parse(token.lastUsed) > sinceMs) {
      return token;
    }
    const at = toTimestamp(nowMs);
    if (writes < WRITES_MAX && performance.now() >= resumesAtMs) {
      void write(token.id, at, toTimestamp(sinceMs));
    }
    return { ...token, lastUsed: at };
  };
}
