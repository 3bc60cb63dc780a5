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
  const { tree, unknownNames, compileOnly, compileAll } = built;
  let references: readonly Reference[] | undefined;
  let execute: Execute | undefined;
  let evaluateOnly: Evaluate | undefined;

  const render = (scope: ScopeData, options: RunOptions = NO_OPTIONS): string => {
    execute ??= attempt(source, compileAll);
    const run = new Run(environment, scope, options);
    try {
      execute(new Frame(run));
      return run.finish();
    } catch (error) {
      throw located(error, source, run.at);
    }
  };

  const evaluate = (scope: ScopeData, options: RunOptions = NO_OPTIONS): unknown => {
    if (compileOnly === undefined) return render(scope, options);
    evaluateOnly ??= attempt(source, compileOnly);
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
    native: compileOnly !== undefined,
    unknownNames,
    evaluate,
    render,
    references: () => {
      references ??= referencesOf(tree);
      return references;
    },
  };
}

/** In a template this short nothing is nested so deeply that compiling it could fill the stack. */
const SURELY_COMPILES = 1_000;

interface Built {
  readonly tree: TemplateTree;
  readonly unknownNames: readonly TemplateError[];
  /** Only for a single `{{ … }}`. */
  readonly compileOnly: (() => Evaluate) | undefined;
  /** The whole as text; a single `{{ … }}` hardly ever needs it. */
  readonly compileAll: () => Execute;
}

/** Parses the source, and compiles it at once only if that could fail: a playbook is validated more often than it runs. */
function build(source: string, environment: Environment): Built {
  const { limits } = environment;
  if (source.length > limits.source) {
    throw limitFault(`this template has ${source.length} characters, the limit is ${limits.source}.`);
  }
  const { tree, allKnown } = parse(source, environment.whitespace, limits.nesting, environment);
  const unknownNames: TemplateError[] = [];
  const context = (): CompileContext => ({
    environment,
    source,
    assigned: assignedNames(tree.body),
    unknownNames,
    inBranch: false,
    textOf: ({ at, end }) => source.slice(at, end),
  });
  const only = singleOutput(source, tree);
  const compileOnly = only && (() => compileExpression(only.expression, context()));
  const compileAll = () => compileBody(tree.body, context());
  if (allKnown && source.length <= SURELY_COMPILES) return { tree, unknownNames, compileOnly, compileAll };
  if (compileOnly !== undefined) {
    const evaluateOnly = compileOnly();
    return { tree, unknownNames, compileOnly: () => evaluateOnly, compileAll };
  }
  const execute = compileAll();
  return { tree, unknownNames, compileOnly, compileAll: () => execute };
}

/**
 * TPL-1: the output that is the whole template. Blank lines around it and their indentation do not make it text: a YAML
 * block scalar has them. Blanks beside it without a line break do.
 */
function singleOutput(source: string, tree: TemplateTree): Output | undefined {
  const [first] = tree.body;
  if (tree.body.length === 1) return first?.kind === 'output' ? first : undefined;
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
