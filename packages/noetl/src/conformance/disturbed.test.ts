import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { CASES, type Case, type ControlScript, readCase } from './case.testing.ts';
import { expectEvents } from './expect-events.testing.ts';
import { runCase } from './run-case.testing.ts';

/** The case, with more done from outside after events that it must lead to anyway. */
const disturbed = (given: Case, controls: readonly ControlScript[]): Case => ({
  ...given,
  script: { ...given.script, controls: [...(given.script.controls ?? []), ...controls] },
});

const afterEvent = (seq: number, what: ControlScript['do']): ControlScript => ({ after: { seq }, do: what });

describe('the same events, with a restart and all reports again after each of them (ENG-15, EVT-3)', () => {
  it.each(CASES)('%s', async (name) => {
    const given = readCase(name);
    const trouble = given.expected.flatMap((_, index) => [
      afterEvent(index + 1, 'restart'),
      afterEvent(index + 1, 'repeat-report'),
    ]);
    const { events } = await runCase(disturbed(given, trouble));
    expectEvents(events, given.expected);
  });
});

/** One of each kind of work. Their tools answer the same whenever and however often they are asked. */
const FORKED = [
  'ENG-1-values-behind-references-arrive-with-the-input',
  'ENG-3-a-denied-token-is-consumed-and-skipped-says-why',
  'ENG-5-a-failure-taken-by-an-arc-is-handled',
  'ENG-5-a-failure-that-no-arc-took-ends-the-execution-in-error',
  'ENG-6-join-all-fires-once-with-args-in-upstream-order',
  'ENG-6-a-remainder-that-nothing-can-reach-is-unmet',
  'ENG-8-nested-loops-give-nested-lists',
  'ENG-8-large-results-become-a-manifest',
  'ENG-9-set-shared-append',
  'ENG-9-set-ctx-patches-are-events',
  'ENG-10-attempts-per-visit',
  'ENG-11-skip-before-the-body',
  'ENG-12-in-a-loop-both-end-the-iteration',
  'ENG-13-child-depth',
  'ENG-13-ctx-size',
  'ENG-13-cycle-without-work-ends',
  'ENG-16-payload-of-processed',
  'TOOL-2-child-that-is-not-waited-for',
];

describe('a fork from any event comes to the same end (ENG-15)', () => {
  it.each(FORKED)('%s', async (name) => {
    const given = readCase(name);
    for (let seq = 1; seq <= given.expected.length; seq++) {
      const { events, fork = [] } = await runCase(disturbed(given, [afterEvent(seq, 'fork')]));
      expect(endOf(fork), `forked after event ${seq}`).toBe(endOf(events));
    }
  });
});

/** How it ended, but for ids, which are those of the execution, and for when. */
function endOf(events: readonly ExecutionEvent[]): string {
  const last = events.at(-1);
  if (last?.name !== 'playbook.processed') return `it waits after ${last?.name}`;
  const { status, result, error } = last.payload;
  return JSON.stringify({ status, result, error }).replaceAll(`"${last.execution_id}-`, '"e-');
}
