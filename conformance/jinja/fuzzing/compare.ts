import type { EngineAnswer, JinjaAnswer, Outcome, TypedValue } from './answer.ts';
import type { FuzzCase } from './fuzz-case.ts';

/** Whether both engines gave the same value and the same text, or both failed. Messages are not compared. */
export function sameAnswer(fuzzCase: FuzzCase, jinja: JinjaAnswer, engine: EngineAnswer): boolean {
  if (jinja.timeout) return true;
  const sameText = sameOutcome(engine.text, jinja.textError, (text) => text === jinja.text);
  if (!sameText || fuzzCase.mode === 'string') return sameText;
  return sameOutcome(strictly(fuzzCase, engine.value), jinja.valueError, (value) => sameTyped(jinja.value, value));
}

/** In strict mode a bare undefined result counts as an error. */
function strictly(fuzzCase: FuzzCase, outcome: Outcome | undefined): Outcome | undefined {
  if (fuzzCase.undefined !== 'strict' || outcome?.kind !== 'value' || outcome.value !== undefined) return outcome;
  return { kind: 'error', code: 'NOETL_TEMPLATE_UNDEFINED', message: 'undefined in strict mode' };
}

function sameOutcome(
  outcome: Outcome | undefined,
  error: string | undefined,
  same: (value: unknown) => boolean,
): boolean {
  if (outcome === undefined || outcome.kind === 'crash') return false;
  if (outcome.kind === 'error') return error !== undefined;
  return error === undefined && same(outcome.value);
}

/** The engine's native values carry no tuple, view or integral float; the compared text tells those apart. */
function sameTyped(typed: TypedValue | undefined, value: unknown): boolean {
  if (typed === undefined) return false;
  switch (typed.t) {
    case 'undefined':
      return value === undefined;
    case 'none':
      return value === null;
    case 'bool':
    case 'str':
      return value === typed.v;
    case 'int':
      return typeof value === 'bigint' ? value.toString() === typed.v : sameInteger(typed.v, value);
    case 'float':
      return typeof value === 'number' && (value === parseFloatOf(typed.v) || Object.is(value, parseFloatOf(typed.v)));
    case 'list':
    case 'tuple':
    case 'lazy':
      return (
        Array.isArray(value) && value.length === typed.v.length && typed.v.every((item, i) => sameTyped(item, value[i]))
      );
    case 'dict':
      return sameDict(typed.v, value);
    case 'other':
      return false;
  }
}

function sameInteger(text: string, value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && String(value) === text;
}

function parseFloatOf(text: string): number {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return Number(text);
}

function sameDict(entries: readonly (readonly [TypedValue, TypedValue])[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const wanted = new Map(entries.map(([key, item]) => [keyText(key), item]));
  // Keys that JSON cannot spell or tell apart: the compared text has to do.
  if (wanted.has(undefined) || wanted.size < entries.length) return true;
  const actual = new Map(Object.entries(value));
  return (
    actual.size === wanted.size &&
    [...wanted].every(([key = '', item]) => actual.has(key) && sameTyped(item, actual.get(key)))
  );
}

/** JSON's keys are text: another key is spelled on the way out as JSON spells the value. */
function keyText(key: TypedValue): string | undefined {
  if (key.t === 'str' || key.t === 'int' || key.t === 'float' || key.t === 'bool') return String(key.v);
  return key.t === 'none' ? 'null' : undefined;
}
