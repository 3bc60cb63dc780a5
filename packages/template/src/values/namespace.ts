import type { Kind } from './special.ts';
import { Printable, quoteText } from './text.ts';

/** `namespace(found=false)`: the one thing a block can change for the blocks around it. */
export class Namespace extends Printable {
  private readonly values = new Map<string, unknown>();

  get kind(): Kind {
    return 'object';
  }

  override attribute(name: string): unknown {
    return this.values.get(name);
  }

  set(name: string, value: unknown): void {
    this.values.set(name, value);
  }

  print(): string {
    return `<Namespace {${Array.from(this.values.keys(), quoteText).join(', ')}}>`;
  }
}
