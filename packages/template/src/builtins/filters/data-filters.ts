import { decodeBase64, encodeBase64 } from '../../encoding/base64.ts';
import { toJsonText } from '../../encoding/json-text.ts';
import { parseJson } from '../../encoding/parse-json.ts';
import { sha256Hex } from '../../encoding/sha256.ts';
import { decodeUtf8, encodeUtf8 } from '../../encoding/utf8.ts';
import type { Run } from '../../evaluation/run.ts';
import { getAttribute } from '../../values/access.ts';
import { isInteger } from '../../values/integer.ts';
import { Markup } from '../../values/markup.ts';
import { Special } from '../../values/special.ts';
import { toText } from '../../values/text.ts';
import { isTrue } from '../../values/truth.ts';
import { Undefined } from '../../values/undefined.ts';
import { define, type FilterDefinition, integerArgument, textArgument } from '../definition.ts';
import { prettyPrint } from '../pretty-print.ts';

const orDefault = define(
  [
    ['default_value', ''],
    ['boolean', false],
  ],
  (_run, value, [fallback, boolean]) =>
    value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? fallback : value,
);

const HTML_IN_JSON: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  "'": '\\u0027',
};

/** Filters that change the form of data. The last four are not Jinja's. */
export const DATA_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  default: orDefault,
  d: orDefault,
  attr: define(['name'], (run, value, [name]) => {
    const attribute = textArgument(name, 'the name of an attribute');
    if (value instanceof Undefined && !attribute.startsWith('__'))
      return getAttribute(run, value, attribute, attribute);
    const found = value instanceof Special ? value.attribute(attribute) : undefined;
    return found ?? new Undefined(run.undefinedMode, { path: attribute, name: attribute, owner: value });
  }),
  pprint: define([], (run, value) => prettyPrint(value, run.budget)),
  tojson: define([['indent', null]], (run, value, [indent]) => {
    const text = toJsonText(value, indent === null ? undefined : jsonIndent(run, indent), run.budget);
    return new Markup(text.replace(/[<>&']/g, (character) => HTML_IN_JSON[character] ?? ''));
  }),
  fromjson: define([], (run, value) => parseJson(textArgument(value, 'JSON'), run.budget)),
  b64encode: define([], (run, value) => {
    const bytes = bytesOf(run, value);
    run.budget.text(Math.ceil(bytes.length / 3) * 4);
    return encodeBase64(bytes);
  }),
  b64decode: define([], (run, value) => {
    const text = textArgument(value, 'base64');
    run.budget.items(text.length);
    return decodeUtf8(decodeBase64(text));
  }),
  sha256: define([], (run, value) => sha256Hex(bytesOf(run, value))),
  ident: define([], (run, value) => run.settings.quoteIdentifier(textArgument(value, 'a name'))),
};

function bytesOf(run: Run, value: unknown): number[] {
  const text = toText(value, run.budget);
  run.budget.items(text.length);
  return encodeUtf8(text);
}

function jsonIndent(run: Run, indent: unknown): string {
  if (!isInteger(indent)) return textArgument(indent, "'indent'");
  const width = Math.max(0, integerArgument(indent, "'indent'"));
  run.budget.text(width);
  return ' '.repeat(width);
}
