import type { Budget } from '../budget.ts';
import { limitFault, typeFault } from '../template-error.ts';
import { floatText, isFloat, unwrapFloat } from '../values/float.ts';
import { integerText, isInteger } from '../values/integer.ts';
import { isMapping, type Mapping, mappingEntries } from '../values/mapping.ts';
import { isText, textOf } from '../values/markup.ts';
import { keyText } from '../values/native.ts';
import { compare } from '../values/ordering.ts';
import { Range } from '../values/range.ts';
import { itemsOf } from '../values/sequence.ts';
import { typeName } from '../values/special.ts';
import { Undefined } from '../values/undefined.ts';

/** JSON as Python's `json.dumps(value, sort_keys=True)` writes it: ASCII only, a space after comma and colon. */
export function toJsonText(value: unknown, indent: string | undefined, budget: Budget): string {
  const text = new JsonWriter(indent, budget).write(value, 0);
  budget.text(text.length);
  return text;
}

/** Writing a value costs about as much as this many turns of a loop. */
const VALUE_STEPS = 4;

class JsonWriter {
  private readonly indent: string | undefined;
  private readonly budget: Budget;
  private length = 0;

  constructor(indent: string | undefined, budget: Budget) {
    this.indent = indent;
    this.budget = budget;
  }

  write(value: unknown, depth: number): string {
    if (depth > this.budget.limits.nesting) throw limitFault('this value is nested too deeply for JSON.');
    this.budget.step(VALUE_STEPS);
    const scalar = this.scalar(value);
    if (scalar !== undefined) {
      this.grow(scalar.length);
      return scalar;
    }
    const items = itemsOf(value) ?? (value instanceof Range ? Array.from(value) : undefined);
    if (items !== undefined)
      return this.wrap(
        '[',
        items.map((item) => this.write(item, depth + 1)),
        ']',
        depth,
      );
    if (isMapping(value)) return this.wrap('{', this.entries(value, depth), '}', depth);
    if (value instanceof Undefined)
      throw value.mode === 'checked' || value.mode === 'strict' ? value.fault() : notJson(value);
    throw notJson(value);
  }

  private scalar(value: unknown): string | undefined {
    if (isText(value)) return quoteJson(textOf(value));
    if (value === null) return 'null';
    if (typeof value === 'boolean') return String(value);
    if (isInteger(value)) return integerText(value as number | bigint);
    return isFloat(value) ? floatJson(unwrapFloat(value)) : undefined;
  }

  private entries(mapping: Mapping, depth: number): string[] {
    return mappingEntries(mapping)
      .sort((a, b) => compare(a.key, b.key, this.budget))
      .map(({ key, value }) => `${quoteJson(keyText(key, this.budget))}: ${this.write(value, depth + 1)}`);
  }

  /** Measured part by part, so that a huge value fails before its text is put together. */
  private grow(length: number): void {
    this.length += length;
    if (this.length > this.budget.limits.text) this.budget.text(this.length);
  }

  private wrap(open: string, parts: readonly string[], close: string, depth: number): string {
    this.grow(2 * parts.length + 2);
    if (parts.length === 0) return open + close;
    if (this.indent === undefined) return open + parts.join(', ') + close;
    const line = `\n${this.indent.repeat(depth + 1)}`;
    return `${open}${line}${parts.join(`,${line}`)}\n${this.indent.repeat(depth)}${close}`;
  }
}

const notJson = (value: unknown) => typeFault(`${typeName(value)} has no form in JSON.`);

function floatJson(n: number): string {
  if (Number.isNaN(n)) return 'NaN';
  return Number.isFinite(n) ? floatText(n) : n > 0 ? 'Infinity' : '-Infinity';
}

const quoteJson = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
