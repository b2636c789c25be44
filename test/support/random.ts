/** Chance that can be had again: the same seed makes the same choices. */

export interface Random {
  /** An integer from 0 to below the limit. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** Mulberry32: small, fast, and good enough to make up requests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
  return {
    below,
    pick<Value>(values: readonly Value[]): Value {
      return values[below(values.length)] as Value;
    },
  };
}
