/** Counts the bytes of a reply that is generated while it is sent, and reports its end. */
import type { Slices } from './exchange.ts';

/** The end of a reply. `error` is set when an error cut the reply short. */
interface SlicesEnd {
  readonly sizeBytes: number;
  readonly error?: unknown;
}

/**
 * Returns an iterator, not a generator: a generator that is closed before its first slice runs no `finally`.
 *
 * @param onEnd - Called once: after the last slice, after an error, or when the reader stops asking.
 */
export function countSlices(slices: Slices, onEnd: (end: SlicesEnd) => void): Slices {
  return {
    [Symbol.asyncIterator]() {
      const iterator = slices[Symbol.asyncIterator]();
      let sizeBytes = 0;
      return {
        async next() {
          try {
            const result = await iterator.next();
            if (result.done === true) {
              onEnd({ sizeBytes });
            } else {
              sizeBytes += Buffer.byteLength(result.value);
            }
            return result;
          } catch (error) {
            onEnd({ sizeBytes, error });
            throw error;
          }
        },
        async return() {
          onEnd({ sizeBytes });
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
