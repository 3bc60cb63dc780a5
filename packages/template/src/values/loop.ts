import type { Run } from '../evaluation/run.ts';
import { typeFault } from '../template-error.ts';
import { type CallArguments, Callable, type HasMethods } from './callable.ts';
import { isEqual } from './equality.ts';
import type { Kind } from './special.ts';
import { Undefined } from './undefined.ts';

const NAMES = [
  'index',
  'index0',
  'revindex',
  'revindex0',
  'first',
  'last',
  'length',
  'depth',
  'depth0',
  'previtem',
  'nextitem',
  'cycle',
  'changed',
];

/** `loop` inside `{% for %}`. */
export class Loop extends Callable implements HasMethods {
  readonly name = 'loop';
  private readonly items: readonly unknown[];
  private readonly depth: number;
  private readonly recurse: ((items: unknown) => string) | undefined;
  private readonly mode: Undefined['mode'];
  private lastChanged: readonly unknown[] | undefined;
  index0 = 0;

  constructor(
    items: readonly unknown[],
    depth: number,
    mode: Undefined['mode'],
    recurse: ((items: unknown) => string) | undefined,
  ) {
    super();
    this.items = items;
    this.depth = depth;
    this.mode = mode;
    this.recurse = recurse;
  }

  override get kind(): Kind {
    return 'object';
  }

  override attributeNames(): readonly string[] {
    return NAMES;
  }

  override attribute(name: string): unknown {
    const { length } = this.items;
    switch (name) {
      case 'index':
        return this.index0 + 1;
      case 'index0':
        return this.index0;
      case 'revindex':
        return length - this.index0;
      case 'revindex0':
        return length - this.index0 - 1;
      case 'first':
        return this.index0 === 0;
      case 'last':
        return this.index0 === length - 1;
      case 'length':
        return length;
      case 'depth':
        return this.depth;
      case 'depth0':
        return this.depth - 1;
      case 'previtem':
        return this.index0 === 0 ? this.none('previtem') : this.items[this.index0 - 1];
      case 'nextitem':
        return this.index0 === length - 1 ? this.none('nextitem') : this.items[this.index0 + 1];
      default:
        return undefined;
    }
  }

  private none(name: string): Undefined {
    return new Undefined(this.mode, { path: `loop.${name}`, name });
  }

  call(_run: Run, { positional }: CallArguments): unknown {
    if (this.recurse === undefined) {
      throw typeFault("'loop' can be called only in a recursive loop.", 'Write {% for … recursive %}.');
    }
    if (positional.length !== 1) throw typeFault("'loop' takes one list to go on with.");
    return this.recurse(positional[0]);
  }

  callMethod(run: Run, name: string, { positional }: CallArguments): unknown {
    if (name === 'cycle') {
      if (positional.length === 0) throw typeFault("'loop.cycle' needs values to go through.");
      return positional[this.index0 % positional.length];
    }
    if (name !== 'changed') return undefined;
    const previous = this.lastChanged;
    this.lastChanged = positional;
    return (
      previous === undefined ||
      previous.length !== positional.length ||
      !previous.every((v, i) => isEqual(v, positional[i], run.budget))
    );
  }

  override print(): string {
    return `<LoopContext ${this.index0 + 1}/${this.items.length}>`;
  }
}
