import { entry, list } from '../tree/build.ts';
import { commentsOnly, entryOf, textOf } from '../tree/edit.ts';
import type { Above, EntryTree, ItemTree, Tree } from '../tree/tree.ts';
import { type CaseCondition, readCaseCondition } from './case-condition.ts';
import { conditionEntry } from './condition-entry.ts';
import type { StepFlow } from './step-flow.ts';

/** One entry of `case`: what is done when its condition is the first that holds. */
export interface CaseEntry {
  readonly at: number;
  /** Comments above it. */
  readonly above: Above;
  /** As its author wrote it; undefined where it always holds. */
  readonly when: EntryTree | undefined;
  readonly condition: CaseCondition;
  /** In the order of the file. */
  readonly actions: readonly EntryTree[];
}

const ACTIONS = new Set(['next', 'sink', 'set', 'vars', 'retry', 'collect', 'call', 'next_call', 'result', 'fail']);

/** Undefined, with a problem, where one of the entries cannot be told. */
export function readCase(clause: EntryTree, flow: StepFlow): readonly CaseEntry[] | undefined {
  if (clause.value.kind !== 'list') {
    flow.journal.problem(
      clause.at,
      `'${clause.key}' is no list`,
      `Write ${clause.key} as a list of { when, then }, then migrate.`,
    );
    return undefined;
  }
  const entries = clause.value.items.map((part) => readEntry(part, flow));
  const read = entries.filter((one) => one !== undefined);
  return read.length === entries.length ? read : undefined;
}

function readEntry(part: ItemTree, flow: StepFlow): CaseEntry | undefined {
  const { value, at } = part;
  if (value.kind !== 'map') return refused(at, 'is no mapping', flow);
  const strange = value.entries.find(({ key }) => !['when', 'then', 'else'].includes(key));
  if (strange !== undefined) return refused(strange.at, `has '${strange.key}'`, flow);
  const then = entryOf(value, 'then') ?? entryOf(value, 'else');
  if (then === undefined) return refused(at, "has no 'then'", flow);
  const found = entryOf(value, 'when');
  const when = found && conditionEntry(found, flow);
  if (found !== undefined && when === undefined) return undefined;
  const condition = conditionOf(when, flow);
  if (condition === undefined)
    return refused(
      found?.at ?? at,
      "looks at 'event' otherwise than by event.name == '…' and … , with a name of an event that is known",
      flow,
    );
  if (condition.byAnswer)
    flow.journal.note(
      'case-event',
      found?.at ?? at,
      condition.event === 'failure'
        ? 'the error of the answer is taken for the failure of the step, not for a field of its result'
        : 'the error of the answer is taken for a field of the result that the code gives, not for a failure',
      { review: true },
    );
  const actions = actionsOf(then, flow);
  return actions && { at, above: commentsOnly(part.above), when, condition, actions };
}

function conditionOf(when: EntryTree | undefined, { name, facts }: StepFlow): CaseCondition | undefined {
  const text = textOf(when?.value);
  const errorField = /['"]error['"]/.test(facts.names.steps.get(name)?.code ?? '');
  if (text !== undefined) return readCaseCondition(text, errorField);
  const always = when === undefined || (when.value.kind === 'scalar' && when.value.value === true);
  return {
    event: 'success',
    rest: always ? true : '{{ false }}',
    wholeLoop: false,
    ofCall: false,
    named: false,
    byAnswer: false,
  };
}

/** `then` is a mapping of actions, a list of such mappings, a step, or a list of steps. */
function actionsOf(then: EntryTree, flow: StepFlow): readonly EntryTree[] | undefined {
  const { value, at } = then;
  if (value.kind === 'scalar')
    return textOf(value) === undefined ? refused(at, "does nothing in 'then'", flow) : [entry('next', value, at)];
  const maps: readonly Tree[] = value.kind === 'list' ? value.items.map((part) => part.value) : [value];
  const actions: EntryTree[] = [];
  for (const [i, tree] of maps.entries()) {
    const part = value.kind === 'list' ? value.items[i] : undefined;
    if (tree.kind === 'map' && entryOf(tree, 'step') === undefined) {
      const strange = tree.entries.find(({ key }) => !ACTIONS.has(key));
      if (strange !== undefined) return refused(strange.at, `does '${strange.key}'`, flow);
      actions.push(...tree.entries);
    } else if (part !== undefined) {
      actions.push(entry('next', list(part), part.at));
    } else {
      actions.push(entry('next', tree, at));
    }
  }
  return actions;
}

export const actionOf = ({ actions }: CaseEntry, ...keys: readonly string[]): EntryTree | undefined =>
  actions.find(({ key }) => keys.includes(key));

function refused(at: number, what: string, { journal }: StepFlow): undefined {
  journal.problem(
    at,
    `an entry of 'case' ${what}`,
    'Say what it does with policy rules (retry, set_ctx, fail), following tasks and arcs; see "Moving from NoETL".',
  );
  return undefined;
}
