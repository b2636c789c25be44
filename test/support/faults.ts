/** The size of the fault tests: large in `npm run test:faults`, small in `npm test`. */
const isFull = process.env['FAULTS'] === 'full';

export function inFull<Value>(full: Value, { short }: { readonly short: Value }): Value {
  return isFull ? full : short;
}
