import type { Run } from '../../evaluation/run.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { isMapping, mappingEntries } from '../../values/mapping.ts';
import { escapeHtml, isText, Markup } from '../../values/markup.ts';
import { isIterable, itemsOf, iterate } from '../../values/sequence.ts';
import { typeName } from '../../values/special.ts';
import { toText } from '../../values/text.ts';
import { isTrue } from '../../values/truth.ts';
import { Undefined } from '../../values/undefined.ts';
import { define, type FilterDefinition, integerArgument, textArgument } from '../definition.ts';
import { linkText, stripTags } from '../html-text.ts';

const escapeOnce = define([], (run, value) => (value instanceof Markup ? value : escapeAny(run, value)));
const SCHEME = /^[\w.+-]{2,}:\/{0,2}$/;

export const HTML_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  escape: escapeOnce,
  e: escapeOnce,
  forceescape: define([], escapeAny),
  safe: define([], (run, value) => new Markup(toText(value, run.budget))),
  striptags: define([], (run, value) => {
    const text = toText(value, run.budget);
    run.budget.text(text.length);
    run.budget.step(text.length >> 3);
    return stripTags(text);
  }),
  urlize: define(
    [
      ['trim_url_limit', null],
      ['nofollow', false],
      ['target', null],
      ['rel', null],
      ['extra_schemes', null],
    ],
    (run, value, [trimLimit, nofollow, target, rel, schemes]) => {
      const text = toText(value, run.budget);
      run.budget.text(text.length * 2);
      run.budget.step(text.length >> 3);
      const rels = new Set(rel === null ? [] : textArgument(rel, "'rel'").split(/\s+/).filter(Boolean));
      if (isTrue(nofollow)) rels.add('nofollow');
      rels.add('noopener');
      const extraSchemes =
        schemes === null ? [] : iterate(schemes, run.budget).map((scheme) => textArgument(scheme, 'a scheme'));
      const invalid = extraSchemes.find((scheme) => !SCHEME.test(scheme));
      if (invalid !== undefined)
        throw valueFault(`'${invalid}' is not the start of an address.`, "An example is 'tel:'.");
      const linked = linkText(value instanceof Markup ? text : escapeHtml(text), {
        trimLimit: trimLimit === null ? undefined : integerArgument(trimLimit, "'trim_url_limit'"),
        rel: [...rels].sort().join(' '),
        target: target === null ? undefined : textArgument(target, "'target'"),
        extraSchemes,
      });
      run.budget.text(linked.length);
      return linked;
    },
  ),
  urlencode: define([], (run, value) => {
    if (isText(value) || !isIterable(value)) return bounded(run, percentEncode(toText(value, run.budget), true));
    const pairs = isMapping(value)
      ? mappingEntries(value).map((entry) => [entry.key, entry.value])
      : iterate(value, run.budget).map((item) => itemsOf(item) ?? []);
    run.budget.step(pairs.length);
    const form = (part: unknown) => percentEncode(toText(part, run.budget), false).replaceAll('%20', '+');
    const text = pairs.map((pair) => {
      if (pair.length !== 2) throw valueFault("the filter 'urlencode' needs text, a mapping or pairs.");
      return `${form(pair[0])}=${form(pair[1])}`;
    });
    return bounded(run, text.join('&'));
  }),
  xmlattr: define([['autospace', true]], (run, value, [autospace]) => {
    if (value instanceof Undefined) throw value.fault();
    if (!isMapping(value)) throw typeFault(`the filter 'xmlattr' needs a mapping, found ${typeName(value)}.`);
    const attributes = mappingEntries(value)
      .filter((entry) => entry.value !== null && !(entry.value instanceof Undefined))
      .map((entry) => {
        const name = textArgument(entry.key, 'the name of an attribute');
        if (/[\s/>=]/.test(name)) throw valueFault(`'${name}' cannot be the name of an attribute.`);
        const shown = entry.value instanceof Markup ? entry.value : escapeAny(run, entry.value);
        return `${escapeHtml(name)}="${shown.text}"`;
      })
      .join(' ');
    run.budget.text(attributes.length);
    return isTrue(autospace) && attributes !== '' ? ` ${attributes}` : attributes;
  }),
};

function escapeAny(run: Run, value: unknown): Markup {
  const text = escapeHtml(toText(value, run.budget));
  run.budget.text(text.length);
  return new Markup(text);
}

function bounded(run: Run, text: string): string {
  run.budget.text(text.length);
  return text;
}

function percentEncode(text: string, keepSlash: boolean): string {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    throw valueFault('the text contains half of a character (a lone surrogate).');
  }
  const strict = encoded.replace(/[!*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return keepSlash ? strict.replaceAll('%2F', '/') : strict;
}
