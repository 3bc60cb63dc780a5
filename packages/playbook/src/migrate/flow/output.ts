import { STORES } from '../../model/vocabulary.ts';
import { put, tasksOf, withTasks } from '../body/pipeline.ts';
import { entry, flow as inline, map } from '../tree/build.ts';
import { entryOf, fieldOf, textOf, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { withSpec } from './admission.ts';
import type { StepFlow } from './step-flow.ts';
import { withFollowing } from './step-pipeline.ts';

/** What of a result is kept at hand, and where the rest is stored. */
const STORAGE_KEYS: readonly string[] = ['store', 'output_select', 'select', 'inline_max_bytes', 'scope'];

/** `output` and `result` of a step or task: how results are stored, or another result. */
export function migrateOutput(step: MapTree, flow: StepFlow): MapTree {
  const tasks = tasksOf(step).map((task) => ({ ...task, body: withoutStorage(task.body, flow) }));
  const stored = ['output', 'result'].reduce(
    (tree, key) => {
      const found = entryOf(tree, key);
      if (found === undefined) return tree;
      return isStorage(found) ? withStorage(without(tree, key), found, flow) : withResult(tree, found, flow);
    },
    withTasks(step, tasks),
  );
  return stored;
}

const isStorage = ({ value }: EntryTree): boolean =>
  value.kind === 'map' && value.entries.length > 0 && value.entries.every(({ key }) => STORAGE_KEYS.includes(key));

/** Large results are kept by reference, and what a template names is read where it is (RES-1). */
function withStorage(scope: MapTree, output: EntryTree, { journal }: StepFlow): MapTree {
  const tree = output.value.kind === 'map' ? output.value : map();
  const store = fieldOf(tree, 'store');
  const kind = textOf(store) ?? (store?.kind === 'map' ? textOf(fieldOf(store, 'kind')) : undefined);
  const known = STORES.find((one) => one === kind);
  const kept =
    known === undefined
      ? 'large results are kept by reference, and read where a template names them'
      : `results are stored in ${known}`;
  journal.note('output-store', output.at, `'${output.key}' is left out: ${kept}`, {
    review: kind !== undefined && known === undefined && kind !== 'auto',
  });
  if (known === undefined) return scope;
  const spec = fieldOf(scope, 'spec');
  const result = entry(
    'result',
    map(entry('store', inline(map(entry('kind', known, output.at))), output.at)),
    output.at,
  );
  return withSpec(scope, put(spec?.kind === 'map' ? spec : map(), 'result', result.value, output.at), output.at);
}

function withoutStorage(task: MapTree, flow: StepFlow): MapTree {
  const output = entryOf(task, 'output');
  if (output === undefined || !isStorage(output)) return task;
  return withStorage(without(task, 'output'), output, flow);
}

/** A mapping: what the step gives instead of the result of its work. */
function withResult(step: MapTree, result: EntryTree, flow: StepFlow): MapTree {
  if (result.value.kind !== 'map' || entryOf(step, 'end_loop') !== undefined) return step;
  const { at } = result;
  flow.journal.note('step-result', at, `'${result.key}' of the step is given by a task behind its work`);
  const value = flow.renamed(result.value, 'following', at);
  return withFollowing(
    without(step, result.key),
    'result',
    map(entry('kind', 'noop', at), entry('result', value, at)),
    at,
  );
}
