import { exactValue } from '../values/exact-value.ts';
import { floatText } from '../values/float.ts';

/**
 * Decimal text of a double, rounded half to even on its exact value as Python does. (JavaScript's toFixed rounds ties
 * up and gives up at 1e21.)
 */

function divideHalfEven(numerator: bigint, divisor: bigint): bigint {
  const quotient = numerator / divisor;
  const twice = (numerator % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** `%.{digits}f`; a negative number of digits rounds to tens, hundreds, … */
export function fixedText(n: number, digits: number): string {
  if (!Number.isFinite(n)) return floatText(n);
  const { negative, numerator, shift } = exactValue(n);
  const scaled =
    digits >= 0
      ? divideHalfEven(numerator * 10n ** BigInt(digits), 1n << shift)
      : divideHalfEven(numerator, (10n ** BigInt(-digits)) << shift) * 10n ** BigInt(-digits);
  const places = Math.max(digits, 0);
  const text = scaled.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const sign = negative ? '-' : '';
  return places === 0 ? sign + whole : `${sign}${whole}.${text.slice(text.length - places)}`;
}

/** `%.{digits}e` */
export function exponentText(n: number, digits: number): string {
  if (!Number.isFinite(n)) return floatText(n);
  const { negative, numerator, shift } = exactValue(n);
  const sign = negative ? '-' : '';
  if (numerator === 0n) return `${sign}0${digits > 0 ? `.${'0'.repeat(digits)}` : ''}e+00`;
  // toExponential() without digits is exact about the magnitude; rounding may still carry into the next power of ten.
  let exponent = Number(Math.abs(n).toExponential().split('e')[1]);
  let scaled = significant(numerator, shift, exponent, digits);
  if (scaled.length > digits + 1) scaled = significant(numerator, shift, ++exponent, digits);
  const fraction = digits > 0 ? `.${scaled.slice(1)}` : '';
  const power = Math.abs(exponent).toString().padStart(2, '0');
  return `${sign}${scaled[0]}${fraction}e${exponent < 0 ? '-' : '+'}${power}`;
}

function significant(numerator: bigint, shift: bigint, exponent: number, digits: number): string {
  const scale = digits - exponent;
  const value =
    scale >= 0
      ? divideHalfEven(numerator * 10n ** BigInt(scale), 1n << shift)
      : divideHalfEven(numerator, (10n ** BigInt(-scale)) << shift);
  return value.toString();
}

/** `%.{digits}g`: fixed or exponent notation, whichever suits, without trailing zeros unless `keepZeros`. */
export function generalText(n: number, digits: number, keepZeros = false): string {
  if (!Number.isFinite(n)) return floatText(n);
  const precision = digits === 0 ? 1 : digits;
  const asExponent = exponentText(n, precision - 1);
  const exponent = Number(asExponent.split('e')[1]);
  if (exponent < -4 || exponent >= precision) {
    const [mantissa = '', power = ''] = asExponent.split('e');
    return `${keepZeros ? mantissa : trimZeros(mantissa)}e${power}`;
  }
  const fixed = fixedText(n, precision - 1 - exponent);
  return keepZeros ? fixed : trimZeros(fixed);
}

const trimZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
