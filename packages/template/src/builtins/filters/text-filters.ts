import type { Run } from '../../evaluation/run.ts';
import { percentFormat } from '../../format/percent-format.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { add } from '../../values/arithmetic.ts';
import { sliceText, textLength } from '../../values/code-points.ts';
import { Dict } from '../../values/dict.ts';
import { isInteger } from '../../values/integer.ts';
import { Tuple } from '../../values/list.ts';
import { isText, likeText, Markup } from '../../values/markup.ts';
import { lengthOf } from '../../values/sequence.ts';
import { toText } from '../../values/text.ts';
import { isTrue } from '../../values/truth.ts';
import { define, defineVariadic, type FilterDefinition, integerArgument, textArgument } from '../definition.ts';
import { capitalize, center, countText, replaceText, splitLines, strip } from '../python-text.ts';
import { wrapText } from '../wrap-text.ts';

const WORD_START = /([-\s({[<]+)/;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Wrapping a character costs about as much as this many turns of a loop. */
const WRAP_STEPS = 8;
/** A text may be this much longer than asked before `truncate` cuts it. */
const LEEWAY = 5;

/** A filter from text to text; the result is markup if the input was. */
const onText = (apply: (text: string) => string): FilterDefinition =>
  define([], (run, value) => {
    const text = toText(value, run.budget);
    run.budget.text(text.length);
    return value instanceof Markup ? new Markup(apply(text)) : apply(text);
  });

export const TEXT_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  upper: onText((text) => text.toUpperCase()),
  lower: onText((text) => text.toLowerCase()),
  capitalize: onText(capitalize),
  title: define([], (run, value) => {
    const text = toText(value, run.budget);
    run.budget.text(text.length);
    return text.split(WORD_START).map(startUpper).join('');
  }),
  string: define([], (run, value) => (isText(value) ? value : toText(value, run.budget))),
  trim: define([['chars', null]], (run, value, [chars]) => {
    const text = toText(value, run.budget);
    run.budget.text(text.length);
    return likeText(
      isText(value) ? value : '',
      strip(text, chars === null ? undefined : textArgument(chars, "'chars'")),
    );
  }),
  replace: define(['old', 'new', ['count', null]], (run, value, [from, to, count]) => {
    const text = toText(value, run.budget);
    const old = toText(from, run.budget);
    const replacement = toText(to, run.budget);
    const limit = count === null ? -1 : integerArgument(count, "'count'");
    const places = limit < 0 ? countText(text, old) : Math.min(limit, countText(text, old));
    run.budget.text(Math.max(0, text.length + places * (replacement.length - old.length)));
    return replaceText(text, old, replacement, limit);
  }),
  center: define([['width', 80]], (run, value, [width]) => {
    const text = toText(value, run.budget);
    const columns = integerArgument(width, "'width'");
    run.budget.text(Math.max(columns, text.length));
    return likeText(isText(value) ? value : '', center(text, columns));
  }),
  indent: define(
    [
      ['width', 4],
      ['first', false],
      ['blank', false],
    ],
    indent,
  ),
  truncate: define(
    [
      ['length', 255],
      ['killwords', false],
      ['end', '...'],
      ['leeway', null],
    ],
    truncate,
  ),
  wordwrap: define(
    [
      ['width', 79],
      ['break_long_words', true],
      ['wrapstring', null],
      ['break_on_hyphens', true],
    ],
    (run, value, [width, breakLong, wrapString, breakHyphens]) => {
      const options = {
        width: integerArgument(width, "'width'"),
        breakLongWords: isTrue(breakLong),
        breakOnHyphens: isTrue(breakHyphens),
      };
      const between = wrapString === null ? '\n' : textArgument(wrapString, "'wrapstring'");
      const text = textArgument(value, 'what is wrapped');
      run.budget.items(text.length);
      run.budget.step(WRAP_STEPS * text.length);
      const lines = splitLines(text).map((line) => wrapText(line, options).join(between));
      run.budget.text(lines.reduce((sum, line) => sum + line.length + between.length, 0));
      return lines.join(between);
    },
  ),
  wordcount: define([], (run, value) => toText(value, run.budget).match(WORD)?.length ?? 0),
  format: defineVariadic((run, value, args, named) => {
    if (args.length > 0 && named.size > 0) throw typeFault("the filter 'format' takes positions or names, not both.");
    const template = isText(value) ? value : toText(value, run.budget);
    if (named.size === 0) return percentFormat(template, new Tuple(args), run.budget);
    const values = new Dict();
    for (const [name, given] of named) values.set(name, given);
    return percentFormat(template, values, run.budget);
  }),
};

function startUpper(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length).toLowerCase();
}

function indent(run: Run, value: unknown, [width, first, blank]: readonly unknown[]): unknown {
  const margin = isInteger(width)
    ? repeatSpace(run, integerArgument(width, "'width'"))
    : textArgument(width, "'width'");
  const text = textArgument(value, 'what is indented');
  const lines = splitLines(`${text}\n`);
  run.budget.text(text.length + lines.length * margin.length);
  const [head = '', ...rest] = lines;
  const indented = rest.map((line) => (line !== '' || isTrue(blank) ? margin + line : line));
  return likeText(value as string | Markup, [isTrue(first) ? margin + head : head, ...indented].join('\n'));
}

function repeatSpace(run: Run, count: number): string {
  run.budget.text(Math.max(0, count));
  return ' '.repeat(Math.max(0, count));
}

function truncate(run: Run, value: unknown, [length, killwords, end, leeway]: readonly unknown[]): unknown {
  const limit = integerArgument(length, "'length'");
  const suffix = textArgument(end, "'end'");
  const slack = leeway === null ? LEEWAY : integerArgument(leeway, "'leeway'");
  if (limit < textLength(suffix)) throw valueFault(`'length' is ${limit}, shorter than the end '${suffix}'.`);
  if (slack < 0) throw valueFault("'leeway' cannot be negative.");
  if (lengthOf(value) <= limit + slack) return value;
  const text = textArgument(value, 'what is truncated');
  const head = sliceText(text, 0, limit - textLength(suffix));
  run.budget.text(limit);
  const space = isTrue(killwords) ? -1 : head.lastIndexOf(' ');
  return add(likeText(value as string | Markup, space < 0 ? head : head.slice(0, space)), end, run.budget);
}
