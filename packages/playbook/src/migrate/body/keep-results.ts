import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { hasPolicy, keptLabels } from '../names/kept-labels.ts';
import { entry, flow, map, scalar } from '../tree/build.ts';
import { freeLabel, newTask, type PipelineTask, ruleOf, withRuleList } from './pipeline.ts';

/** A pipeline that keeps the results which later tasks read by label, and where each is kept. */
interface KeptResults {
  readonly tasks: readonly PipelineTask[];
  readonly homes: ReadonlyMap<string, KeptHome>;
}

interface KeptHome {
  readonly scope: 'ctx' | 'iter';
  readonly key: string;
}

/** ENG-9: what a pipeline keeps for later is iter in a loop, else ctx. */
export function keepResults(
  tasks: readonly PipelineTask[],
  step: string,
  facts: DocumentFacts,
  journal: Journal,
): KeptResults {
  const labels = keptLabels(tasks, step, facts);
  const names = facts.names.steps.get(step);
  // Arcs are outside of the iterations.
  const scope = names?.looped === true && ![...labels].some((label) => names.labelsRead.has(label)) ? 'iter' : 'ctx';
  const homes = new Map([...labels].map((label) => [label, { scope, key: label } as const]));
  const kept = tasks.flatMap((task): readonly PipelineTask[] => {
    if (!labels.has(task.label)) return [task];
    journal.note(
      'label-kept',
      task.at,
      `the result of '${task.label}' is kept as '${scope}.${task.label}' for what reads it later`,
    );
    return keeping(task, scope, tasks);
  });
  return { tasks: kept, homes };
}

/** By a rule of its own, or by a task behind it where it has rules already. */
function keeping(task: PipelineTask, scope: 'ctx' | 'iter', tasks: readonly PipelineTask[]): readonly PipelineTask[] {
  const { at, body, label } = task;
  const set = entry(`set_${scope}`, flow(map(entry(label, '{{ outcome.result }}', at))), at);
  const go = entry('do', 'continue', at);
  if (!hasPolicy(body)) {
    const rules = [ruleOf("outcome.status == 'ok'", [go, set], at), ruleOf(undefined, [entry('do', 'fail', at)], at)];
    return [{ ...task, body: withRuleList(body, rules) }];
  }
  const keeper = map(entry('kind', 'noop', at), entry('result', scalar('{{ _prev }}'), at));
  const rules = [ruleOf(undefined, [go, set], at)];
  return [task, newTask(freeLabel(`keep_${label}`, tasks), withRuleList(keeper, rules), at)];
}
