import type { Json } from '@noetl/playbook';
import type { BoundPiece, BoundValue } from '../bind-template.ts';

/** SQL as its author wrote it, with a mark in the place of each template. */
export interface SqlText {
  readonly text: string;
  /** What the marks stand for, in order. */
  readonly slots: readonly Slot[];
}

export type Slot = BoundValue;

/** Stands for one template. The text around it cannot contain it. */
export const SLOT = '\u{F0000}';

export function sqlText(pieces: readonly BoundPiece[]): SqlText {
  return {
    text: pieces.map((piece) => ('text' in piece ? piece.text.replaceAll(SLOT, '') : SLOT)).join(''),
    slots: pieces.filter((piece): piece is Slot => 'value' in piece),
  };
}

/** A value as a part of a text; objects and lists as JSON. */
export const partOfText = (value: Json): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
