import type { Redactor } from './redactor.ts';

/** Text that passes by in pieces and loses its secrets. */
export interface RedactingPieces {
  /** What may leave now: what could be the beginning of a secret waits for the rest. */
  take(piece: string): string;
  /** What was held back. */
  end(): string;
}

/** What is secret may become more while it passes. */
export function redactingPieces(current: () => Redactor): RedactingPieces {
  let held = '';
  return {
    take: (piece) => {
      const { text, pending, idle } = current();
      if (idle && held === '') return piece;
      const redacted = text(held + piece);
      const end = redacted.length - pending(redacted);
      held = redacted.slice(end);
      return redacted.slice(0, end);
    },
    end: () => {
      const rest = held;
      held = '';
      return rest;
    },
  };
}
