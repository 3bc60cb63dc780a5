import { staticPathOf } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { expressionOf } from '../names/condition.ts';
import { isOlder } from '../names/is-older.ts';
import { guardedPaths } from '../names/meaning.ts';
import { keysOf, keysUnder, nameFacts, referencesIn } from '../names/name-facts.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, flow as inline, map } from '../tree/build.ts';
import { entryOf, fieldOf, mapItems, mapScalars, replacedValue, revalued, textOf, withEntry } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { arcsIn, nameOf } from './workflow-graph.ts';

/**
 * A step that only failures lead to once read the failure as `error`: each arc that leads there hands it on. Where
 * it is come to otherwise as well it is none then, if the step provides for that.
 */
export function handErrorsOn(root: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const workflow = fieldOf(root, 'workflow');
  const { steps } = nameFacts(root);
  const kept = [...keysOf(fieldOf(root, 'workload')), ...(workflow ? keysUnder(workflow, 'set_ctx', 'set_iter') : [])];
  const taken = kept.includes('error') || steps.has('error');
  if (workflow?.kind !== 'list' || taken || !isOlder(facts)) return root;
  const arcs = workflow.items.flatMap(({ value }) => (value.kind === 'map' ? arcsIn(value) : []));
  const handlers = new Set(
    workflow.items.flatMap(({ value: step }) => {
      if (step.kind !== 'map' || keysUnder(fieldOf(step, 'tool'), 'args').includes('error')) return [];
      if (!referencesIn(fieldOf(step, 'tool')).some(({ name }) => name === 'error')) return [];
      const leading = arcs.filter(({ value }) => targetOf(value) === nameOf(step));
      const enough = providesForNone(fieldOf(step, 'tool')) ? ['alone', 'also'] : ['alone'];
      const handed = leading.map(({ value }) => afterFailures(value));
      return handed.length > 0 && handed.every((when) => enough.includes(when)) ? [nameOf(step)] : [];
    }),
  );
  if (handlers.size === 0) return root;
  const handed = mapItems(workflow, (step) => {
    if (step.kind !== 'map') return step;
    const sending = withArcs(step, (arc) => (handlers.has(targetOf(arc.value) ?? '') ? handing(arc, journal) : arc));
    return handlers.has(nameOf(step)) ? reading(sending, journal) : sending;
  });
  return replacedValue(root, 'workflow', handed);
}

const FAILED = /(?:^| and )event\.name == 'step\.failed'(?: and |$)/;

/** Whether the arc is taken after failures alone, after them too, or never with an error that it could take along. */
function afterFailures(arc: Tree): 'alone' | 'also' | 'never' {
  const when = arc.kind === 'map' ? textOf(fieldOf(arc, 'when')) : undefined;
  const condition = when === undefined ? undefined : expressionOf(when);
  const args = arc.kind === 'map' ? fieldOf(arc, 'args') : undefined;
  if (condition === undefined || (args !== undefined && (args.kind !== 'map' || entryOf(args, 'error'))))
    return 'never';
  if (FAILED.test(condition) && !/ or | if /.test(condition)) return 'alone';
  return condition.includes("event.name == 'step.failed'") ? 'also' : 'never';
}

/** Whether every template that reads the error asks first whether there is one. */
function providesForNone(tool: Tree | undefined): boolean {
  const texts = tool === undefined ? [] : textsReading(tool);
  return texts.every((text) => guardedPaths(text).has('error') && !/\berror[\w.]*\s*\|/.test(text));
}

function textsReading(tree: Tree): readonly string[] {
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => textsReading(value));
  if (tree.kind === 'map') return tree.entries.flatMap(({ key, value }) => (key === 'code' ? [] : textsReading(value)));
  const text = textOf(tree);
  return text !== undefined && referencesIn(tree).some(({ name }) => name === 'error') ? [text] : [];
}

function handing(arc: ItemTree, journal: Journal): ItemTree {
  if (arc.value.kind !== 'map') return arc;
  const args = fieldOf(arc.value, 'args');
  const alone = afterFailures(arc.value) === 'alone';
  const value = alone
    ? '{{ event.payload.error }}'
    : "{{ event.payload.error if event.name == 'step.failed' else none }}";
  const error = entry('error', value, arc.at);
  journal.note('error-handed', arc.at, `the arc to '${targetOf(arc.value)}' hands the failure on, which is read there`);
  const all = args?.kind === 'map' ? withEntry(args, error) : inline(map(error));
  return revalued(arc, withEntry(arc.value, entry('args', all, arc.at)));
}

/** Of an error, the status is one of its details, and as text it is its message. */
function reading(step: MapTree, journal: Journal): MapTree {
  const tool = entryOf(step, 'tool');
  return tool === undefined ? step : replacedValue(step, 'tool', renamedIn(tool, journal));
}

const renamedIn = (tool: EntryTree, journal: Journal): Tree =>
  mapScalars(
    tool.value,
    (scalar, at) => {
      const text = textOf(scalar);
      if (text === undefined || !text.includes('error')) return scalar;
      const { edits, changes } = rewriteTemplate(text, {
        expression: (node) => {
          const asked =
            node.kind === 'test' && /^(?:un)?defined$/.test(node.name) ? staticPathOf(node.value) : undefined;
          if (node.kind === 'test' && asked?.name === 'error' && asked.path.length === 0)
            return {
              text: (node.name === 'defined') === node.negated ? 'error is none' : 'error is not none',
              rule: 'name-result',
            };
          const read = node.kind === 'filter' && node.name === 'tojson' ? staticPathOf(node.value ?? node) : undefined;
          return read?.name === 'error' && read.path.length === 0
            ? { text: 'error | tojson', rule: 'name-result' }
            : undefined;
        },
        reference: ({ name, path: [head] }, use) => {
          if (name !== 'error') return undefined;
          if (head === undefined) return use === 'value' ? { text: 'error.message', rule: 'name-result' } : undefined;
          if (head === 'status' || head === 'status_code')
            return { text: 'error.details.status | default(none)', rule: 'name-result' };
          return head === 'type' ? { text: 'error.kind', covers: 1, rule: 'name-result' } : undefined;
        },
      });
      for (const { rule, from, to } of changes) journal.note(rule, at, `'${from}' becomes '${to}'`);
      return respelled(scalar, edits);
    },
    tool.at,
  );

const targetOf = (arc: Tree): string | undefined => (arc.kind === 'map' ? textOf(fieldOf(arc, 'step')) : undefined);

function withArcs(step: MapTree, change: (arc: ItemTree) => ItemTree): MapTree {
  const next = fieldOf(step, 'next');
  const arcs = next?.kind === 'map' ? fieldOf(next, 'arcs') : undefined;
  if (next?.kind !== 'map' || arcs?.kind !== 'list') return step;
  const changed = mapItems(arcs, (_, arc) => change(arc).value);
  return changed === arcs ? step : replacedValue(step, 'next', replacedValue(next, 'arcs', changed));
}
