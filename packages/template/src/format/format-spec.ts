import type { Budget } from '../budget.ts';
import { limitFault, valueFault } from '../template-error.ts';
import { sliceText, textLength } from '../values/code-points.ts';
import { floatText, isFloat, unwrapFloat } from '../values/float.ts';
import { integerOf, integerText, isInteger } from '../values/integer.ts';
import { isText, textOf } from '../values/markup.ts';
import { typeName } from '../values/special.ts';
import { toText } from '../values/text.ts';
import { exponentText, fixedText, generalText } from './decimal-text.ts';

/** Python's format mini-language: what stands after the colon in `'{:>8.2f}'.format(x)`. */
interface Spec {
  readonly fill: string;
  readonly align: string | undefined;
  /** A 0 before the width: numbers are filled between sign and digits. */
  readonly zero: boolean;
  readonly sign: string | undefined;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string | undefined;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;
const INTEGER_TYPES = 'bcdoxXn';
const FLOAT_TYPES = 'eEfFgGn%';
const MAX_PRECISION = 1_000;

export function formatValue(value: unknown, specText: string, budget: Budget): string {
  if (specText === '') return toText(value, budget);
  const spec = parseSpec(specText);
  budget.text(spec.width);
  if (isInteger(value)) return formatInteger(integerOf(value), spec);
  if (isFloat(value)) return formatFloat(unwrapFloat(value), spec);
  if (isText(value)) return formatText(textOf(value), spec);
  throw valueFault(`${typeName(value)} takes no format such as '${specText}'.`);
}

function parseSpec(text: string): Spec {
  const match = SPEC.exec(text);
  if (match === null) throw valueFault(`'${text}' is not a format.`, "An example is '>10.2f'.");
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = match;
  if (Number(precision ?? 0) > MAX_PRECISION) throw limitFault(`a precision of ${precision} is too large.`);
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align,
    zero: zero !== undefined,
    sign,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? '',
  };
}

function formatText(text: string, spec: Spec): string {
  if (
    (spec.type !== '' && spec.type !== 's') ||
    spec.align === '=' ||
    spec.sign !== undefined ||
    spec.grouping !== undefined
  ) {
    throw valueFault("text takes only fill, alignment, width and precision in a format, and the type 's'.");
  }
  return padText(spec.precision === undefined ? text : sliceText(text, 0, spec.precision), spec, '<');
}

function formatInteger(n: number | bigint, spec: Spec): string {
  const { type } = spec;
  if (type !== '' && !INTEGER_TYPES.includes(type)) {
    if (FLOAT_TYPES.includes(type)) return formatFloat(Number(n), spec);
    throw valueFault(`'${type}' is not a format of integers.`);
  }
  if (spec.precision !== undefined) throw valueFault('integers take no precision in a format.');
  if (type === 'c') return padText(String.fromCodePoint(Number(n)), spec, '<');
  const magnitude = n < 0 ? -n : n;
  const radix = type === 'b' ? 2 : type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10;
  const digits = radix === 10 ? integerText(magnitude) : magnitude.toString(radix);
  const prefix = spec.alternate && radix !== 10 ? `0${type}` : '';
  const grouped = group(type === 'X' ? digits.toUpperCase() : digits, spec, radix === 10 ? 3 : 4);
  return padNumber(signOf(n < 0, spec) + prefix, grouped, spec);
}

function formatFloat(n: number, spec: Spec): string {
  const magnitude = Math.abs(n);
  const negative = n < 0 || Object.is(n, -0);
  let body: string;
  switch (spec.type) {
    case 'e':
    case 'E':
      body = exponentText(magnitude, spec.precision ?? 6);
      break;
    case 'f':
    case 'F':
      body = fixedText(magnitude, spec.precision ?? 6);
      break;
    case '%':
      body = `${fixedText(magnitude * 100, spec.precision ?? 6)}%`;
      break;
    case 'g':
    case 'G':
    case 'n':
      body = generalText(magnitude, spec.precision ?? 6, spec.alternate);
      break;
    case '':
      body = spec.precision === undefined ? floatText(magnitude) : shortText(magnitude, spec.precision);
      break;
    default:
      throw valueFault(`'${spec.type}' is not a format of floats.`);
  }
  if (spec.type === 'E' || spec.type === 'G' || spec.type === 'F') body = body.toUpperCase();
  const [whole = '', ...rest] = body.split(/(?=[.eE%])/);
  return padNumber(signOf(negative, spec), group(whole, spec, 3) + rest.join(''), spec);
}

/** A precision without a type: like `g`, but at least one digit after the point. */
function shortText(n: number, precision: number): string {
  const text = generalText(n, precision);
  return /^\d+$/.test(text)
    ? text.length > precision && precision > 0
      ? exponentText(n, precision - 1)
      : `${text}.0`
    : text;
}

const signOf = (negative: boolean, spec: Spec): string =>
  negative ? '-' : spec.sign === undefined || spec.sign === '-' ? '' : spec.sign;

function group(digits: string, spec: Spec, size: number): string {
  if (spec.grouping === undefined || !/^[\da-fA-F]+$/.test(digits)) return digits;
  let padded = digits;
  // Zero padding counts the separators too.
  while (fillsInside(spec) && spec.fill === '0' && groupedLength(padded.length + 1, size) <= spec.width)
    padded = `0${padded}`;
  return padded.replace(new RegExp(`\\B(?=(?:.{${size}})+$)`, 'g'), spec.grouping);
}

const fillsInside = (spec: Spec): boolean => spec.align === '=' || (spec.zero && spec.align === undefined);

const groupedLength = (digits: number, size: number): number => digits + Math.floor((digits - 1) / size);

function padNumber(sign: string, digits: string, spec: Spec): string {
  const missing = spec.width - sign.length - digits.length;
  if (missing <= 0) return sign + digits;
  if (fillsInside(spec)) return sign + spec.fill.repeat(missing) + digits;
  return padText(sign + digits, spec, '>');
}

function padText(text: string, spec: Spec, defaultAlign: string): string {
  const missing = spec.width - textLength(text);
  if (missing <= 0) return text;
  const align = spec.align === undefined || spec.align === '=' ? (spec.align === '=' ? '>' : defaultAlign) : spec.align;
  const left = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0;
  return spec.fill.repeat(left) + text + spec.fill.repeat(missing - left);
}
