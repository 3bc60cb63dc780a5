import { type CompileOptions, createEngine, TemplateError } from '@noetl/template';
import type { FuzzCase } from './fuzz-case.ts';
import { sourceOf } from './piece.ts';

/** A value of Python with its type, as the oracle writes it. */
export type TypedValue =
  | { readonly t: 'undefined' | 'none' }
  | { readonly t: 'bool'; readonly v: boolean }
  | { readonly t: 'int' | 'float' | 'str' | 'other'; readonly v: string }
  | { readonly t: 'list' | 'tuple' | 'lazy'; readonly v: readonly TypedValue[] }
  | { readonly t: 'dict'; readonly v: readonly (readonly [TypedValue, TypedValue])[] };

/** What real Jinja2 did: the native value of an `expr` case, and the text of any case; or the exception's class. */
export interface JinjaAnswer {
  readonly timeout?: boolean;
  readonly value?: TypedValue;
  readonly valueError?: string;
  readonly text?: string;
  readonly textError?: string;
  readonly message?: string;
}

export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
  /** Anything thrown that is not a TemplateError: always a defect. */
  | { readonly kind: 'crash'; readonly message: string };

export interface EngineAnswer {
  readonly value?: Outcome;
  readonly text: Outcome;
}

export function jinjaRequest(fuzzCase: FuzzCase, adjust: readonly string[] = []): object {
  const { mode, context, options } = fuzzCase;
  return {
    op: 'run',
    mode,
    template: sourceOf(fuzzCase.piece),
    context,
    undefined: fuzzCase.undefined,
    options,
    adjust,
  };
}

export function askEngine(fuzzCase: FuzzCase): EngineAnswer {
  const { trim_blocks, lstrip_blocks, keep_trailing_newline } = fuzzCase.options;
  const options: CompileOptions = {
    undefined: fuzzCase.undefined,
    trimBlocks: trim_blocks ?? false,
    lstripBlocks: lstrip_blocks ?? false,
    keepTrailingNewline: keep_trailing_newline ?? false,
  };
  const source = sourceOf(fuzzCase.piece);
  const compiled = attempt(() => createEngine(options).compile(source));
  if (compiled.kind !== 'value')
    return fuzzCase.mode === 'expr' ? { value: compiled, text: compiled } : { text: compiled };
  const template = compiled.value as ReturnType<ReturnType<typeof createEngine>['compile']>;
  const text = attempt(() => template.render(fuzzCase.context));
  if (fuzzCase.mode === 'string') return { text };
  return { value: attempt(() => template.evaluate(fuzzCase.context)), text };
}

function attempt(action: () => unknown): Outcome {
  try {
    return { kind: 'value', value: action() };
  } catch (error) {
    if (error instanceof TemplateError) return { kind: 'error', code: error.code, message: error.message };
    return { kind: 'crash', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
