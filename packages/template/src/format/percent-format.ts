import type { Budget } from '../budget.ts';
import { limitFault, typeFault, valueFault } from '../template-error.ts';
import { codePoints, sliceText, textLength } from '../values/code-points.ts';
import { isNumber, plain } from '../values/equality.ts';
import { isFloat, unwrapFloat } from '../values/float.ts';
import { integerOf, integerText, isInteger, normalizeInteger } from '../values/integer.ts';
import { Tuple } from '../values/list.ts';
import { isMapping, mappingGet } from '../values/mapping.ts';
import { escapeHtml, likeText, Markup, textOf } from '../values/markup.ts';
import { Range } from '../values/range.ts';
import { typeName } from '../values/special.ts';
import { escapeNonAscii, toRepr, toText } from '../values/text.ts';
import { Undefined } from '../values/undefined.ts';
import { exponentText, fixedText, generalText } from './decimal-text.ts';

/** What follows the `%` and the name in parentheses: flags, width, precision, length, type. */
const PLACE = /([-+ #0]*)(\d+|\*)?(?:(\.)(\d+|\*)?)?[hlL]?([\s\S]?)/y;
const MAX_PRECISION = 1_000;

interface Layout {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/** Python's `'%s has %05.2f' % values`: a tuple fills the places in order, a mapping by name. */
export function percentFormat(template: string | Markup, values: unknown, budget: Budget): string | Markup {
  const positional = values instanceof Tuple ? values.items : [values];
  let used = 0;
  let byName = false;
  const next = (): unknown => {
    if (used < positional.length) return positional[used++];
    throw typeFault('the format has more places than values.');
  };
  const size = (text: string | undefined, limit: number): number | undefined => {
    if (text === undefined) return undefined;
    const n = text === '*' ? next() : Number(text);
    if (typeof n !== 'number' || !Number.isSafeInteger(n)) throw typeFault("'*' in a format needs an integer.");
    if (n > limit) throw limitFault(`a width or precision of ${n} is too large.`);
    return n;
  };
  const source = textOf(template);
  let text = '';
  let at = 0;
  for (;;) {
    const percent = source.indexOf('%', at);
    text += percent < 0 ? source.slice(at) : source.slice(at, percent);
    if (percent < 0) break;
    budget.step();
    const close = source[percent + 1] === '(' ? source.indexOf(')', percent) : percent;
    if (close < 0) throw valueFault('a name in the format is never closed.', "Write a plain percent sign as '%%'.");
    PLACE.lastIndex = close + 1;
    const [whole = '', flags = '', width, point, digits, type = ''] = PLACE.exec(source) ?? [];
    at = close + 1 + whole.length;
    if (type === '') throw valueFault('the format ends inside a place.', "Write a plain percent sign as '%%'.");
    const place: Layout = {
      flags,
      width: size(width, budget.limits.text) ?? 0,
      precision: point === undefined ? undefined : (size(digits, MAX_PRECISION) ?? 0),
    };
    if (type === '%') {
      text += '%';
      continue;
    }
    const name = close === percent ? undefined : source.slice(percent + 2, close);
    byName ||= name !== undefined;
    const value = name === undefined ? next() : named(values, name);
    const shown = convert(value, type, place, budget);
    budget.text(Math.max(place.width, shown.length));
    text += template instanceof Markup && !(value instanceof Markup) && !isNumber(value) ? escapeHtml(shown) : shown;
  }
  if (!byName && used < positional.length && (values instanceof Tuple || !isSubscriptable(values))) {
    throw typeFault('the format has fewer places than values.');
  }
  budget.text(text.length);
  return likeText(template, text);
}

/** Python cannot tell that these were meant as a single value, and lets them pass unused. */
const isSubscriptable = (value: unknown): boolean =>
  isMapping(value) || Array.isArray(value) || value instanceof Range || value instanceof Undefined;

function named(values: unknown, name: string): unknown {
  if (!isMapping(values)) throw typeFault(`the format names '${name}', so it needs a mapping.`);
  const value = mappingGet(values, name);
  if (value === undefined) throw valueFault(`the format has a place for '${name}', which was not given.`);
  return value;
}

function convert(value: unknown, type: string, layout: Layout, budget: Budget): string {
  switch (type) {
    case 's':
      return padText(cut(toText(value, budget), layout), layout);
    case 'r':
      return padText(cut(toRepr(value, budget), layout), layout);
    case 'a':
      return padText(cut(escapeNonAscii(toRepr(value, budget)), layout), layout);
    case 'c':
      return padText(character(value), layout);
    case 'd':
    case 'i':
    case 'u':
      return integer(value, type, 10, layout);
    case 'o':
      return integer(value, type, 8, layout);
    case 'x':
    case 'X':
      return integer(value, type, 16, layout);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return float(value, type, layout);
    default:
      throw valueFault(`'%${type}' is no place of a format.`, "Write a plain percent sign as '%%'.");
  }
}

const cut = (text: string, layout: Layout): string =>
  layout.precision === undefined ? text : sliceText(text, 0, layout.precision);

function character(value: unknown): string {
  if (isInteger(value)) return String.fromCodePoint(Number(integerOf(value)));
  if (typeof value === 'string' && codePoints(value).length === 1) return value;
  throw typeFault("'%c' needs an integer or a single character.");
}

function integer(value: unknown, type: string, radix: number, layout: Layout): string {
  if (value instanceof Undefined) throw value.fault();
  const decimal = radix === 10;
  if (!isInteger(value) && !(decimal && isFloat(value))) {
    throw typeFault(`'%${type}' needs ${decimal ? 'a number' : 'an integer'}, found ${typeName(value)}.`);
  }
  const n = isFloat(value) ? truncate(unwrapFloat(value)) : integerOf(value);
  const magnitude = n < 0 ? -n : n;
  let digits = decimal ? integerText(magnitude) : magnitude.toString(radix);
  if (layout.precision !== undefined) digits = digits.padStart(layout.precision, '0');
  if (type === 'X') digits = digits.toUpperCase();
  const prefix = layout.flags.includes('#') && !decimal ? `0${type}` : '';
  return padNumber(sign(n < 0, layout) + prefix, digits, layout);
}

function truncate(n: number): number | bigint {
  if (!Number.isFinite(n)) throw valueFault(`${n > 0 || n < 0 ? 'infinity' : 'nan'} is no integer.`);
  return normalizeInteger(BigInt(Math.trunc(n)));
}

function float(value: unknown, type: string, layout: Layout): string {
  if (value instanceof Undefined) throw value.fault();
  if (!isNumber(value)) throw typeFault(`'%${type}' needs a number, found ${typeName(value)}.`);
  const n = Number(plain(value));
  const digits = layout.precision ?? 6;
  const lower = type.toLowerCase();
  const magnitude = Math.abs(n);
  const text =
    lower === 'e'
      ? exponentText(magnitude, digits)
      : lower === 'f'
        ? fixedText(magnitude, digits)
        : generalText(magnitude, digits, layout.flags.includes('#'));
  return padNumber(sign(n < 0 || Object.is(n, -0), layout), type === lower ? text : text.toUpperCase(), layout);
}

const sign = (negative: boolean, { flags }: Layout): string =>
  negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';

function padNumber(prefix: string, digits: string, layout: Layout): string {
  if (layout.flags.includes('0') && !layout.flags.includes('-')) {
    return prefix + digits.padStart(layout.width - prefix.length, '0');
  }
  return padText(prefix + digits, layout);
}

function padText(text: string, layout: Layout): string {
  const missing = ' '.repeat(Math.max(0, layout.width - textLength(text)));
  return layout.flags.includes('-') ? text + missing : missing + text;
}
