import { newTask, type PipelineTask, tasksOf, withTasks } from '../body/pipeline.ts';
import type { Journal } from '../journal.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, item, map } from '../tree/build.ts';
import {
  below,
  commentsOnly,
  entryOf,
  fieldOf,
  mapScalars,
  replacedValue,
  revalued,
  textOf,
  withEntry,
  withItems,
  without,
} from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { Above, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { policyRule } from './policy-rule.ts';
import { withTaskRules } from './step-pipeline.ts';
import { IS_OK } from './text-condition.ts';
import { nameOf, onlyNext, stepsBefore, type WorkflowGraph, workflowGraph } from './workflow-graph.ts';

/** Seed 004: what follows a loop up to its `end_loop` is done for each item: it is the pipeline of the loop. */
export function foldLoopBodies(root: MapTree, journal: Journal): MapTree {
  const workflow = fieldOf(root, 'workflow');
  if (workflow?.kind !== 'list') return root;
  let items: readonly ItemTree[] = workflow.items;
  for (const { value } of workflow.items) {
    const end = value.kind === 'map' ? entryOf(value, 'end_loop') : undefined;
    if (end === undefined || value.kind !== 'map' || entryOf(value, 'result') !== undefined) continue;
    const graph = workflowGraph(withItems(workflow, items));
    const body = bodyOf(graph, textOf(end.value) ?? '', nameOf(value));
    if (body === undefined) {
      journal.problem(
        end.at,
        `the steps between the loop '${textOf(end.value) ?? ''}' and its end are not one after the other`,
        'Write what is done for each item as the tasks of the loop: tool: [ … ]; then migrate.',
      );
      continue;
    }
    items = folded(items, body, nameOf(value));
    journal.note('end-loop', end.at, "'end_loop' is left out: the step follows the loop");
    if (body.steps.length > 0)
      journal.note('loop-body', end.at, `the steps of the loop '${nameOf(body.loop)}' are its pipeline`);
  }
  return items === workflow.items ? root : replacedValue(root, 'workflow', withItems(workflow, items));
}

interface LoopBody {
  readonly loop: MapTree;
  readonly steps: readonly MapTree[];
}

/** The steps from the loop to its end, if each is the only way to the next. */
function bodyOf(graph: WorkflowGraph, loop: string, end: string): LoopBody | undefined {
  const first = graph.steps.get(loop);
  if (first === undefined || entryOf(first, 'loop') === undefined) return undefined;
  const steps: MapTree[] = [];
  for (let step = first; ; ) {
    const next = onlyNext(step);
    if (next === end) return { loop: first, steps };
    const after = next === undefined ? undefined : graph.steps.get(next);
    if (after === undefined || steps.includes(after) || !isFoldable(after)) return undefined;
    if (stepsBefore(graph, nameOf(after)).length !== 1) return undefined;
    steps.push(after);
    step = after;
  }
}

const isFoldable = (step: MapTree): boolean =>
  tasksOf(step).length > 0 && step.entries.every(({ key }) => ['step', 'desc', 'tool', 'next'].includes(key));

function folded(items: readonly ItemTree[], { loop, steps }: LoopBody, end: string): readonly ItemTree[] {
  return items.flatMap((part) => {
    const { value } = part;
    if (value.kind !== 'map') return [part];
    if (steps.includes(value)) return [];
    if (nameOf(value) === end) return [revalued(part, without(value, 'end_loop'))];
    if (value !== loop || steps.length === 0) return [part];
    const parts = steps.flatMap((step) => items.find((other) => other.value === step) ?? []);
    return [revalued(part, withBody(value, parts, end))];
  });
}

/** The loop with the work of the steps as its tasks, and the results of them by their names as its own. */
function withBody(loop: MapTree, parts: readonly ItemTree[], end: string): MapTree {
  const names = parts.flatMap(({ value }) => (value.kind === 'map' ? [nameOf(value)] : []));
  const single = parts.length === 1;
  const tasks = parts.flatMap((part) => (part.value.kind === 'map' ? labelled(part, part.value, names, single) : []));
  const { at } = tasks[0] ?? { at: 0 };
  const results = names.map((name) => entry(name, single ? '{{ _prev }}' : `{{ iter.${name} }}`, at));
  const collect = named(newTask('collect', map(entry('kind', 'noop', at), entry('result', map(...results), at)), at));
  const next = fieldOf(loop, 'next');
  const rerouted = next?.kind === 'map' ? replacedValue(loop, 'next', leadingTo(next, end)) : loop;
  return withTasks(rerouted, [...tasksOf(loop), ...tasks, collect]);
}

function labelled(
  { above }: ItemTree,
  step: MapTree,
  names: readonly string[],
  single: boolean,
): readonly PipelineTask[] {
  const desc = entryOf(step, 'desc');
  const own = tasksOf(step);
  const name = nameOf(step);
  return own.map((task, i) => {
    const described =
      desc === undefined || i > 0 || entryOf(task.body, 'desc') !== undefined
        ? task.body
        : withEntry(task.body, desc, { after: 'kind' });
    const read = single ? described : readingIter(described, names);
    const kept = [
      policyRule(
        IS_OK,
        [
          entry('do', 'continue', task.at),
          entry('set_iter', map(entry(name, '{{ outcome.result }}', task.at)), task.at),
        ],
        task.at,
      ),
    ];
    const last = i === own.length - 1;
    const body = last && !single ? withTaskRules(read, kept) : read;
    const label = own.length === 1 ? name : task.label;
    return named({ ...task, label, body, item: undefined }, i === 0 ? commentsOnly(above) : undefined);
  });
}

/** `- label: { … }`, below comments. */
function named(task: PipelineTask, above?: Above): PipelineTask {
  const part = item(map(entry(task.label, task.body, task.at)), task.at);
  return { ...task, item: above === undefined ? part : below(part, above) };
}

/** Results of earlier steps of the body, which belong to the iteration now. */
function readingIter(body: MapTree, names: readonly string[]): MapTree {
  const tree = mapScalars(body, (scalar) => {
    const text = textOf(scalar);
    if (text === undefined || !text.includes('{{')) return scalar;
    const { edits } = rewriteTemplate(text, {
      reference: ({ name, path }) => {
        const step = name === 'results' ? path[0] : name;
        const rest = name === 'results' ? path.slice(1) : path;
        if (typeof step !== 'string' || !names.includes(step)) return undefined;
        return { text: `iter.${step}`, rule: 'loop-body', covers: path.length - rest.length };
      },
    });
    return respelled(scalar, edits);
  });
  return tree.kind === 'map' ? tree : body;
}

function leadingTo(router: MapTree, end: string): Tree {
  const arcs = fieldOf(router, 'arcs');
  if (arcs?.kind !== 'list') return router;
  const items = arcs.items.map((part) =>
    part.value.kind === 'map'
      ? revalued(part, replacedValue(part.value, 'step', entry('step', end, part.at).value))
      : part,
  );
  return replacedValue(router, 'arcs', withItems(arcs, items));
}
