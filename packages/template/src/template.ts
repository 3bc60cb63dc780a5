import type { Environment } from './environment.ts';
import type { CompileContext } from './evaluation/compile-context.ts';
import { compileExpression } from './evaluation/compile-expression.ts';
import { assignedNames, compileBody } from './evaluation/compile-statement.ts';
import { type Evaluate, type Execute, Frame } from './evaluation/frame.ts';
import { Run, type RunOptions } from './evaluation/run.ts';
import { LruCache } from './lru-cache.ts';
import { type CompileOptions, createEnvironment } from './options.ts';
import type { ScopeData } from './scope.ts';
import type { Output, TemplateTree } from './syntax/ast.ts';
import { parse } from './syntax/parse-statement.ts';
import { type Reference, referencesOf } from './syntax/references.ts';
import { Fault, limitFault, TemplateError, valueFault } from './template-error.ts';
import { toNative } from './values/native.ts';

export interface Template {
  readonly source: string;
  readonly tree: TemplateTree;
  /** Whether the source is a single `{{ … }}`, so that `evaluate` gives its value and not text. */
  readonly native: boolean;
  /** Filters and tests that do not exist but stand in a branch: as in Jinja, they fail only when they are reached. */
  readonly unknownNames: readonly TemplateError[];
  /** The native value of a single `{{ … }}`, else the text. An undefined value is `undefined`. */
  evaluate(scope: ScopeData, run?: RunOptions): unknown;
  /** Always text. */
  render(scope: ScopeData, run?: RunOptions): string;
  references(): readonly Reference[];
}

export interface Engine {
  compile(source: string): Template;
}

const CACHE_CAPACITY = 1_000;
/** Options are few; limits made up on the fly must not fill the memory. */
const MAX_SHARED_ENGINES = 100;
const DEFAULT_OPTIONS: CompileOptions = {};

/** Compiles templates with the same options and keeps those used last. */
export function createEngine(options: CompileOptions = {}): Engine {
  const environment = createEnvironment(options);
  const cache = new LruCache<string, Template>(CACHE_CAPACITY);
  return {
    compile(source) {
      const cached = cache.get(source);
      if (cached !== undefined) return cached;
      const template = compileTemplate(source, environment);
      cache.set(source, template);
      return template;
    },
  };
}

const engines = new WeakMap<CompileOptions, Engine>();
const enginesByContent = new Map<string, Engine>();

/** Compiles a template. Templates are cached by their options: by content, or by identity where they hold functions. */
export function compile(source: string, options: CompileOptions = DEFAULT_OPTIONS): Template {
  return engineFor(options).compile(source);
}

function engineFor(options: CompileOptions): Engine {
  let engine = engines.get(options);
  if (engine !== undefined) return engine;
  const { filters, tests, globals, quoteIdentifier, ...plain } = options;
  const shared = filters === undefined && tests === undefined && globals === undefined && quoteIdentifier === undefined;
  const key = JSON.stringify(plain);
  engine = (shared ? enginesByContent.get(key) : undefined) ?? createEngine(options);
  if (shared && enginesByContent.size < MAX_SHARED_ENGINES) enginesByContent.set(key, engine);
  engines.set(options, engine);
  return engine;
}

const NO_OPTIONS: RunOptions = {};

function compileTemplate(source: string, environment: Environment): Template {
  const built = attempt(source, () => build(source, environment));
  const { tree, unknownNames, evaluateOnly } = built;
  let references: readonly Reference[] | undefined;
  let execute: Execute | undefined;

  const render = (scope: ScopeData, options: RunOptions = NO_OPTIONS): string => {
    execute ??= attempt(source, built.compileAll);
    const run = new Run(environment, scope, options);
    try {
      execute(new Frame(run));
      return run.finish();
    } catch (error) {
      throw located(error, source, run.at);
    }
  };

  const evaluate = (scope: ScopeData, options: RunOptions = NO_OPTIONS): unknown => {
    if (evaluateOnly === undefined) return render(scope, options);
    const run = new Run(environment, scope, options);
    try {
      return toNative(evaluateOnly(new Frame(run)), run.budget, environment.values);
    } catch (error) {
      throw located(error, source, run.at);
    }
  };

  return {
    source,
    tree,
    native: evaluateOnly !== undefined,
    unknownNames,
    evaluate,
    render,
    references: () => {
      references ??= referencesOf(tree);
      return references;
    },
  };
}

interface Built {
  readonly tree: TemplateTree;
  readonly unknownNames: readonly TemplateError[];
  /** Only for a single `{{ … }}`. */
  readonly evaluateOnly: Evaluate | undefined;
  /** The whole as text; a single `{{ … }}` hardly ever needs it. */
  readonly compileAll: () => Execute;
}

function build(source: string, environment: Environment): Built {
  const { limits } = environment;
  if (source.length > limits.source) {
    throw limitFault(`this template has ${source.length} characters, the limit is ${limits.source}.`);
  }
  const tree = parse(source, environment.whitespace, limits.nesting);
  const unknownNames: TemplateError[] = [];
  const context: CompileContext = {
    environment,
    source,
    assigned: assignedNames(tree.body),
    unknownNames,
    inBranch: false,
    textOf: ({ at, end }) => source.slice(at, end),
  };
  const only = singleOutput(source, tree);
  if (only !== undefined) {
    const evaluateOnly = compileExpression(only.expression, context);
    return { tree, unknownNames, evaluateOnly, compileAll: () => compileBody(tree.body, context) };
  }
  const execute = compileBody(tree.body, context);
  return { tree, unknownNames, evaluateOnly: undefined, compileAll: () => execute };
}

/**
 * TPL-1: the output that is the whole template. Blank lines around it and their indentation do not make it text: a YAML
 * block scalar has them. Blanks beside it without a line break do.
 */
function singleOutput(source: string, tree: TemplateTree): Output | undefined {
  const outputs = tree.body.filter((statement) => statement.kind === 'output');
  const [only] = outputs;
  if (outputs.length !== 1 || only === undefined) return undefined;
  const ignorable = tree.body.every((statement, i) => {
    if (statement === only) return true;
    // The last line break of a template is no part of its text, but of its source.
    const written =
      i === tree.body.length - 1 ? source.slice(statement.at) : statement.kind === 'text' ? statement.text : '';
    return statement.kind === 'text' && statement.text.trim() === '' && /[\r\n]/.test(written);
  });
  return ignorable ? only : undefined;
}

function attempt<T>(source: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw located(error, source, 0);
  }
}

/** Gives whatever was thrown a place in the source. Nothing but a TemplateError leaves this package. */
function located(error: unknown, source: string, at: number): TemplateError {
  if (error instanceof TemplateError) return error;
  if (error instanceof Fault) return new TemplateError(error, source, at);
  // V8 reports a full stack and a text beyond its maximum this way.
  if (error instanceof RangeError) {
    return new TemplateError(limitFault('this template needs too much memory or nesting.'), source, at);
  }
  // A function of the caller failed.
  const reason = error instanceof Error ? error.message : String(error);
  return new TemplateError(valueFault(reason), source, at, error);
}
