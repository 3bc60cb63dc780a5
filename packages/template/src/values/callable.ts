import type { Run } from '../evaluation/run.ts';
import type { Kind } from './special.ts';
import { Printable } from './text.ts';

export interface CallArguments {
  readonly positional: readonly unknown[];
  readonly named: ReadonlyMap<string, unknown>;
}

export const NO_NAMED: ReadonlyMap<string, unknown> = new Map();

/** Something a template can call: a global, a macro, `caller`, `loop`. It is no JavaScript function to the template. */
export abstract class Callable extends Printable {
  abstract readonly name: string;
  abstract call(run: Run, args: CallArguments): unknown;

  get kind(): Kind {
    return 'callable';
  }

  print(): string {
    return `<function ${this.name}>`;
  }
}

/** A value with methods of its own, such as `loop` and `cycler`. */
export interface HasMethods {
  /** Calls the method; undefined if there is none of that name. A method that returns nothing returns null. */
  callMethod(run: Run, name: string, args: CallArguments): unknown;
}

export const hasMethods = (value: unknown): value is HasMethods =>
  value instanceof Printable && 'callMethod' in value && typeof value.callMethod === 'function';
