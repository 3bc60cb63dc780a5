import type { Run } from '../evaluation/run.ts';
import { valueFault } from '../template-error.ts';
import { getAttribute, getItem } from '../values/access.ts';
import type { CallArguments } from '../values/callable.ts';
import { escapeHtml, Markup } from '../values/markup.ts';
import { escapeNonAscii, toRepr, toText } from '../values/text.ts';
import { formatValue } from './format-spec.ts';

const FIELD = /^([^!:.[\]]*)((?:\.[^!:.[\]]+|\[[^\]]*\])*)(?:!(.))?(?::([\s\S]*))?$/;

/** Python's `'{0} {name!r:>8}'.format(…)`. Fields reach data only: `{0.x}` is an item, never an attribute of the host. */
export function braceFormat(template: string, args: CallArguments, run: Run, escapes: boolean): string {
  let automatic = 0;
  const fieldValue = (name: string): unknown => {
    if (name === '' || /^\d+$/.test(name)) {
      const index = name === '' ? automatic++ : Number(name);
      if (index < args.positional.length) return args.positional[index];
      throw valueFault(`the format has a place for value ${index + 1}, but ${args.positional.length} were given.`);
    }
    if (args.named.has(name)) return args.named.get(name);
    throw valueFault(`the format has a place for '${name}', which was not given.`);
  };

  const expand = (text: string, depth: number): string => {
    if (depth > 2) throw valueFault('this format is nested too deeply.');
    let out = '';
    let at = 0;
    while (at < text.length) {
      const character = text[at] ?? '';
      if (character !== '{' && character !== '}') {
        out += character;
        at++;
      } else if (text[at + 1] === character) {
        out += character;
        at += 2;
      } else if (character === '}') {
        throw valueFault("a single '}' in a format.", "Write it as '}}'.");
      } else {
        const end = closingBrace(text, at);
        out += field(text.slice(at + 1, end), depth);
        at = end + 1;
      }
      run.budget.step();
      if (out.length > run.budget.limits.text) run.budget.text(out.length);
    }
    return out;
  };

  const field = (source: string, depth: number): string => {
    const match = FIELD.exec(source);
    if (match === null) throw valueFault(`'{${source}}' is not a field of a format.`);
    const [, name = '', path = '', conversion, spec = ''] = match;
    let value = fieldValue(name);
    for (const [, attribute, item] of path.matchAll(/\.([^.[]+)|\[([^\]]*)\]/g)) {
      value =
        attribute !== undefined
          ? getAttribute(run, value, attribute, source)
          : getItem(run, value, /^\d+$/.test(item ?? '') ? Number(item) : item, source);
    }
    if (conversion === 'r') value = toRepr(value, run.budget);
    else if (conversion === 'a') value = escapeNonAscii(toRepr(value, run.budget));
    else if (conversion === 's') value = toText(value, run.budget);
    else if (conversion !== undefined) throw valueFault(`'!${conversion}' is no conversion of a format.`);
    const text = formatValue(value, expand(spec, depth + 1), run.budget);
    return escapes && !(value instanceof Markup) ? escapeHtml(text) : text;
  };

  const text = expand(template, 0);
  run.budget.text(text.length);
  return text;
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  throw valueFault("a '{' in a format is never closed.", "Write a plain brace as '{{'.");
}
