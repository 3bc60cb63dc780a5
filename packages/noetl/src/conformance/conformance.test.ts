import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { type ExpectedEvent, readCase } from './case.testing.ts';
import { asExpected, inShort } from './match-event.testing.ts';
import { runCase } from './run-case.testing.ts';

const FOLDER = fileURLToPath(new URL('../../../../conformance/', import.meta.url));
const names = readdirSync(FOLDER).filter((name) => /^[A-Z]+-\d+-/.test(name));

/** Exactly these events in exactly this order, each with the fields that the case names. */
function expectEvents(events: readonly ExecutionEvent[], expected: readonly ExpectedEvent[]): void {
  const happened = events.map(inShort).join('\n');
  for (const [index, event] of events.entries()) {
    const wanted = expected[index] ?? { name: '(no further event)' };
    expect(asExpected(event, wanted), `event ${index + 1} of\n${happened}`).toEqual(wanted);
  }
  expect(events.length, happened).toBe(expected.length);
}

describe('the specification as cases', () => {
  it.each(names)('%s', async (name) => {
    const given = readCase(FOLDER, name);
    expect(given.script.sentence.length).toBeGreaterThan(20);
    const { events, fork } = await runCase(given);
    expectEvents(events, given.expected);
    expectEvents(fork ?? [], given.expectedFork ?? []);
  });
});
