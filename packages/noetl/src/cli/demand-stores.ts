import { chosenStore, effectiveSpec, type Playbook } from '@noetl/playbook';
import type { ResultStore } from '../ports/result-store.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';

/** Refuses, before anything begins, to run a playbook whose results would have no place (RES-1). */
export function demandStores(playbook: Playbook, { name, named }: Pick<ResultStore, 'name' | 'named'>): void {
  for (const step of playbook.workflow) {
    const called = step.tasks.some(({ kind }) => kind === 'workbook') ? [...playbook.workbook.values()] : [];
    for (const task of [...step.tasks, ...called]) {
      const wanted = chosenStore(effectiveSpec(playbook, step, task));
      const found = wanted === undefined || wanted === name ? undefined : named?.(wanted);
      if (found === undefined || !('problem' in found)) continue;
      const where = `the task '${task.label}' of step '${step.name}'`;
      throw new CommandFailure(EXIT.usage, `error: NOETL_STORE_UNCONFIGURED: ${where}: ${found.problem}`);
    }
  }
}
