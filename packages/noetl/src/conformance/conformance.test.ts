import { describe, expect, it } from 'vitest';
import { CASES, readCase } from './case.testing.ts';
import { expectEvents } from './expect-events.testing.ts';
import { runCase } from './run-case.testing.ts';

describe('the specification as cases', () => {
  it.each(CASES)('%s', async (name) => {
    const given = readCase(name);
    expect(given.script.sentence.length).toBeGreaterThan(20);
    const { events, fork } = await runCase(given);
    expectEvents(events, given.expected);
    expectEvents(fork ?? [], given.expectedFork ?? []);
  });
});
