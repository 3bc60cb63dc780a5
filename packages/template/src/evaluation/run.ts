import { Budget } from '../budget.ts';
import type { Limits } from '../limits.ts';
import { lookUp, type ScopeData, scopeNames } from '../scope.ts';
import { limitFault, valueFault } from '../template-error.ts';
import { toText } from '../values/text.ts';
import { Undefined, type UndefinedMode } from '../values/undefined.ts';

/** What a run needs of the environment its template was compiled in. */
export interface RunSettings {
  readonly undefinedMode: UndefinedMode;
  readonly limits: Limits;
  readonly globals: ReadonlyMap<string, unknown>;
  /** How `| ident` quotes a name. */
  readonly quoteIdentifier: (name: string) => string;
  hasFilter(name: string): boolean;
  hasTest(name: string): boolean;
  /** Whether values of this type have a method of that name. */
  hasMethod(value: unknown, name: string): boolean;
  methodNames(value: unknown): readonly string[];
  /** Filters and tests by name, for `map('upper')` and `select('odd')`. */
  applyFilter(
    run: Run,
    name: string,
    value: unknown,
    args: readonly unknown[],
    named: ReadonlyMap<string, unknown>,
  ): unknown;
  applyTest(run: Run, name: string, value: unknown, args: readonly unknown[]): boolean;
}

/** What the outside world lends to one evaluation. The engine itself never takes a time or a random number. */
export interface RunOptions {
  /** What `now()` returns. */
  readonly now?: () => unknown;
  /** Makes `| random` repeatable. */
  readonly seed?: number;
  /** Milliseconds from any origin; with it the time limit holds. */
  readonly clock?: () => number;
}

/** One evaluation of a template: its scope, its output so far, its budget, and where in the source it is. */
export class Run {
  readonly settings: RunSettings;
  readonly scope: ScopeData;
  readonly options: RunOptions;
  readonly budget: Budget;
  readonly undefinedMode: UndefinedMode;
  /** Offset of the operation under way: where an error is reported. */
  at = 0;
  private output = '';
  private depth = 0;
  private randomState: number | undefined;

  constructor(settings: RunSettings, scope: ScopeData, options: RunOptions) {
    this.settings = settings;
    this.scope = scope;
    this.options = options;
    this.budget = new Budget(settings.limits, options.clock);
    this.undefinedMode = settings.undefinedMode;
  }

  /** A name of the scope, else of the globals. */
  name(name: string, ownNames: () => Iterable<string> = () => []): unknown {
    const own = lookUp(this.scope, name);
    if (own !== undefined) return own;
    const global = this.settings.globals.get(name);
    if (global !== undefined) return global;
    const known = () => [...ownNames(), ...scopeNames(this.scope), ...this.settings.globals.keys()];
    return new Undefined(this.undefinedMode, { path: name, name, known });
  }

  write(text: string): void {
    this.output += text;
    if (this.output.length > this.budget.limits.text) this.budget.text(this.output.length);
  }

  print(value: unknown): void {
    this.write(typeof value === 'string' ? value : toText(value, this.budget));
  }

  /** The whole output. */
  finish(): string {
    return this.output;
  }

  /** The text that `body` writes, kept apart from the output. */
  capture(body: () => void): string {
    const outer = this.output;
    this.output = '';
    body();
    const text = this.output;
    this.output = outer;
    this.budget.text(text.length);
    return text;
  }

  /** Runs a macro or a recursive loop one level deeper. */
  deeper<T>(body: () => T): T {
    if (++this.depth > this.budget.limits.nesting) {
      throw limitFault(`macros and loops call themselves more than ${this.budget.limits.nesting} levels deep.`);
    }
    const result = body();
    this.depth--;
    return result;
  }

  /** A number in [0, 1) from the seed (mulberry32). */
  random(): number {
    this.randomState ??= this.options.seed;
    if (this.randomState === undefined) throw valueFault('random needs a seed, and none was given.');
    this.randomState = (this.randomState + 0x6d2b79f5) | 0;
    let t = Math.imul(this.randomState ^ (this.randomState >>> 15), 1 | this.randomState);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}
