import type { Budget } from '../budget.ts';
import { percentFormat } from '../format/percent-format.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { isNumber, type Numeric, plain } from './equality.ts';
import { exactValue } from './exact-value.ts';
import { floatValue, isFloat } from './float.ts';
import { bigOf, bitLength, checkBits, divideExactly, integerOf, isInteger, normalizeInteger } from './integer.ts';
import { listOf, ownList, Tuple } from './list.ts';
import { escapeHtml, isText, likeText, Markup, textOf } from './markup.ts';
import { itemsOf } from './sequence.ts';
import { typeName } from './special.ts';
import { Undefined } from './undefined.ts';

/** Python's arithmetic on the engine's values. */

export function add(a: unknown, b: unknown, budget: Budget): unknown {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return floatValue(sum);
    return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
  }
  if (isNumber(a) && isNumber(b))
    return arithmetic(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    );
  if (isText(a) && isText(b)) return addText(a, b, budget);
  const left = itemsOf(a);
  const right = itemsOf(b);
  if (left !== undefined && right !== undefined && Array.isArray(a) === Array.isArray(b)) {
    budget.items(left.length + right.length);
    const joined = listOf(left);
    for (const item of right) joined.push(item);
    return Array.isArray(a) ? joined : new Tuple(joined);
  }
  throw unsupported('+', a, b);
}

function addText(a: string | Markup, b: string | Markup, budget: Budget): string | Markup {
  const left = b instanceof Markup && typeof a === 'string' ? escapeHtml(a) : textOf(a);
  const right = a instanceof Markup && typeof b === 'string' ? escapeHtml(b) : textOf(b);
  budget.text(left.length + right.length);
  return likeText(a instanceof Markup ? a : b, left + right);
}

export function subtract(a: unknown, b: unknown): unknown {
  if (isNumber(a) && isNumber(b))
    return arithmetic(
      a,
      b,
      (x, y) => x - y,
      (x, y) => x - y,
    );
  throw unsupported('-', a, b);
}

export function multiply(a: unknown, b: unknown, budget: Budget): unknown {
  if (isNumber(a) && isNumber(b)) {
    if (typeof a === 'bigint' || typeof b === 'bigint') {
      if (isInteger(a) && isInteger(b)) checkBits(bitLength(integerOf(a)) + bitLength(integerOf(b)));
    }
    return arithmetic(
      a,
      b,
      (x, y) => x * y,
      (x, y) => x * y,
    );
  }
  if (isInteger(b)) return repeat(a, b, budget) ?? fail('*', a, b);
  if (isInteger(a)) return repeat(b, a, budget) ?? fail('*', a, b);
  throw unsupported('*', a, b);
}

function repeat(value: unknown, times: number | bigint | boolean, budget: Budget): unknown {
  const count = Math.max(0, Number(integerOf(times)));
  if (isText(value)) {
    const text = textOf(value);
    if (text === '') return value;
    budget.text(text.length * count);
    return likeText(value, text.repeat(count));
  }
  const items = itemsOf(value);
  if (items === undefined) return undefined;
  const list = ownList([]);
  if (items.length > 0) budget.items(items.length * count);
  for (let i = 0; i < count && items.length > 0; i++) for (const item of items) list.push(item);
  return Array.isArray(value) ? list : new Tuple(list);
}

export function divide(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b)) throw unsupported('/', a, b);
  const divisor = plain(b);
  if (Number(divisor) === 0) throw divisionByZero();
  if (isInteger(a) && isInteger(b) && (typeof a === 'bigint' || typeof b === 'bigint')) {
    return floatValue(divideExactly(bigOf(a), bigOf(b)));
  }
  return floatValue(Number(plain(a)) / Number(divisor));
}

export function floorDivide(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b)) throw unsupported('//', a, b);
  if (Number(plain(b)) === 0) throw divisionByZero();
  return arithmetic(a, b, floorDivideFloat, (x, y) => {
    const quotient = x / y;
    return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
  });
}

/** Step by step as CPython does it, so that rounding agrees in the last digit. */
function floorDivideFloat(x: number, y: number): number {
  const remainder = x % y;
  let quotient = (x - remainder) / y;
  if (remainder !== 0 && remainder < 0 !== y < 0) quotient -= 1;
  if (quotient === 0) return x / y < 0 || Object.is(x / y, -0) ? -0 : 0;
  const floored = Math.floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

function moduloFloat(x: number, y: number): number {
  const remainder = x % y;
  if (remainder === 0) return y < 0 ? -0 : 0;
  return remainder < 0 !== y < 0 ? remainder + y : remainder;
}

export function modulo(a: unknown, b: unknown, budget: Budget): unknown {
  if (isText(a)) return percentFormat(a, b, budget);
  if (!isNumber(a) || !isNumber(b)) throw unsupported('%', a, b);
  if (Number(plain(b)) === 0) throw divisionByZero();
  return arithmetic(a, b, moduloFloat, (x, y) => {
    const remainder = x % y;
    return remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder;
  });
}

export function power(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b)) throw unsupported('**', a, b);
  const base = plain(a);
  const exponent = plain(b);
  if (Number(base) === 0 && exponent < 0) throw divisionByZero();
  if (isInteger(a) && isInteger(b) && exponent >= 0) {
    if (base === 0 || base === 1) return Number(exponent) === 0 ? 1 : base;
    // One bit less than the length: 2 ** n has n + 1 bits, not 2n.
    checkBits((bitLength(base) - 1) * Number(exponent));
    return normalizeInteger(bigOf(base) ** (base === -1 ? bigOf(exponent) % 2n : bigOf(exponent)));
  }
  const result = floatPower(Number(base), Number(exponent));
  if (Number.isNaN(result) && !Number.isNaN(Number(base)) && !Number.isNaN(Number(exponent))) {
    if (!Number.isFinite(Number(exponent))) return floatValue(1);
    throw valueFault('a negative number has no real fractional power.');
  }
  if (!Number.isFinite(result) && Number.isFinite(Number(base)) && Number.isFinite(Number(exponent))) {
    throw valueFault('the power is too large for a float.');
  }
  return floatValue(Number(base) === 1 ? 1 : result);
}

const MAX_EXACT_EXPONENT = 64;

/** V8's `**` is off by a digit now and then: small integral powers are computed exactly and rounded once. */
function floatPower(base: number, exponent: number): number {
  const exact = Number.isInteger(exponent) && Math.abs(exponent) <= MAX_EXACT_EXPONENT && Number.isFinite(base);
  if (!exact || base === 0 || exponent === 0) return base ** exponent;
  const { negative, numerator, shift } = exactValue(base);
  const times = BigInt(Math.abs(exponent));
  const top = numerator ** times;
  const bottom = 1n << (shift * times);
  const magnitude = exponent > 0 ? divideExactly(top, bottom) : divideExactly(bottom, top);
  return negative && exponent % 2 !== 0 ? -magnitude : magnitude;
}

export function negate(value: unknown): unknown {
  if (isFloat(value)) return floatValue(typeof value === 'number' ? -value : -value.value);
  if (isInteger(value)) {
    const n = integerOf(value);
    return typeof n === 'number' ? 0 - n : normalizeInteger(-n);
  }
  throw unsupportedUnary('-', value);
}

export function plus(value: unknown): unknown {
  if (isFloat(value)) return value;
  if (isInteger(value)) return integerOf(value);
  throw unsupportedUnary('+', value);
}

/** Int with int stays exact; as soon as a float takes part, the result is a float. */
function arithmetic(
  a: Numeric,
  b: Numeric,
  onFloats: (x: number, y: number) => number,
  onIntegers: (x: bigint, y: bigint) => bigint,
): unknown {
  const x = plain(a);
  const y = plain(b);
  if (isFloat(a) || isFloat(b)) return floatValue(onFloats(Number(x), Number(y)));
  if (typeof x === 'number' && typeof y === 'number') {
    const quick = onFloats(x, y);
    if (Number.isSafeInteger(quick)) return quick + 0;
  }
  return normalizeInteger(onIntegers(BigInt(x), BigInt(y)));
}

const divisionByZero = () => valueFault('division by zero.');

function fail(operator: string, a: unknown, b: unknown): never {
  throw unsupported(operator, a, b);
}

function unsupported(operator: string, a: unknown, b: unknown): Error {
  if (a instanceof Undefined) return a.fault();
  if (b instanceof Undefined) return b.fault();
  const hint =
    operator === '+' && (isText(a) || isText(b))
      ? "Join text with '~', or convert it with | int or | float."
      : undefined;
  return typeFault(`'${operator}' does not work between ${typeName(a)} and ${typeName(b)}.`, hint);
}

function unsupportedUnary(operator: string, value: unknown): Error {
  return value instanceof Undefined ? value.fault() : typeFault(`'${operator}' does not work on ${typeName(value)}.`);
}
