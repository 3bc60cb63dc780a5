import { expect, it } from 'vitest';
import { createSometimes, LONG_RUN, missedBy } from './sometimes.testing.ts';

it('a long run fails for every situation that it never met; a short one does not', () => {
  const sometimes = createSometimes();
  expect(missedBy(sometimes, LONG_RUN - 1)).toEqual([]);
  const missed = missedBy(sometimes, LONG_RUN);
  expect(missed).toContain('an old driver reports after a takeover');
  expect(missed).toContain('an execution is cancelled while it waits for a retry');
  for (const situation of missed) sometimes.met(situation);
  expect(missedBy(sometimes, LONG_RUN)).toEqual([]);
});
