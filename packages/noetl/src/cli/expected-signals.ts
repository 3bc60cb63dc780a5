import type { Playbook, Task, Templated } from '@noetl/playbook';

export interface ExpectedSignals {
  /** The names that `wait` tasks of the playbook have for sure. */
  readonly names: ReadonlySet<string>;
  /** Whether some task has a name that only a run knows. */
  readonly others: boolean;
}

/** The signals and approvals that executions of a playbook may wait for. */
export function expectedSignals({ workflow, workbook }: Playbook): ExpectedSignals {
  const names = new Set<string>();
  let others = false;
  const add = ({ kind, fields }: Task): void => {
    if (kind !== 'wait' || !isSignal(fields.for)) return;
    const { name } = fields;
    if (name?.kind === 'literal' && typeof name.value === 'string') names.add(name.value);
    else others = true;
  };
  for (const { tasks } of workflow) tasks.forEach(add);
  for (const task of workbook.values()) add(task);
  return { names, others };
}

/** What a template makes of it is not known here. */
const isSignal = (data: Templated | undefined): boolean =>
  data?.kind !== 'literal' || data.value === 'signal' || data.value === 'approval';
