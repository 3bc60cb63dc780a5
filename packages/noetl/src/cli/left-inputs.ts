import type { ControlInputs, LeftInput } from '../ports/control-inputs.ts';

/** How many are read at a time. */
const PAGE = 100;

/**
 * Decides the inputs that were left for executions that this process drives, those of each in their order. One is deleted only
 * after what it led to is in the log; a signal goes with its number, so that it counts once if it is met again. An
 * execution that is opened meanwhile waits for the next look: the first of its inputs may have been passed over already.
 * What changes nothing is not written; so before it is deleted, the store is asked whether this process `counts` as alive:
 * if not, others may have changed the execution since, and what was decided here is long past.
 */
export async function takeLeftInputs(
  inputs: ControlInputs,
  drives: (execution: string) => boolean,
  submit: (execution: string, input: LeftInput) => Promise<unknown>,
  counts: () => Promise<boolean>,
): Promise<void> {
  const passed = new Set<string>();
  for (let after = 0; ; ) {
    const left = await inputs.list(after, PAGE);
    const mine = new Map<string, Left[]>();
    for (const one of left) {
      const { execution } = one;
      if (passed.has(execution) || !drives(execution)) passed.add(execution);
      else mine.set(execution, [...(mine.get(execution) ?? []), one]);
      after = one.id;
    }
    while (mine.size > 0) if (!(await takeFirsts(mine))) return;
    if (left.length < PAGE) return;
  }

  /** The oldest of each execution together. False if this process does not count any more. */
  async function takeFirsts(mine: Map<string, Left[]>): Promise<boolean> {
    const firsts = [...mine.values()].flatMap((some) => some.splice(0, 1)).filter(({ execution }) => drives(execution));
    const decided = await Promise.allSettled(
      firsts.map(({ id, execution, input }) =>
        submit(execution, input.kind === 'signal' ? { ...input, input: id } : input),
      ),
    );
    if (!(await counts())) return false;
    await inputs.delete(firsts.flatMap(({ id }, nth) => (decided[nth]?.status === 'fulfilled' ? [id] : [])));
    for (const end of decided) if (end.status === 'rejected') throw end.reason;
    for (const [execution, some] of mine) if (some.length === 0) mine.delete(execution);
    return true;
  }
}

type Left = Awaited<ReturnType<ControlInputs['list']>>[number];
