import { fixedText } from '../../format/decimal-text.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { divide, multiply, negate, power } from '../../values/arithmetic.ts';
import { isNumber, plain } from '../../values/equality.ts';
import { floatValue, isFloat, unwrapFloat } from '../../values/float.ts';
import { bigOf, integerOf, isInteger, normalizeInteger } from '../../values/integer.ts';
import { isText, textOf } from '../../values/markup.ts';
import { typeName } from '../../values/special.ts';
import { isTrue } from '../../values/truth.ts';
import { Undefined } from '../../values/undefined.ts';
import { define, type FilterDefinition, integerArgument, textArgument } from '../definition.ts';
import { parseFloatText, parseIntegerText } from '../parse-number.ts';

const DECIMAL_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'] as const;
const BINARY_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'] as const;

export const NUMBER_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  abs: define([], (_run, value) => {
    if (!isNumber(value)) throw notANumber('abs', value);
    if (isFloat(value)) return floatValue(Math.abs(unwrapFloat(value)));
    return plain(value) < 0 ? negate(value) : plain(value);
  }),
  int: define(
    [
      ['default', 0],
      ['base', 10],
    ],
    (_run, value, [fallback, base]) => {
      if (value instanceof Undefined) throw value.fault();
      if (isInteger(value)) return integerOf(value);
      if (isFloat(value)) return truncateFloat(unwrapFloat(value)) ?? fallback;
      if (!isText(value)) return fallback;
      const exact = parseIntegerText(textOf(value), integerArgument(base, "'base'"));
      if (exact !== undefined) return exact;
      // "42.9" | int is 42.
      const float = parseFloatText(textOf(value));
      return float === undefined ? fallback : (truncateFloat(float) ?? fallback);
    },
  ),
  float: define([['default', floatValue(0)]], (_run, value, [fallback]) => {
    if (value instanceof Undefined) throw value.fault();
    if (isFloat(value)) return value;
    if (isInteger(value)) return floatValue(finite(Number(integerOf(value))));
    const parsed = isText(value) ? parseFloatText(textOf(value)) : undefined;
    return parsed === undefined ? fallback : floatValue(parsed);
  }),
  round: define(
    [
      ['precision', 0],
      ['method', 'common'],
    ],
    (run, value, [precision, method]) => {
      const way = textArgument(method, "'method'");
      if (way !== 'common' && way !== 'ceil' && way !== 'floor') {
        throw valueFault(`'${way}' is no method to round by.`, "Use 'common', 'ceil' or 'floor'.");
      }
      if (!isNumber(value)) throw notANumber('round', value);
      const digits = integerArgument(precision, "'precision'");
      if (way === 'common') return roundHalfEven(value, digits);
      const scale = power(10, digits);
      const product = multiply(value, scale, run.budget);
      if (isInteger(product)) return divide(product, scale);
      const scaled = Number(plain(product as number));
      return divide(truncateFloat(way === 'ceil' ? Math.ceil(scaled) : Math.floor(scaled)), scale);
    },
  ),
  filesizeformat: define([['binary', false]], (_run, value, [binary]) => {
    if (value instanceof Undefined) throw value.fault();
    const bytes = isNumber(value) ? Number(plain(value)) : isText(value) ? parseFloatText(textOf(value)) : undefined;
    if (bytes === undefined) throw notANumber('filesizeformat', value);
    return fileSize(bytes, isTrue(binary));
  }),
};

function fileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${truncateFloat(bytes)} Bytes`;
  const units = binary ? BINARY_UNITS : DECIMAL_UNITS;
  const power = units.findIndex((_, i) => bytes < base ** (i + 2));
  const index = power < 0 ? units.length - 1 : power;
  return `${fixedText((base * bytes) / base ** (index + 2), 1)} ${units[index]}`;
}

/** The integer part; undefined for nan, an error for infinity, as in Python. */
function truncateFloat(n: number): number | bigint | undefined {
  if (Number.isNaN(n)) return undefined;
  return normalizeInteger(BigInt(Math.trunc(finite(n))));
}

function finite(n: number): number {
  if (!Number.isFinite(n)) throw valueFault('the number is too large.');
  return n;
}

/** Python's round(): ties go to the even neighbour, judged on the exact value of the float. */
function roundHalfEven(value: unknown, digits: number): unknown {
  if (isFloat(value)) {
    const n = unwrapFloat(value);
    if (!Number.isFinite(n) || digits > 323) return value;
    return digits < -308 ? floatValue(n < 0 ? -0 : 0) : floatValue(Number(fixedText(n, digits)));
  }
  const n = isInteger(value) ? integerOf(value) : 0;
  if (digits >= 0) return n;
  if (digits < -10_000) return 0;
  const unit = 10n ** BigInt(-digits);
  const big = bigOf(n);
  const rest = ((big % unit) + unit) % unit;
  const down = big - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n !== 0n);
  return normalizeInteger(up ? down + unit : down);
}

function notANumber(filter: string, value: unknown): Error {
  if (value instanceof Undefined) return value.fault();
  const hint = isText(value) ? 'Turn it into one with | int or | float.' : undefined;
  return typeFault(`the filter '${filter}' needs a number, found ${typeName(value)}.`, hint);
}
