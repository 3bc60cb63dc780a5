import { type Kind, Special } from './special.ts';

/** Python's lazy range: its length and membership cost nothing. */
export class Range extends Special {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  get kind(): Kind {
    return 'range';
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  includes(n: number): boolean {
    const steps = (n - this.start) / this.step;
    return Number.isInteger(steps) && steps >= 0 && steps < this.length;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}
