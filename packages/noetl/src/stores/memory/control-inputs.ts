import type { ControlEntry, ControlInputs } from '../../ports/control-inputs.ts';

/** Inputs that live as long as the process. */
export function createMemoryControlInputs(): ControlInputs {
  const entries = new Map<number, ControlEntry>();
  let last = 0;

  return {
    put: async (execution, input, now) => {
      last += 1;
      entries.set(last, { id: last, execution, input: structuredClone(input), leftAt: now });
      return last;
    },
    list: async (after, limit, execution) =>
      [...entries.values()]
        .filter((entry) => entry.id > after && entry.execution === (execution ?? entry.execution))
        .slice(0, limit),
    delete: async (ids) => {
      for (const id of ids) entries.delete(id);
    },
  };
}
