import { MAX_DEPTH } from '@noetl/engine';
import { HINTED_KEYS, objectHint } from './schema-hint.ts';

/** What becomes of texts while JSON passes by. */
export interface JsonChange {
  key(key: string): string;
  /** Of texts and of numbers as they are written; left out where they stay. */
  text?(text: string): string;
  /** TPL-8: integers that a number cannot hold become their decimal text. */
  readonly exact?: boolean;
}

/** JSON that passes by in pieces: it is checked and changed, and never whole in memory. */
export interface JsonPieces {
  /** The next piece as it leaves; what cannot be judged yet waits for the rest. Throws a JsonProblem. */
  take(piece: string): string;
  /** The rest; throws a JsonProblem if something is missing. */
  end(): string;
  /** What a person wants to know of it: `list[20000]`, `object{a,b,…}`, `string`. */
  hint(): string;
}

export class JsonProblem extends Error {
  override name = 'JsonProblem';
}

/** A single text or number is kept whole for a moment; one that is longer is refused. */
const LONGEST_TOKEN = 16 * 1024 * 1024;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERALS = ['true', 'false', 'null'] as const;
/** As much as the longest literal: less may be its beginning. */
const LITERAL_LENGTH = 5;
/** What is shorter is finite. */
const SHORT_NUMBER = 5;
const LONG_INTEGER = /^-?\d{16,}$/;
/** Of what is wrong so much is quoted. */
const QUOTED = 32;

/** What may come next. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma' | 'nothing';

export function createJsonPieces(change: JsonChange): JsonPieces {
  /** For each open list or object, whether it is an object. */
  const open: boolean[] = [];
  let expected: Expected = 'value';
  let rest = '';
  let kind = '';
  let items = 0;
  const keys: string[] = [];

  const problem = (found: string): JsonProblem =>
    new JsonProblem(
      found === '' ? 'it ends in the middle' : `there is ${JSON.stringify(found)} where it should not be`,
    );

  const wantsValue = (): boolean => expected === 'value' || expected === 'first item';

  /** A value has ended. */
  function closeValue(): void {
    if (open.length === 1 && open[0] === false) items += 1;
    expected = open.length === 0 ? 'nothing' : 'comma';
  }

  function openValue(object: boolean): void {
    if (open.length === MAX_DEPTH) throw new JsonProblem(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (open.length === 0) kind = object ? 'object' : 'list';
    open.push(object);
    expected = object ? 'first key' : 'first item';
  }

  function punctuation(code: number): boolean {
    const inObject = open.length > 0 && open[open.length - 1] === true;
    switch (code) {
      case CODE['{']:
      case CODE['[']:
        if (!wantsValue()) return false;
        openValue(code === CODE['{']);
        return true;
      case CODE['}']:
        if (!inObject || (expected !== 'comma' && expected !== 'first key')) return false;
        open.pop();
        closeValue();
        return true;
      case CODE[']']:
        if (open.length === 0 || inObject || (expected !== 'comma' && expected !== 'first item')) return false;
        open.pop();
        closeValue();
        return true;
      case CODE[',']:
        if (expected !== 'comma') return false;
        expected = inObject ? 'key' : 'value';
        return true;
      case CODE[':']:
        if (expected !== 'colon') return false;
        expected = 'value';
        return true;
      default:
        return false;
    }
  }

  /** A text as it is written, with its quotes; answers what it becomes, or undefined if it stays. */
  function text(raw: string, plain: boolean): string | undefined {
    if (expected === 'key' || expected === 'first key') {
      expected = 'colon';
      const key = plain ? raw.slice(1, -1) : parsed(raw);
      const changed = change.key(key);
      // SEC-3: the hint tells no more than what leaves.
      if (open.length === 1 && keys.length < HINTED_KEYS) keys.push(changed);
      return changed === key ? undefined : JSON.stringify(changed);
    }
    if (!wantsValue()) throw problem(raw.slice(0, QUOTED));
    scalar('string');
    if (change.text === undefined) {
      if (!plain) parsed(raw);
      return undefined;
    }
    const value = plain ? raw.slice(1, -1) : parsed(raw);
    const changed = change.text(value);
    return changed === value ? undefined : JSON.stringify(changed);
  }

  function number(raw: string): string | undefined {
    if (!NUMBER.test(raw) || !wantsValue()) throw problem(raw.slice(0, QUOTED));
    scalar('number');
    const changed = change.text?.(raw) ?? raw;
    if (changed !== raw) return JSON.stringify(changed);
    if (raw.length < SHORT_NUMBER) return undefined;
    if (!Number.isFinite(Number(raw))) throw new JsonProblem(`the number ${raw.slice(0, QUOTED)} is too large`);
    return change.exact === true && LONG_INTEGER.test(raw) && !Number.isSafeInteger(Number(raw))
      ? `"${raw}"`
      : undefined;
  }

  function scalar(type: string): void {
    if (open.length === 0) kind = type;
    closeValue();
  }

  function pass(source: string, last: boolean): string {
    let passed = '';
    let from = 0;
    let at = 0;
    const replace = (end: number, becomes: string | undefined): void => {
      if (becomes !== undefined) {
        passed += source.slice(from, at) + becomes;
        from = end;
      }
      at = end;
    };
    const wait = (): string => {
      if (last) throw problem('');
      if (source.length - at > LONGEST_TOKEN)
        throw new JsonProblem(`it has a text of more than ${LONGEST_TOKEN} characters`);
      rest = source.slice(at);
      return passed + source.slice(from, at);
    };
    for (;;) {
      while (isSpace(source.charCodeAt(at))) at += 1;
      if (at >= source.length) break;
      const code = source.charCodeAt(at);
      if (code === CODE['"']) {
        const end = endOfText(source, at);
        if (end === undefined) return wait();
        replace(end, text(source.slice(at, end), isPlain(source, at + 1, end - 1)));
      } else if (isNumeric(code)) {
        let end = at + 1;
        while (isNumeric(source.charCodeAt(end))) end += 1;
        if (end === source.length && !last) return wait();
        replace(end, number(source.slice(at, end)));
      } else if (punctuation(code)) at += 1;
      else {
        const literal = LITERALS.find((word) => source.startsWith(word, at));
        const begun = source.slice(at, at + LITERAL_LENGTH);
        if (literal === undefined && !last && LITERALS.some((word) => word.startsWith(begun))) return wait();
        if (literal === undefined || !wantsValue()) throw problem(begun.slice(0, 1));
        scalar(literal === 'null' ? 'null' : 'boolean');
        at += literal.length;
      }
    }
    rest = '';
    return passed + source.slice(from);
  }

  return {
    take: (piece) => pass(rest + piece, false),
    end: () => {
      const passed = pass(rest, true);
      if (expected !== 'nothing') throw problem('');
      return passed;
    },
    hint: () => {
      if (kind === 'list') return `list[${items}]`;
      if (kind !== 'object') return kind;
      return objectHint(keys);
    },
  };
}

const CODE = { '{': 123, '}': 125, '[': 91, ']': 93, ',': 44, ':': 58, '"': 34, '\\': 92 } as const;

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** What a number may be made of: digits and `+`, `-`, `.`, `e`, `E`. */
const isNumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 45 || code === 46 || code === 43 || code === 101 || code === 69;

/** Whether a text is written as it is: without backslashes, and without what JSON forbids in it. */
function isPlain(source: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const code = source.charCodeAt(at);
    if (code < 32 || code === CODE['\\']) return false;
  }
  return true;
}

function parsed(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    throw new JsonProblem(`the text ${raw.slice(0, QUOTED)}… is not written as JSON wants it`);
  }
}

/** Behind the quote that closes the text; undefined if it is still to come. */
function endOfText(source: string, from: number): number | undefined {
  for (let at = source.indexOf('"', from + 1); at >= 0; at = source.indexOf('"', at + 1)) {
    let escapes = 0;
    while (source.charCodeAt(at - 1 - escapes) === CODE['\\']) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return undefined;
}
