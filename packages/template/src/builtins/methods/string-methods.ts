import type { Run } from '../../evaluation/run.ts';
import { braceFormat } from '../../format/brace-format.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { codePoints, mapCharacters, sliceText, textLength } from '../../values/code-points.ts';
import { integerOf, isInteger } from '../../values/integer.ts';
import { ownList, Tuple } from '../../values/list.ts';
import { isMapping, mappingEntries, mappingGet } from '../../values/mapping.ts';
import { escapeHtml, isText, likeText, Markup, textOf } from '../../values/markup.ts';
import { itemsOf, iterate } from '../../values/sequence.ts';
import { typeName } from '../../values/special.ts';
import { isTrue } from '../../values/truth.ts';
import { define, defineVariadic, integerArgument, type MethodDefinition, textArgument } from '../definition.ts';
import {
  capitalize,
  casefold,
  center,
  countText,
  isSpace,
  isTitle,
  replaceText,
  splitLines,
  strip,
  stripEnd,
  stripStart,
  titleText,
  words,
} from '../python-text.ts';
import type { Parameter } from '../signature.ts';

type TextMethod<Result> = (text: string, args: readonly unknown[], run: Run) => Result;

/** A method from text to something else. */
const reading = (parameters: readonly Parameter[], apply: TextMethod<unknown>): MethodDefinition =>
  define(parameters, (run, value, args) => {
    run.budget.step(textOf(value as string).length >> 6);
    return apply(textOf(value as string | Markup), args, run);
  });

/** A method from text to parts of it: each part is markup if the text was. */
const cutting = (parameters: readonly Parameter[], apply: TextMethod<readonly string[]>): MethodDefinition =>
  define(parameters, (run, value, args) => {
    const text = value as string | Markup;
    run.budget.items(textOf(text).length);
    return ownList(apply(textOf(text), args, run).map((part) => likeText(text, part)));
  });

/** A method from text to text: the result is markup if the text was, and counts against the budget. */
const making = (parameters: readonly Parameter[], apply: TextMethod<string>): MethodDefinition =>
  define(parameters, (run, value, args) => {
    const text = value as string | Markup;
    run.budget.text(textOf(text).length);
    const made = apply(textOf(text), args, run);
    run.budget.text(made.length);
    return likeText(text, made);
  });

const is = (pattern: RegExp): MethodDefinition => reading([], (text) => pattern.test(text));
const characters = (value: unknown): string | undefined =>
  value === null ? undefined : textArgument(value, 'the characters to strip');
const SPLIT: readonly Parameter[] = [
  ['sep', null],
  ['maxsplit', -1],
];
const RANGE: readonly Parameter[] = ['sub', ['start', null], ['end', null]];

export const STRING_METHODS: Readonly<Record<string, MethodDefinition>> = {
  upper: making([], (text) => text.toUpperCase()),
  lower: making([], (text) => text.toLowerCase()),
  casefold: reading([], casefold),
  capitalize: making([], capitalize),
  title: making([], titleText),
  swapcase: making([], (text) => mapCharacters(text, swapCase)),
  strip: making([['chars', null]], (text, [chars]) => strip(text, characters(chars))),
  lstrip: making([['chars', null]], (text, [chars]) => stripStart(text, characters(chars))),
  rstrip: making([['chars', null]], (text, [chars]) => stripEnd(text, characters(chars))),
  removeprefix: reading(['prefix'], (text, [prefix]) => {
    const start = textArgument(prefix, 'the prefix');
    return text.startsWith(start) ? text.slice(start.length) : text;
  }),
  removesuffix: reading(['suffix'], (text, [suffix]) => {
    const end = textArgument(suffix, 'the suffix');
    return end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
  }),
  replace: define(['old', 'new', ['count', -1]], (run, value, [from, to, count]) => {
    const text = value as string | Markup;
    const old = joining(text, from, 'what is replaced');
    const replacement = joining(text, to, 'the replacement');
    const limit = integerArgument(count, "'count'");
    const occurrences = countText(textOf(text), old);
    const places = limit < 0 ? occurrences : Math.min(limit, occurrences);
    run.budget.text(Math.max(0, textOf(text).length + places * (replacement.length - old.length)));
    return likeText(text, replaceText(textOf(text), old, replacement, limit));
  }),
  center: padding((text, width, fill) => center(text, width, fill)),
  ljust: padding((text, width, fill) => text + fill.repeat(Math.max(0, width - textLength(text)))),
  rjust: padding((text, width, fill) => fill.repeat(Math.max(0, width - textLength(text))) + text),
  zfill: making(['width'], (text, [width], run) => {
    const columns = integerArgument(width, "'width'");
    run.budget.text(Math.max(0, columns));
    const sign = /^[-+]/.exec(text)?.[0] ?? '';
    return sign + '0'.repeat(Math.max(0, columns - textLength(text))) + text.slice(sign.length);
  }),
  expandtabs: making([['tabsize', 8]], (text, [tabsize], run) => {
    const size = integerArgument(tabsize, "'tabsize'");
    run.budget.text(text.length + Math.max(0, size) * countText(text, '\t'));
    return expandTabs(text, size);
  }),
  join: define(['items'], (run, value, [items]) => {
    const separator = value as string | Markup;
    const parts = iterate(items, run.budget).map((item) => joining(separator, item, 'an item to join'));
    run.budget.text(parts.reduce((sum, part) => sum + part.length + textOf(separator).length, 0));
    return likeText(separator, parts.join(textOf(separator)));
  }),
  translate: making(['table'], (text, [table]) => {
    if (!isMapping(table)) throw typeFault(`'translate' needs a mapping, found ${typeName(table)}.`);
    return mapCharacters(text, (character) => translated(character, mappingGet(table, character.codePointAt(0))));
  }),
  format: defineVariadic((run, value, args, named) => {
    const text = value as string | Markup;
    return likeText(text, braceFormat(textOf(text), { positional: args, named }, run, text instanceof Markup));
  }),
  format_map: define(['mapping'], (run, value, [mapping]) => {
    if (!isMapping(mapping)) throw typeFault(`'format_map' needs a mapping, found ${typeName(mapping)}.`);
    const named = new Map(mappingEntries(mapping).map(({ key, value: item }) => [String(key), item]));
    const text = value as string | Markup;
    return likeText(text, braceFormat(textOf(text), { positional: [], named }, run, text instanceof Markup));
  }),
  split: cutting(SPLIT, (text, args) => split(text, args, false)),
  rsplit: cutting(SPLIT, (text, args) => split(text, args, true)),
  splitlines: cutting([['keepends', false]], (text, [keep]) => splitLines(text, isTrue(keep))),
  partition: define(['sep'], (_run, value, [sep]) => partition(value as string | Markup, sep, false)),
  rpartition: define(['sep'], (_run, value, [sep]) => partition(value as string | Markup, sep, true)),
  startswith: reading(['prefix', ['start', null], ['end', null]], (text, args) =>
    affix(text, args, (part, fix) => part.startsWith(fix)),
  ),
  endswith: reading(['suffix', ['start', null], ['end', null]], (text, args) =>
    affix(text, args, (part, fix) => part.endsWith(fix)),
  ),
  count: reading(RANGE, (text, [sub, start, end]) => {
    const { part, beyond } = window(text, start, end);
    const wanted = textArgument(sub, 'the text to count');
    return beyond ? 0 : countText(part, wanted);
  }),
  find: reading(RANGE, (text, args) => find(text, args, false)),
  rfind: reading(RANGE, (text, args) => find(text, args, true)),
  index: reading(RANGE, (text, args) => found(find(text, args, false))),
  rindex: reading(RANGE, (text, args) => found(find(text, args, true))),
  isalnum: is(/^[\p{L}\p{N}]+$/u),
  isalpha: is(/^\p{L}+$/u),
  isascii: reading([], (text) => !/[\u0080-\uffff]/.test(text)),
  isdecimal: is(/^\p{Nd}+$/u),
  isdigit: is(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨]+$/u),
  isidentifier: is(/^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  islower: reading([], (text) => text === text.toLowerCase() && text.toLowerCase() !== text.toUpperCase()),
  isnumeric: is(/^\p{N}+$/u),
  isprintable: reading([], (text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text)),
  isspace: reading([], isSpace),
  istitle: reading([], isTitle),
  isupper: reading([], (text) => text === text.toUpperCase() && text.toLowerCase() !== text.toUpperCase()),
};

/** A table maps code points to text, to other code points, or to none to drop them. */
function translated(character: string, to: unknown): string {
  if (to === undefined) return character;
  if (to === null) return '';
  return isInteger(to) ? String.fromCodePoint(Number(integerOf(to))) : textArgument(to, 'a replacement');
}

/** Text that joins another; markup escapes what is not markup. */
function joining(text: string | Markup, value: unknown, what: string): string {
  const other = textArgument(value, what);
  return text instanceof Markup && !(value instanceof Markup) ? escapeHtml(other) : other;
}

function swapCase(character: string): string {
  return character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
}

function padding(apply: (text: string, width: number, fill: string) => string): MethodDefinition {
  return making(['width', ['fillchar', ' ']], (text, [width, fill], run) => {
    const columns = integerArgument(width, "'width'");
    const character = textArgument(fill, 'the fill character');
    if (textLength(character) !== 1) throw typeFault('the fill character is exactly one character.');
    run.budget.text(Math.max(0, columns));
    return apply(text, columns, character);
  });
}

function expandTabs(text: string, size: number): string {
  let column = 0;
  return codePoints(text)
    .map((character) => {
      if (character === '\t') {
        const width = size > 0 ? size - (column % size) : 0;
        column += width;
        return ' '.repeat(width);
      }
      column = character === '\n' || character === '\r' ? 0 : column + 1;
      return character;
    })
    .join('');
}

function split(text: string, [sep, maxsplit]: readonly unknown[], fromEnd: boolean): readonly string[] {
  const limit = integerArgument(maxsplit, "'maxsplit'");
  if (sep === null) return splitWords(text, limit, fromEnd);
  const separator = textArgument(sep, 'the separator');
  if (separator === '') throw valueFault('the separator cannot be empty.');
  const parts = text.split(separator);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return fromEnd
    ? [parts.slice(0, parts.length - limit).join(separator), ...parts.slice(parts.length - limit)]
    : [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function splitWords(text: string, limit: number, fromEnd: boolean): readonly string[] {
  const all = words(text);
  if (limit < 0 || all.length <= limit) return all;
  let rest = fromEnd ? stripEnd(text) : stripStart(text);
  const taken: string[] = [];
  for (let i = 0; i < limit; i++) {
    const word = fromEnd ? all[all.length - 1 - i] : all[i];
    taken.push(word ?? '');
    const length = word?.length ?? 0;
    rest = fromEnd ? stripEnd(rest.slice(0, rest.length - length)) : stripStart(rest.slice(length));
  }
  if (rest === '') return fromEnd ? taken.reverse() : taken;
  return fromEnd ? [rest, ...taken.reverse()] : [...taken, rest];
}

function partition(value: string | Markup, sep: unknown, last: boolean): Tuple {
  const text = textOf(value);
  const separator = textArgument(sep, 'the separator');
  if (separator === '') throw valueFault('the separator cannot be empty.');
  const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
  const missing = last ? ['', '', text] : [text, '', ''];
  const parts = at < 0 ? missing : [text.slice(0, at), separator, text.slice(at + separator.length)];
  return new Tuple(parts.map((part) => likeText(value, part)));
}

/** The part of a text between two positions as Python's methods take them. */
function window(text: string, start: unknown, end: unknown): { part: string; offset: number; beyond: boolean } {
  const length = textLength(text);
  const place = (value: unknown, fallback: number) => {
    if (value === null) return fallback;
    const n = integerArgument(value, 'a position');
    return n < 0 ? Math.max(0, n + length) : n;
  };
  const from = place(start, 0);
  const to = Math.min(place(end, length), length);
  return { part: from > to ? '' : sliceText(text, from, to), offset: from, beyond: from > to };
}

function affix(
  text: string,
  [fix, start, end]: readonly unknown[],
  holds: (part: string, fix: string) => boolean,
): boolean {
  const { part, beyond } = window(text, start, end);
  const candidates = isText(fix) ? [fix] : fix instanceof Tuple ? itemsOf(fix) : undefined;
  if (candidates === undefined) throw typeFault(`text or a tuple of texts is needed, found ${typeName(fix)}.`);
  return !beyond && candidates.some((candidate) => holds(part, textArgument(candidate, 'what is looked for')));
}

function find(text: string, [sub, start, end]: readonly unknown[], last: boolean): number {
  const { part, offset, beyond } = window(text, start, end);
  const needle = textArgument(sub, 'what is looked for');
  const at = last ? part.lastIndexOf(needle) : part.indexOf(needle);
  return at < 0 || beyond ? -1 : offset + textLength(part.slice(0, at));
}

function found(at: number): number {
  if (at < 0) throw valueFault('the text was not found.', 'Use find, which gives -1.');
  return at;
}
