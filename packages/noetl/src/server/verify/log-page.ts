import type { ExecutionEvent } from '@noetl/engine';
import type { ChainBreak } from '../../ports/inspection.ts';
import { type Difference, type DifferenceKind, shown } from './difference.ts';

/** Events of a page up to the first that is none, and what that is instead. */
export interface ParsedPage {
  readonly events: readonly ExecutionEvent[];
  readonly difference: Difference | undefined;
}

/** A JSON list with so many events, the first of which has this number. */
export function parsedPage(texts: string, first: number, count: number): ParsedPage {
  try {
    const events: readonly ExecutionEvent[] = JSON.parse(texts);
    if (events.length === count) return { events, difference: undefined };
  } catch {
    // Which of them cannot be read is found below.
  }
  const events: ExecutionEvent[] = [];
  for (const [nth, text] of texts.slice(1, -1).split(',\n').entries()) {
    try {
      events.push(JSON.parse(text));
    } catch (error) {
      return { events, difference: unreadable(first + nth, text, error) };
    }
  }
  return { events, difference: undefined };
}

/** An event that is none, or belongs elsewhere. */
export function strangeEvent(event: ExecutionEvent, execution: string, seq: number): Difference | undefined {
  if (typeof event !== 'object' || event === null || typeof event.payload !== 'object' || event.payload === null) {
    const found = shown(event);
    return { what: 'event.unreadable', seq, expected: 'an event', found, message: `event ${seq} is no event` };
  }
  if (event.execution_id === execution && event.seq === seq) return undefined;
  const [expected, found] = [`event ${seq} of ${execution}`, `event ${event.seq} of ${event.execution_id}`];
  return { what: 'event.misplaced', seq, expected, found, message: `event ${seq} belongs elsewhere` };
}

export function unreadable(seq: number, text: string, error: unknown): Difference {
  const message = `event ${seq} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  return { what: 'event.unreadable', seq, expected: 'an event as JSON', found: shown(text), message };
}

const BREAKS: Readonly<
  Record<ChainBreak['what'], { readonly what: DifferenceKind; readonly says: string; readonly of: string }>
> = {
  event: { what: 'event.text', says: 'is not what was appended', of: 'hash ' },
  text: { what: 'event.text', says: 'is not what was appended', of: 'hash ' },
  hash: { what: 'event.hash', says: 'is what was appended, but its hash was changed', of: 'hash ' },
  missing: { what: 'event.missing', says: 'is missing', of: '' },
  extra: { what: 'event.extra', says: 'was never appended', of: '' },
  head: { what: 'head', says: 'is the last, but the row of the execution has another hash', of: 'hash ' },
};

export function brokenChain({ position, what, expected, found }: ChainBreak): Difference {
  const { says, of, ...kind } = BREAKS[what];
  const side = (text: string): string => (/^[0-9a-f]{64}$/.test(text) ? `${of}${text}` : text);
  return {
    ...kind,
    seq: position,
    expected: side(expected),
    found: side(found),
    message: `event ${position} ${says}`,
  };
}
