import type { Budget } from '../budget.ts';
import { limitFault } from '../template-error.ts';
import { Dict } from './dict.ts';
import { Float, floatText } from './float.ts';
import { integerText } from './integer.ts';
import { Tuple } from './list.ts';
import { type Mapping, mappingEntries } from './mapping.ts';
import { Markup } from './markup.ts';
import { Range } from './range.ts';
import { kindOf, Special } from './special.ts';
import { Undefined } from './undefined.ts';

/** An object of the engine that prints in its own way. */
export abstract class Printable extends Special {
  abstract print(): string;
}

/** Python's `str(value)`: what `{{ value }}` prints. */
export function toText(value: unknown, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined || value === undefined) {
    if (value instanceof Undefined) value.checkReadable();
    return '';
  }
  const text = toRepr(value, budget);
  budget.text(text.length);
  return text;
}

/** Python's `repr(value)`. */
export function toRepr(value: unknown, budget: Budget): string {
  return new ReprWriter(budget).write(value, 0);
}

/** Printing a value costs about as much as this many turns of a loop. */
const VALUE_STEPS = 4;
/** Nested parts are counted once for each container around them, so what is counted is more than what is printed. */
const MEASURE_SLACK = 4;

class ReprWriter {
  private readonly budget: Budget;
  private readonly open = new Set<object>();
  private length = 0;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  write(value: unknown, depth: number): string {
    if (depth > this.budget.limits.nesting) throw limitFault('this value is nested too deeply to print.');
    const text = this.one(value, depth);
    if (depth > 0) {
      // The parts of a container are measured as they are made: a huge list fails early.
      this.length += text.length;
      if (this.length > MEASURE_SLACK * this.budget.limits.text) this.budget.text(this.length);
    }
    return text;
  }

  private one(value: unknown, depth: number): string {
    switch (typeof value) {
      case 'string':
        return quoteText(value);
      case 'number':
        return Number.isSafeInteger(value) ? integerText(value) : floatText(value);
      case 'bigint':
        return integerText(value);
      case 'boolean':
        return value ? 'True' : 'False';
      case 'object':
        return value === null ? 'None' : this.container(value, depth);
      default:
        return 'Undefined';
    }
  }

  private container(value: object, depth: number): string {
    if (value instanceof Float) return floatText(value.value);
    if (value instanceof Markup) return `Markup(${quoteText(value.text)})`;
    if (value instanceof Undefined) return this.undefinedRepr(value);
    if (value instanceof Range) {
      return `range(${value.start}, ${value.stop}${value.step === 1 ? '' : `, ${value.step}`})`;
    }
    if (value instanceof Printable) return value.print();
    if (this.open.has(value)) return Array.isArray(value) ? '[...]' : value instanceof Tuple ? '(...)' : '{...}';
    this.open.add(value);
    const text = this.nested(value, depth);
    this.open.delete(value);
    return text;
  }

  private undefinedRepr(value: Undefined): string {
    if (value.mode === 'checked') throw value.fault();
    return 'Undefined';
  }

  private nested(value: object, depth: number): string {
    const items = (list: readonly unknown[]) => {
      this.budget.step(VALUE_STEPS * list.length);
      return list.map((item) => this.write(item, depth + 1)).join(', ');
    };
    if (Array.isArray(value)) return `[${items(value)}]`;
    if (value instanceof Tuple) return `(${items(value.items)}${value.items.length === 1 ? ',' : ''})`;
    if (value instanceof Dict || kindOf(value) === 'dict') {
      const entries = mappingEntries(value as Mapping);
      this.budget.step(2 * VALUE_STEPS * entries.length);
      return `{${entries.map(({ key, value: v }) => `${this.write(key, depth + 1)}: ${this.write(v, depth + 1)}`).join(', ')}}`;
    }
    return `<${value.constructor.name.toLowerCase()}>`;
  }
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
// What Python's str.isprintable refuses: controls, formats, separators other than space, lone surrogates, unassigned.
const UNPRINTABLE = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

export function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, (character) => NAMED_ESCAPES[character] ?? numericEscape(character));
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

/** Python's `ascii()` of a text that is already a repr. */
export const escapeNonAscii = (text: string): string => text.replace(/[^\0-\x7f]/gu, numericEscape);

function numericEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
