import type { ScalarValue } from './node.ts';

const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUES: ReadonlySet<string> = new Set(['true', 'True', 'TRUE']);
const FALSES: ReadonlySet<string> = new Set(['false', 'False', 'FALSE']);
const INTEGER = /^[-+]?[0-9]+$/;
const OTHER_BASE = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

export type PlainValue = { readonly value: ScalarValue } | { readonly problem: string; readonly hint: string };

/** What an unquoted scalar means: YAML 1.2's core schema. */
export function plainValue(text: string): PlainValue {
  const first = text.charCodeAt(0);
  // Most scalars are words: only these can start a number, and only these words are not text.
  const numeric = (first >= 43 && first <= 57) || first === 46;
  if (!numeric) {
    if (NULLS.has(text)) return { value: null };
    if (TRUES.has(text)) return { value: true };
    return { value: FALSES.has(text) ? false : text };
  }
  if (INTEGER.test(text) || OTHER_BASE.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? { value } : unsafe(text);
  }
  if (FLOAT.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) return tooLarge(text);
    // JSON would write 1e20 as the digits of an integer.
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21 ? unsafe(text) : { value };
  }
  return NOT_FINITE.test(text) ? tooLarge(text) : { value: text };
}

const unsafe = (text: string): PlainValue => ({
  problem: `the integer ${text} is beyond 2^53 and would lose digits`,
  hint: `Quote it to keep it exactly: "${text}".`,
});

const tooLarge = (text: string): PlainValue => ({
  problem: `'${text}' is a number that JSON cannot carry`,
  hint: 'Use a finite number, or quote it to make it text.',
});
