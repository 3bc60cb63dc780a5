import type { Budget } from '../budget.ts';
import { limitFault } from '../template-error.ts';
import { isNumber } from '../values/equality.ts';
import { Group, Tuple } from '../values/list.ts';
import { isMapping, type Mapping, mappingEntries } from '../values/mapping.ts';
import { compare } from '../values/ordering.ts';
import { kindOf } from '../values/special.ts';
import { quoteText, toRepr } from '../values/text.ts';

const WIDTH = 80;
/** Laying out a value costs about as much as this many turns of a loop. */
const VALUE_STEPS = 8;

/** Python's pprint.pformat: on one line if it fits in 80 columns, else one item a line, mappings sorted by key. */
export function prettyPrint(value: unknown, budget: Budget): string {
  const text = new Printer(budget).print(value, 0, 0, 1);
  budget.text(text.length);
  return text;
}

class Printer {
  private readonly budget: Budget;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** `allowance` is how many closing characters follow on the last line. */
  print(value: unknown, indent: number, allowance: number, level: number): string {
    if (level > this.budget.limits.nesting) throw limitFault('this value is nested too deeply to print.');
    this.budget.step(VALUE_STEPS);
    // Python's pprint knows plain tuples only; a group prints as it is.
    if (value instanceof Group) return toRepr(value, this.budget);
    const flat = this.flat(value);
    if (flat.length <= WIDTH - indent - allowance) return flat;
    if (isMapping(value)) return this.mapping(value, indent, allowance, level);
    if (Array.isArray(value)) return `[${this.items(value, indent, allowance, level)}]`;
    if (value instanceof Tuple) {
      const comma = value.items.length === 1 ? ',' : '';
      return `(${this.items(value.items, indent, allowance + comma.length, level)}${comma})`;
    }
    return typeof value === 'string' ? this.text(value, indent, allowance, level) : flat;
  }

  private flat(value: unknown): string {
    if (isMapping(value)) {
      const parts = sortedEntries(value, this.budget).map(
        ({ key, value: item }) => `${this.flat(key)}: ${this.flat(item)}`,
      );
      return `{${parts.join(', ')}}`;
    }
    if (Array.isArray(value)) return `[${value.map((item) => this.flat(item)).join(', ')}]`;
    if (value instanceof Group) return toRepr(value, this.budget);
    if (value instanceof Tuple) {
      return `(${value.items.map((item) => this.flat(item)).join(', ')}${value.items.length === 1 ? ',' : ''})`;
    }
    return toRepr(value, this.budget);
  }

  private items(items: readonly unknown[], indent: number, allowance: number, level: number): string {
    const inner = indent + 1;
    return items
      .map((item, i) => this.print(item, inner, i === items.length - 1 ? allowance + 1 : 1, level + 1))
      .join(`,\n${' '.repeat(inner)}`);
  }

  private mapping(mapping: Mapping, indent: number, allowance: number, level: number): string {
    const inner = indent + 1;
    const entries = sortedEntries(mapping, this.budget);
    const parts = entries.map(({ key, value }, i) => {
      const name = this.flat(key);
      const last = i === entries.length - 1;
      return `${name}: ${this.print(value, inner + name.length + 2, last ? allowance + 1 : 1, level + 1)}`;
    });
    return `{${parts.join(`,\n${' '.repeat(inner)}`)}}`;
  }

  /** Long text is cut into adjacent literals, after spaces and line breaks. */
  private text(text: string, indent: number, allowance: number, level: number): string {
    const atTop = level === 1;
    const column = atTop ? indent + 1 : indent;
    const closing = atTop ? allowance + 1 : allowance;
    const pieces: string[] = [];
    const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
    lines.forEach((line, i) => {
      const quoted = quoteText(line);
      const room = WIDTH - column - (i === lines.length - 1 ? closing : 0);
      if (quoted.length <= room) pieces.push(quoted);
      else pieces.push(...this.cut(line, WIDTH - column, closing, i === lines.length - 1));
    });
    if (pieces.length <= 1) return quoteText(text);
    const joined = pieces.join(`\n${' '.repeat(column)}`);
    return atTop ? `(${joined})` : joined;
  }

  private cut(line: string, width: number, closing: number, last: boolean): string[] {
    const parts = line.match(/\S*\s*/g)?.filter((part) => part !== '') ?? [];
    const pieces: string[] = [];
    let current = '';
    parts.forEach((part, i) => {
      const candidate = current + part;
      const room = width - (last && i === parts.length - 1 ? closing : 0);
      if (quoteText(candidate).length > room) {
        if (current !== '') pieces.push(quoteText(current));
        current = part;
      } else current = candidate;
    });
    if (current !== '') pieces.push(quoteText(current));
    return pieces;
  }
}

/** By key; keys that Python cannot order are sorted by the names of their types. */
function sortedEntries(
  mapping: Mapping,
  budget: Budget,
): readonly { readonly key: unknown; readonly value: unknown }[] {
  const rank = (key: unknown) => TYPE_ORDER.indexOf(kindOf(key));
  return mappingEntries(mapping).sort((a, b) =>
    kindOf(a.key) === kindOf(b.key) || (isNumber(a.key) && isNumber(b.key))
      ? kindOf(a.key) === 'none'
        ? 0
        : compare(a.key, b.key, budget)
      : rank(a.key) - rank(b.key),
  );
}

const TYPE_ORDER: readonly string[] = ['none', 'bool', 'float', 'int', 'str', 'tuple'];
