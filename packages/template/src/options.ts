import {
  defineVariadic,
  type FilterDefinition,
  type TestDefinition,
  unknownDefinition,
} from './builtins/definition.ts';
import { DATA_FILTERS } from './builtins/filters/data-filters.ts';
import { HTML_FILTERS } from './builtins/filters/html-filters.ts';
import { NUMBER_FILTERS } from './builtins/filters/number-filters.ts';
import { ORDER_FILTERS } from './builtins/filters/order-filters.ts';
import { SELECT_FILTERS } from './builtins/filters/select-filters.ts';
import { SEQUENCE_FILTERS } from './builtins/filters/sequence-filters.ts';
import { TEXT_FILTERS } from './builtins/filters/text-filters.ts';
import { GLOBALS, globalFunction } from './builtins/globals.ts';
import { methodNames, methodOf } from './builtins/methods/methods.ts';
import { bindArguments } from './builtins/signature.ts';
import { TESTS } from './builtins/tests.ts';
import type { Environment } from './environment.ts';
import type { Run } from './evaluation/run.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { visible } from './values/mapping.ts';
import { toNative, type ValueForm } from './values/native.ts';
import type { UndefinedMode } from './values/undefined.ts';

/** A filter, test or function of the caller. It gets plain values; `named` holds the keyword arguments. */
export type HostFunction = (args: readonly unknown[], named: Readonly<Record<string, unknown>>) => unknown;

export interface CompileOptions {
  readonly undefined?: UndefinedMode;
  readonly trimBlocks?: boolean;
  readonly lstripBlocks?: boolean;
  readonly keepTrailingNewline?: boolean;
  /** Whether compiling lists unknown filters and tests instead of stopping at the first. */
  readonly collectUnknownNames?: boolean;
  /** What form values leave in; by default `native`. */
  readonly values?: ValueForm;
  readonly limits?: Partial<Limits>;
  /** Called with the value before the `|` as the first argument. */
  readonly filters?: Readonly<Record<string, HostFunction>>;
  /** Called with the value before the `is` as the first argument; the result counts as a boolean. */
  readonly tests?: Readonly<Record<string, HostFunction>>;
  /** Functions become callable; anything else is a value. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** How `| ident` quotes a name; by default as standard SQL does. */
  readonly quoteIdentifier?: (name: string) => string;
}

const FILTERS: ReadonlyMap<string, FilterDefinition> = new Map(
  Object.entries({
    ...TEXT_FILTERS,
    ...HTML_FILTERS,
    ...NUMBER_FILTERS,
    ...SEQUENCE_FILTERS,
    ...ORDER_FILTERS,
    ...SELECT_FILTERS,
    ...DATA_FILTERS,
  }),
);
const BUILT_IN_TESTS: ReadonlyMap<string, TestDefinition> = new Map(Object.entries(TESTS));

export function createEnvironment(options: CompileOptions): Environment {
  const filters = extended(FILTERS, options.filters, hostFilter);
  const tests = extended(BUILT_IN_TESTS, options.tests, hostTest);
  return {
    undefinedMode: options.undefined ?? 'default',
    whitespace: {
      trimBlocks: options.trimBlocks ?? false,
      lstripBlocks: options.lstripBlocks ?? false,
      keepTrailingNewline: options.keepTrailingNewline ?? false,
    },
    values: options.values ?? 'native',
    collectsUnknownNames: options.collectUnknownNames ?? false,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    filters,
    tests,
    globals: extended(GLOBALS, options.globals, hostGlobal),
    quoteIdentifier: options.quoteIdentifier ?? ((name) => `"${name.replaceAll('"', '""')}"`),
    hasFilter: (name) => filters.has(name),
    hasTest: (name) => tests.has(name),
    hasMethod: (value, name) => methodOf(value, name) !== undefined,
    methodNames,
    applyFilter: (run, name, value, args, named) => {
      const filter = definitionOf(filters, 'filter', name);
      run.budget.step();
      const bound =
        filter.parameters === undefined
          ? args
          : bindArguments(`the filter '${name}'`, filter.parameters, { positional: args, named });
      return filter.apply(run, value, bound, named);
    },
    applyTest: (run, name, value, args) => {
      const test = definitionOf(tests, 'test', name);
      run.budget.step();
      const given = { positional: args, named: new Map() };
      const bound = test.parameters === undefined ? args : bindArguments(`the test '${name}'`, test.parameters, given);
      return test.apply(run, value, bound, given.named);
    },
  };
}

function extended<Definition>(
  builtIn: ReadonlyMap<string, Definition>,
  added: Readonly<Record<string, unknown>> | undefined,
  wrap: (name: string, value: unknown) => Definition,
): ReadonlyMap<string, Definition> {
  if (added === undefined) return builtIn;
  return new Map([...builtIn, ...Object.entries(added).map(([name, value]) => [name, wrap(name, value)] as const)]);
}

const hostFilter = (_name: string, body: unknown): FilterDefinition =>
  defineVariadic((run, value, args, named) => callHost(run, body as HostFunction, [value, ...args], named));

const hostTest = (_name: string, body: unknown): TestDefinition =>
  defineVariadic((run, value, args, named) => Boolean(callHost(run, body as HostFunction, [value, ...args], named)));

const hostGlobal = (name: string, value: unknown): unknown =>
  typeof value === 'function'
    ? globalFunction(name, (run, { positional, named }) => callHost(run, value as HostFunction, positional, named))
    : value;

/** Plain values go out to the caller's function; what it returns is data of the scope. */
function callHost(
  run: Run,
  body: HostFunction,
  args: readonly unknown[],
  named: ReadonlyMap<string, unknown>,
): unknown {
  const plain = args.map((value) => toNative(value, run.budget));
  const plainNamed = Object.fromEntries(Array.from(named, ([name, value]) => [name, toNative(value, run.budget)]));
  return visible(body(plain, plainNamed)) ?? null;
}

function definitionOf<Definition>(
  definitions: ReadonlyMap<string, Definition>,
  word: 'filter' | 'test',
  name: string,
): Definition {
  const definition = definitions.get(name);
  if (definition === undefined) throw unknownDefinition(word, name, definitions.keys());
  return definition;
}
