import { type CompileOptions, createEngine, TemplateError } from '@noetl/template';
import type { RecordedCase } from './case-file.ts';
import { sameValue } from './same-value.ts';

export interface Verdict {
  readonly case: RecordedCase;
  readonly passed: boolean;
  /** What the engine did, readable: a value, a text or an error. */
  readonly got: string;
}

/** Runs one recorded case on the engine. Any exception that is not a TemplateError fails the case. */
export function evaluateCase(recorded: RecordedCase): Verdict {
  try {
    const template = createEngine(compileOptions(recorded)).compile(recorded.template);
    if (recorded.mode === 'string') {
      const text = template.render(recorded.context, { seed: 1 });
      return { case: recorded, passed: recorded.error === undefined && text === recorded.expected, got: show(text) };
    }
    const value = template.evaluate(recorded.context, { seed: 1 });
    if (value === undefined && recorded.undefined === 'strict' && recorded.error !== undefined) {
      return { case: recorded, passed: recorded.error !== undefined, got: 'error: undefined in strict mode' };
    }
    const passed = recorded.error === undefined && sameValue(recorded.expected, value);
    return { case: recorded, passed, got: show(value) };
  } catch (error) {
    const expectedToFail = recorded.error !== undefined && error instanceof TemplateError;
    return { case: recorded, passed: expectedToFail, got: `error: ${describeError(error)}` };
  }
}

function compileOptions(recorded: RecordedCase): CompileOptions {
  const { trim_blocks, lstrip_blocks, keep_trailing_newline, sandbox } = recorded.options ?? {};
  return {
    undefined: recorded.undefined,
    trimBlocks: trim_blocks ?? false,
    lstripBlocks: lstrip_blocks ?? false,
    keepTrailingNewline: keep_trailing_newline ?? false,
    // Jinja's sandbox is its way to limit templates; of its limits only this one shows in a result.
    ...(sandbox === true ? { limits: { range: 100_000 } } : {}),
  };
}

function describeError(error: unknown): string {
  if (error instanceof TemplateError) return `${error.code} ${error.message}`;
  if (error instanceof Error) return `not a TemplateError but ${error.name}: ${error.message}`;
  return `thrown ${String(error)}`;
}

/** JSON where JSON can, with the same markers as the record for what it cannot carry. */
export function show(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (item === undefined) return { $undefined: true };
    if (typeof item === 'bigint') return { $bigint: item.toString() };
    if (typeof item === 'number' && !Number.isFinite(item)) return { $float: String(item) };
    if (item instanceof Map) return { $map: [...item] };
    if (typeof item === 'function' || typeof item === 'symbol') return { $host: typeof item };
    return item;
  });
  return text ?? String(value);
}
