import type { ExecutionEvent, Explanation } from '@noetl/engine';
import { conditionLines } from './condition-lines.ts';
import { eventText } from './event-text.ts';
import { type Line, type Part, paint, type Tint, tinted } from './line.ts';
import { visible } from './visible.ts';
import { workNameOf } from './work-name.ts';

interface EventListOptions {
  readonly color: boolean;
  /** The command that prints the next page, if there is one. */
  readonly more?: string | undefined;
  readonly explanations?: Explanations | undefined;
}

/** By the position of the event. */
export type Explanations = ReadonlyMap<number, Explanation>;

const TINTS: Readonly<Partial<Record<ExecutionEvent['status'], Tint>>> = {
  success: 'green',
  error: 'red',
  skipped: 'dim',
};

/** One line for each event: position, time, name, status, what it is about, what it says. */
export function eventList(events: readonly ExecutionEvent[], options: EventListOptions): string {
  const { color, more, explanations } = options;
  const lines = events.flatMap((event) => {
    const explanation = explanations?.get(event.seq);
    return [eventLine(event), ...(explanation === undefined ? [] : conditionLines(explanation))];
  });
  const hint: readonly Line[] = more === undefined ? [] : [[tinted('dim', `more: ${visible(more)}`)]];
  return [...lines, ...hint].map((line) => `${paint(line, color)}\n`).join('');
}

/** Widths are fixed, so that pages and lines that come one by one stand below each other. */
function eventLine(event: ExecutionEvent): Line {
  const { seq, timestamp, name, status } = event;
  const about = workNameOf(event);
  const words = [about, eventText(event)].filter((text) => text !== '').join('  ');
  return [
    String(seq).padStart(6),
    tinted('dim', ` ${visible(timestamp)} `),
    visible(name).padEnd(28),
    ' ',
    statusPart(status),
    words === '' ? '' : ` ${words}`,
  ];
}

function statusPart(status: ExecutionEvent['status']): Part {
  const tint = TINTS[status];
  const word = visible(status).padEnd(11);
  return tint === undefined ? word : tinted(tint, word);
}

/** Envelopes as they are stored, one on each line; what was explained has one field more. */
export const eventListJson = (events: readonly ExecutionEvent[], explanations?: Explanations): string =>
  events.map((event) => `${JSON.stringify(withExplanation(event, explanations?.get(event.seq)))}\n`).join('');

const withExplanation = (event: ExecutionEvent, explanation: Explanation | undefined): object =>
  explanation === undefined ? event : { ...event, explanation };
