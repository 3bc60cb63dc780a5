import type { Budget } from '../budget.ts';
import { limitFault, valueFault } from '../template-error.ts';
import { Dict } from '../values/dict.ts';
import { floatValue } from '../values/float.ts';
import { normalizeInteger } from '../values/integer.ts';
import { type List, ownList } from '../values/list.ts';

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** JSON text as a template's own value: integers of any size exact, `2.0` a float, keys in their order. */
export function parseJson(text: string, budget: Budget): unknown {
  return new JsonParser(text, budget).parse();
}

class JsonParser {
  private readonly text: string;
  private readonly budget: Budget;
  private at = 0;

  constructor(text: string, budget: Budget) {
    this.text = text;
    this.budget = budget;
  }

  parse(): unknown {
    const value = this.value(0);
    this.match(BLANK);
    if (this.at < this.text.length) throw this.error('the end');
    return value;
  }

  private value(depth: number): unknown {
    if (depth > this.budget.limits.nesting) throw limitFault('this JSON is nested too deeply.');
    this.budget.items(1);
    this.match(BLANK);
    const first = this.text[this.at];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  private object(depth: number): Dict {
    const dict = new Dict();
    this.each('}', () => {
      this.match(BLANK);
      const key = this.string();
      this.match(BLANK);
      if (!this.skip(':')) throw this.error("':'");
      dict.set(key, this.value(depth + 1));
    });
    return dict;
  }

  private array(depth: number): List {
    const list = ownList([]);
    this.each(']', () => list.push(this.value(depth + 1)));
    return list;
  }

  private each(close: string, parseOne: () => void): void {
    this.at++;
    this.match(BLANK);
    if (this.skip(close)) return;
    for (;;) {
      parseOne();
      this.match(BLANK);
      if (this.skip(close)) return;
      if (!this.skip(',')) throw this.error(`',' or '${close}'`);
    }
  }

  private string(): string {
    const quoted = this.match(STRING);
    if (quoted === undefined) throw this.error('text in double quotes');
    this.budget.text(quoted.length);
    return JSON.parse(quoted);
  }

  private number(): unknown {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.error('a value');
    this.at += match[0].length;
    return match[1] === undefined && match[2] === undefined
      ? normalizeInteger(BigInt(match[0]))
      : floatValue(Number(match[0]));
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.at += match[0].length;
    return match[0];
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private error(expected: string): Error {
    const found = this.at < this.text.length ? `'${this.text.slice(this.at, this.at + 10)}'` : 'the end';
    return valueFault(`this is not JSON: expected ${expected} at character ${this.at + 1}, found ${found}.`);
  }
}
