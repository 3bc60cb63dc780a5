import type { Run } from './run.ts';

/** The names a template assigned in one block; a block inside sees those of the blocks around it. */
export class Frame {
  readonly run: Run;
  private readonly parent: Frame | undefined;
  private names: Map<string, unknown> | undefined;

  constructor(run: Run, parent?: Frame) {
    this.run = run;
    this.parent = parent;
  }

  inner(): Frame {
    return new Frame(this.run, this);
  }

  set(name: string, value: unknown): void {
    this.names ??= new Map();
    this.names.set(name, value);
  }

  get(name: string): unknown {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      if (frame.names?.has(name)) return frame.names.get(name);
    }
    return this.run.name(name, () => this.visibleNames());
  }

  private *visibleNames(): Generator<string> {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent)
      yield* frame.names?.keys() ?? [];
  }

  /** Forgets what one turn of a loop assigned, so that the next can use the same frame. */
  reset(): void {
    this.names?.clear();
  }
}

/** Evaluates an expression. */
export type Evaluate = (frame: Frame) => unknown;
/** Runs a statement for its output and its assignments. */
export type Execute = (frame: Frame) => void;
