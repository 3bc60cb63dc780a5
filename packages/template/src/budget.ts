import type { Limits } from './limits.ts';
import { limitFault } from './template-error.ts';

const STEPS_BETWEEN_CLOCK_READS = 2_048;
const ITEM_WEIGHT = 8;
const CHARACTERS_PER_STEP = 8;

/** What one evaluation has used so far. Everything that can grow or repeat asks here first. */
export class Budget {
  readonly limits: Limits;
  private readonly clock: (() => number) | undefined;
  private readonly deadline: number;
  private steps = 0;
  private allocated = 0;
  private nextClockRead = STEPS_BETWEEN_CLOCK_READS;

  constructor(limits: Limits, clock: (() => number) | undefined) {
    this.limits = limits;
    this.clock = clock;
    this.deadline = clock === undefined ? 0 : clock() + limits.milliseconds;
  }

  step(count = 1): void {
    // Counts come from arguments of templates: one that is negative or no number would switch the budget off.
    if (!(count >= 0)) throw limitFault('a size in this template is out of range.');
    this.steps += count;
    if (this.steps < this.nextClockRead) return;
    this.nextClockRead = this.steps + STEPS_BETWEEN_CLOCK_READS;
    if (this.steps > this.limits.steps) throw limitFault(`this template takes more than ${this.limits.steps} steps.`);
    if (this.clock !== undefined && this.clock() > this.deadline) {
      throw limitFault(`this template takes longer than ${this.limits.milliseconds} ms.`);
    }
  }

  /** Before a text of this length is made. */
  text(length: number): void {
    this.read(length);
    if (length > this.limits.text) {
      throw limitFault(
        `a text would be longer than ${this.limits.text} characters.`,
        'Handle large data in a task, not in a template.',
      );
    }
    this.allocate(length);
  }

  /** Before a text of this length is gone through. */
  read(length: number): void {
    this.step(length / CHARACTERS_PER_STEP);
  }

  /** Before a list or mapping of this size is made. */
  items(count: number): void {
    this.allocate(count * ITEM_WEIGHT);
    this.step(count);
  }

  private allocate(units: number): void {
    this.allocated += units;
    if (this.allocated > this.limits.allocation) throw limitFault('this template makes too much data.');
  }
}
