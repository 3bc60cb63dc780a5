import { LineIndex } from '../diagnostics/line-index.ts';
import type { Place } from '../model/templated.ts';
import type { Origins } from './migration.ts';

/** MIG-2: what a canonical text was translated from. */
export interface Original {
  readonly text: string;
  /** Where each line of the canonical text comes from. */
  readonly origins: Origins;
}

/** The lines of a translated text, called by where they stand in the author's. */
export class TranslatedLines extends LineIndex {
  private readonly authored: LineIndex;
  private readonly origins: Origins;
  /** Offsets by the places that were given out for them. */
  private readonly given = new Map<string, number>();

  constructor(source: string, { text, origins }: Original) {
    super(source);
    this.authored = new LineIndex(text);
    this.origins = origins;
  }

  override place(offset: number): Place {
    const place = this.originOf(super.place(offset));
    this.given.set(keyOf(place), offset);
    return place;
  }

  override line(number: number): string {
    return this.authored.line(number);
  }

  override offset(place: Place): number {
    return this.given.get(keyOf(place)) ?? 0;
  }

  override inStep(start: number, end: number): boolean {
    const [first, last] = [super.place(start).line, super.place(end).line];
    const begin = this.origins[first - 1]?.line ?? 0;
    for (let line = first; line <= last; line++) {
      if (this.origins[line - 1]?.line !== begin + line - first) return false;
    }
    return true;
  }

  private originOf({ line, column }: Place): Place {
    const origin = this.origins[line - 1] ?? this.origins.at(-1);
    if (origin === undefined) return { line, column };
    const found = origin.shift === undefined ? origin.column : column - origin.shift;
    const end = this.authored.line(origin.line).length + 1;
    return { line: origin.line, column: Math.max(1, Math.min(found, end)) };
  }
}

const keyOf = ({ line, column }: Place): string => `${line}:${column}`;
