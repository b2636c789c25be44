/** How much the tests of faults do: much with `npm run test:faults`, little in every run of all tests. */
const isFull = process.env['FAULTS'] === 'full';

export function inFull<Value>(full: Value, { short }: { readonly short: Value }): Value {
  return isFull ? full : short;
}
