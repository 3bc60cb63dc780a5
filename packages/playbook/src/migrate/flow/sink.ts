import { migrateTaskFields } from '../body/migrate-task.ts';
import { type ConditionText, conjunction, negated } from '../names/condition.ts';
import { entry, item, list, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, revalued, textOf, withEntries, withEntry, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { conditionEntry } from './condition-entry.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import type { StepFlow } from './step-flow.ts';
import { followingRules, withFollowing } from './step-pipeline.ts';
import { renamedText } from './text-condition.ts';
import { upsertStatement } from './upsert.ts';

/** A sink of the step: a task behind its work that leaves the result as it is. */
export function migrateSink(step: MapTree, flow: StepFlow): MapTree {
  const sink = entryOf(step, 'sink');
  if (sink === undefined) return step;
  return flow.journal.attempt(() => withSink(without(step, 'sink'), sink, [], flow)) ?? step;
}

/** `guards`: conditions, with the names of a following task, of which all must hold. Undefined, with a problem, where it cannot be said. */
export function withSink(
  step: MapTree,
  sink: EntryTree,
  guards: readonly ConditionText[],
  flow: StepFlow,
): MapTree | undefined {
  const { at, value } = sink;
  if (value.kind !== 'map') return refused(at, "'sink' is no mapping", flow);
  const body = sinkBody(value, at, flow);
  if (body === undefined) return undefined;
  const when = entryOf(value, 'when');
  const condition = when && conditionEntry(when, flow);
  if (when !== undefined && condition === undefined) return undefined;
  const own = textOf(condition?.value);
  const wanted = [...guards, ...(own === undefined ? [] : [renamedText(own, 'following', when?.at ?? at, flow)])];
  const skipped = negated(conjunction(wanted));
  const written = condition !== undefined && guards.length === 0 ? revalued(condition, scalar(skipped)) : skipped;
  const guard = wanted.length === 0 ? undefined : policyRule(written, [entry('do', 'skip', at)], at);
  flow.journal.note('sink-task', at, "'sink' is now a task behind the step's work; skip keeps the step's result");
  return withFollowing(
    step,
    'sink',
    withEntries(body, [...body.entries, policySpec(followingRules(guard, at), at)]),
    at,
  );
}

/** The task of a sink: `{ tool: { kind, … } }`, `{ tool: kind, … }`, with `args` at either place. */
function sinkBody(sink: MapTree, at: number, flow: StepFlow): MapTree | undefined {
  const tool = entryOf(sink, 'tool');
  const beside = without(sink, 'tool', 'when').entries;
  if (tool === undefined || (tool.value.kind !== 'map' && textOf(tool.value) === undefined))
    return refused(tool?.at ?? at, "'sink' has no 'tool' with a kind", flow);
  const fields = tool.value.kind === 'map' ? tool.value.entries : [revalued(rekeyed(tool, 'kind'), tool.value)];
  const body = map(...fields, ...beside.filter(({ key }) => !fields.some((one) => one.key === key)));
  const renamed = flow.renamed(body, 'following', at);
  if (renamed.kind !== 'map') return undefined;
  const named = textOf(fieldOf(renamed, 'kind'));
  if (named === 'event' || named === 'event_log') return recorded(renamed, at, flow);
  const stored = named === 'postgres' && entryOf(renamed, 'table') !== undefined ? storedRow(renamed, flow) : renamed;
  if (named === 'python' && entryOf(renamed, 'args') === undefined) return given(renamed, at, flow);
  return stored && migrateTaskFields(stored, flow.name, flow.facts, flow.journal);
}

/** Code without args was given the result as `data`. */
function given(body: MapTree, at: number, flow: StepFlow): MapTree {
  flow.journal.note('sink-task', at, "the code gets the step's result as 'data'");
  const args = entry('args', map(entry('data', '{{ _prev }}', at)), at);
  return migrateTaskFields(withEntry(body, args, { after: 'kind' }), flow.name, flow.facts, flow.journal);
}

/** The log of events has every result: a task that gives the values records them. */
function recorded(body: MapTree, at: number, { journal }: StepFlow): MapTree {
  const args = entryOf(body, 'args') ?? entryOf(body, 'data');
  journal.note('sink-task', at, 'every result is in the log of events: a noop task records these values');
  return map(entry('kind', 'noop', at), ...(args === undefined ? [] : [rekeyed(args, 'result')]));
}

/** `table` with the columns of one row in `args`. */
function storedRow(body: MapTree, flow: StepFlow): MapTree | undefined {
  const columns = entryOf(body, 'args') ?? entryOf(body, 'data');
  const mode = entryOf(body, 'mode');
  const word = mode === undefined ? 'insert' : textOf(mode.value);
  if (columns === undefined) return body;
  if (word === 'upsert') return upsertStatement(body, columns, flow);
  if (word !== 'insert' && word !== 'append')
    return refused(mode?.at ?? columns.at, `the sink has mode '${word ?? ''}'`, flow);
  const rows = list(item(columns.value, columns.at));
  const kept = without(body, 'mode');
  return withEntries(
    kept,
    kept.entries.map((one) => (one.key === columns.key ? revalued(rekeyed(one, 'rows'), rows) : one)),
  );
}

function refused(at: number, what: string, { journal }: StepFlow): undefined {
  journal.problem(at, what, 'Write the task that stores the result behind the work of the step: tool: [ … ].');
  return undefined;
}
