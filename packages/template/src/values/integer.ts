import { limitFault, valueFault } from '../template-error.ts';

/** The int that decimal, 0x, 0o or 0b digits spell. */
export const parseInteger = (digits: string): number | bigint =>
  digits.length <= 15 ? Number(digits) : normalizeInteger(BigInt(digits));

/** An int is a number if it is safe, else a bigint: one representation for each value. */
export function normalizeInteger(n: bigint): number | bigint {
  return n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
}

export const isInteger = (value: unknown): value is number | bigint | boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' || typeof value === 'boolean';

/** The int behind a value of `isInteger`: booleans count as 0 and 1. */
export const integerOf = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'boolean' ? Number(value) : typeof value === 'bigint' ? normalizeInteger(value) : value;

export const bigOf = (value: number | bigint | boolean): bigint => (typeof value === 'bigint' ? value : BigInt(value));

/** Bits an integer may have: enough for any use, too few to eat memory. */
const MAX_BITS = 65_536;
/** Python refuses to print longer integers. */
const MAX_DIGITS = 4_300;

export function checkBits(bits: number): void {
  if (bits > MAX_BITS) throw limitFault(`an integer would have more than ${MAX_BITS} bits.`);
}

export function bitLength(n: number | bigint): number {
  const magnitude = n < 0 ? -n : n;
  if (typeof magnitude === 'number') return magnitude === 0 ? 0 : Math.floor(Math.log2(magnitude)) + 1;
  const hex = magnitude.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] ?? '0', 16)));
}

export function integerText(n: number | bigint): string {
  if (typeof n === 'number') return String(n + 0);
  const text = n.toString();
  if (text.length > MAX_DIGITS + 1) throw valueFault(`an integer of more than ${MAX_DIGITS} digits cannot be printed.`);
  return text;
}

/** Python's true division of integers too large for a float: correctly rounded, as one division. */
export function divideExactly(a: bigint, b: bigint): number {
  const negative = a < 0n !== b < 0n;
  const x = a < 0n ? -a : a;
  const y = b < 0n ? -b : b;
  if (x === 0n) return negative ? -0 : 0;
  // Scale so that the quotient has 66 bits, and keep whether anything was cut off: Number() then rounds once.
  const shift = BigInt(66 - (bitLength(x) - bitLength(y)));
  const scaled = shift >= 0n ? x << shift : x;
  const divisor = shift >= 0n ? y : y << -shift;
  const sticky = scaled % divisor === 0n ? 0n : 1n;
  const quotient = Number(((scaled / divisor) << 1n) | sticky);
  const result = scaleByPower(quotient, -Number(shift) - 1);
  if (!Number.isFinite(result)) throw valueFault('the quotient is too large for a float.');
  return negative ? -result : result;
}

function scaleByPower(n: number, exponent: number): number {
  let result = n;
  let left = exponent;
  for (; left > 1000; left -= 1000) result *= 2 ** 1000;
  for (; left < -1000; left += 1000) result *= 2 ** -1000;
  return result * 2 ** left;
}
