import type { ExecutionEvent } from '@noetl/engine';
import { expect } from 'vitest';
import type { ExpectedEvent } from './case.testing.ts';
import { asExpected, inShort } from './match-event.testing.ts';

/** Exactly these events in exactly this order, each with the fields that the case names. */
export function expectEvents(events: readonly ExecutionEvent[], expected: readonly ExpectedEvent[]): void {
  const happened = events.map(inShort).join('\n');
  for (const [index, event] of events.entries()) {
    const wanted = expected[index] ?? { name: '(no further event)' };
    expect(asExpected(event, wanted), `event ${index + 1} of\n${happened}`).toEqual(wanted);
  }
  expect(events.length, happened).toBe(expected.length);
}
