import type { Policy, Task } from './playbook.ts';

/** The name of the task of the workbook that a task calls; undefined also where a template names it. */
export function calledName({ kind, fields }: Task): string | undefined {
  const name = kind === 'workbook' ? fields.name : undefined;
  return name?.kind === 'literal' && typeof name.value === 'string' ? name.value : undefined;
}

export function calledTask(task: Task, workbook: ReadonlyMap<string, Task>): Task | undefined {
  const name = calledName(task);
  return name === undefined ? undefined : workbook.get(name);
}

/**
 * Tells whose rules decide on the outcome of a task. TOOL-2, the outer policy wins: a call's own, else that of the task
 * it calls, which may be a call again. Each task is followed once, however many call it.
 */
export function decidingPolicies(workbook: ReadonlyMap<string, Task>): (task: Task) => Policy | undefined {
  const known = new Map<Task, Policy | undefined>();
  return (task) => {
    const passed: Task[] = [];
    let current: Task | undefined = task;
    while (current !== undefined && current.policy === undefined && !known.has(current)) {
      // Where calls go round, nobody decides.
      known.set(current, undefined);
      passed.push(current);
      current = calledTask(current, workbook);
    }
    const policy = current && (current.policy ?? known.get(current));
    for (const call of passed) known.set(call, policy);
    return policy;
  };
}
