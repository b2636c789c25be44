/**
 * Exact arithmetic for `multipleOf`.
 *
 * Neither `%` nor division will do: 0.0075 % 0.0001 is not 0 in binary, and 1e308 / 0.123456789
 * overflows. So each number is taken as the shortest decimal that denotes it, which is what the
 * JSON text said unless it had more than 15 digits, and the decimals are divided as integers.
 */

/** An exact decimal number: integer × 10^exponent. */
interface Decimal {
  readonly integer: bigint;
  readonly exponent: number;
}

/**
 * Tells whether value / divisor is an integer, exactly.
 *
 * @param divisor - Finite and greater than 0.
 * @returns False for infinite values, which JSON.parse makes of texts like 1e999.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) {
    return false;
  }
  const dividend = toDecimal(value);
  const unit = toDecimal(divisor);
  const exponent = Math.min(dividend.exponent, unit.exponent);
  return scaleTo(exponent, dividend) % scaleTo(exponent, unit) === 0n;
}

function toDecimal(value: number): Decimal {
  // Without an argument, toExponential writes the shortest digits that denote the number: 7.5e-3.
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const [units, fraction = ''] = mantissa.split('.');
  return { integer: BigInt(`${units}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** The integer i for which i × 10^exponent is the decimal; at most 640 digits long. */
function scaleTo(exponent: number, decimal: Decimal): bigint {
  return decimal.integer * 10n ** BigInt(decimal.exponent - exponent);
}
