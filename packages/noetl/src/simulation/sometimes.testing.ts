/**
 * Situations that a long simulation must have met: one that it never met is one that it proves nothing about. What is
 * counted follows from the log and the faults, not from the code that is tested.
 */
const RARE = [
  'a process crashes before a commit',
  'a process crashes after a commit, before it is told',
  'a process crashes while a tool runs',
  'a process crashes after a tool has ended, before it is told',
  'a process crashes while it takes an execution',
  'a commit has an unknown outcome, and was applied',
  'a commit has an unknown outcome, and was not applied',
  'a commit arrives twice',
  'a report is delivered again after an unknown outcome',
  'a report is lost with its process',
  'a report arrives twice',
  'a report comes late',
  'a timer comes late',
  'a wake-up for a control is lost',
  'a wake-up for a control comes twice',
  'a wake-up for a control comes late',
  'a sign of life is lost',
  'a result cannot be stored',
  'the log cannot be read',
  'a process stands still for longer than it counts as alive',
  'a driver that counts as dead is followed by another while it stands still',
  'a driver that is dead is followed by another at once',
  'an old driver goes on after a takeover',
  'an old driver reports after a takeover',
  'two processes write to one execution at the same position',
  'a process ends because its store fails, or it counts as dead',
  'a process is asked to stop in the middle of an execution',
  'a tool is called again after a crash, with the same key',
  'a loop refills its window in the commit that a crash follows',
  'a loop refills its window in a commit that a crash prevents',
  'a child is started, and its parent crashes',
  'a child is over, and its parent has not heard of it in a crash',
  'a signal that was received already is met again',
  'a signal comes before it is waited for',
  'a signal comes while it is waited for',
  'a pause holds work that was ready to go on',
  'a retry waits for longer than its lease, across a crash',
  'a delay is waited for in a crash',
  'a step takes longer than its step_timeout',
  'a loop ends with a conflict of writes',
  'a loop fails fast, and drops iterations',
  'a loop of best effort has failed iterations',
  'iterations of an inner loop run when a crash comes',
  'a join waits when a crash comes',
  'a jump starts a new visit after a crash',
  'a value is stored by reference',
  'a decision is continued in another append',
  'an execution is cancelled before its work begins',
  'an execution is cancelled while a tool runs',
  'an execution is cancelled while it waits for a retry',
  'an execution is cancelled while it waits for a signal',
  'an execution is cancelled while it waits for a delay',
  'an execution is cancelled while it waits for a child',
  'an execution is cancelled while a loop runs',
  'an execution is cancelled while an inner loop runs',
  'an execution is cancelled between two appends of a decision',
  'an execution is cancelled while a join waits',
  'an execution is cancelled while it is paused',
  'an execution is cancelled while it drains after a failure',
  'an execution is cancelled when it is over',
  'a child is cancelled with its parent',
] as const;

/** Those of stories with workers in processes of their own. */
const RARE_WITH_WORKERS = [
  'work is leased again after its lease expired',
  'a report comes under an old lease',
  'a report that was taken comes again',
  'a claim was answered, and its worker has not heard of it',
  'a worker stands still for longer than its lease',
  'a worker dies',
  'a worker is let go by its server',
  'a worker comes back in another pool',
  'a server starts again while workers work',
  'a heartbeat is lost',
  'a heartbeat tells that a lease is gone',
] as const;

export type RareSituation = (typeof RARE)[number] | (typeof RARE_WITH_WORKERS)[number];

export interface Sometimes {
  met(situation: RareSituation): void;
  /** What somebody else has counted. */
  add(counts: Iterable<readonly [RareSituation, number]>): void;
  readonly counts: ReadonlyMap<RareSituation, number>;
}

/** From so many stories on, each situation must have been met. */
export const LONG_RUN = 10_000;

/** What a run of so many stories should have met, and did not. */
export const missedBy = (
  { counts }: Pick<Sometimes, 'counts'>,
  stories: number,
  withWorkers = false,
): readonly RareSituation[] => {
  const wanted: readonly RareSituation[] = withWorkers ? RARE_WITH_WORKERS : RARE;
  return stories < LONG_RUN ? [] : wanted.filter((situation) => counts.get(situation) === 0);
};

export function createSometimes(): Sometimes {
  const counts = new Map<RareSituation, number>([...RARE, ...RARE_WITH_WORKERS].map((situation) => [situation, 0]));
  const more = (situation: RareSituation, times: number): void => {
    counts.set(situation, (counts.get(situation) ?? 0) + times);
  };
  return {
    counts,
    met: (situation) => more(situation, 1),
    add(others) {
      for (const [situation, times] of others) more(situation, times);
    },
  };
}
