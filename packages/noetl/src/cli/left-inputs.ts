import type { ControlInputs, LeftInput } from '../ports/control-inputs.ts';

/** How many are read at a time. */
const PAGE = 100;

/**
 * Decides, in their order, the inputs that other processes left for executions that this process drives. One is deleted
 * only after what it led to is in the log; a signal goes with its number, so that it counts once if it is met again. An
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
    for (const { id, execution, input } of left) {
      if (passed.has(execution) || !drives(execution)) passed.add(execution);
      else {
        await submit(execution, input.kind === 'signal' ? { ...input, input: id } : input);
        if (!(await counts())) return;
        await inputs.delete([id]);
      }
      after = id;
    }
    if (left.length < PAGE) return;
  }
}
