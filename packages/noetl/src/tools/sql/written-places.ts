import { SLOT, type SqlText } from './sql-text.ts';

/** A place in what the author wrote, from 1. */
export interface WrittenPlace {
  readonly line: number;
  readonly column: number;
  /** The line itself. */
  readonly text: string;
}

/** Finds places of the text with marks in the text with the templates as they were written. */
export function writtenPlaces({ text, slots }: SqlText): (offset: number) => WrittenPlace {
  return (offset) => {
    let i = 0;
    const written = (part: string): string => part.replaceAll(SLOT, () => slots[i++]?.written ?? '');
    const before = written(text.slice(0, offset));
    const lines = before.split('\n');
    const rest = written(text.slice(offset).split('\n', 1)[0] ?? '');
    const last = lines.at(-1) ?? '';
    return { line: lines.length, column: last.length + 1, text: (last + rest).trimEnd() };
  };
}
