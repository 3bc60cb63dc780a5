import type { Journal } from '../journal.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf, mapScalars, replacedValue, revalued, textOf, without } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { freeLabel, newTask, type PipelineTask, rulesOf, withRuleList } from './pipeline.ts';

/**
 * Seed 002: `set_prev` in a rule that goes on. A noop task behind hands the value on, if no other rule comes to the next
 * task, too.
 */
export function withPreviousTasks(tasks: readonly PipelineTask[], journal: Journal): readonly PipelineTask[] {
  return tasks.flatMap((task) => {
    const rules = rulesOf(task.body);
    const setting = rules.filter((rule) => previousOf(rule) !== undefined);
    const [only] = setting;
    const previous = only === undefined ? undefined : previousOf(only);
    if (previous === undefined || only === undefined) return [task];
    const others = rules.filter((rule) => rule !== only && directiveOf(rule) === 'continue');
    const value = setting.length === 1 && others.length === 0 ? handedOn(previous) : undefined;
    if (value === undefined || directiveOf(only) !== 'continue') {
      journal.problem(
        previous.at,
        "'set_prev' changes what the next task gets, and not every way to it does",
        "Put a noop task behind this one: { kind: noop, result: '{{ … }}' }.",
      );
      return [task];
    }
    const label = freeLabel(`${task.label}_prev`, tasks);
    journal.note('set-prev', previous.at, `'set_prev' becomes a task '${label}' that hands the value on`);
    const body = withRuleList(
      task.body,
      rules.map((rule) => (rule === only ? withoutPrevious(rule) : rule)),
    );
    const noop = map(entry('kind', 'noop', previous.at), entry('result', value, previous.at));
    return [{ ...task, body }, newTask(label, noop, previous.at)];
  });
}

function thenOf({ value }: ItemTree): MapTree | undefined {
  if (value.kind !== 'map') return undefined;
  const inner = fieldOf(value, 'else');
  const then = fieldOf(inner?.kind === 'map' ? inner : value, 'then');
  return then?.kind === 'map' ? then : undefined;
}

function previousOf(rule: ItemTree): EntryTree | undefined {
  const then = thenOf(rule);
  return then && entryOf(then, 'set_prev');
}

function directiveOf(rule: ItemTree): string | undefined {
  const then = thenOf(rule);
  return then && textOf(fieldOf(then, 'do'));
}

function withoutPrevious(rule: ItemTree): ItemTree {
  const then = thenOf(rule);
  const { value } = rule;
  if (value.kind !== 'map' || then === undefined) return rule;
  const bare = without(then, 'set_prev');
  const inner = fieldOf(value, 'else');
  return revalued(
    rule,
    inner?.kind === 'map'
      ? replacedValue(value, 'else', replacedValue(inner, 'then', bare))
      : replacedValue(value, 'then', bare),
  );
}

/** What the rule reads of the outcome's result is _prev in the next task; the rest of an outcome is not there any more. */
function handedOn({ value }: EntryTree): Tree | undefined {
  let lost = false;
  const changed = mapScalars(value, (scalar) => {
    const text = textOf(scalar);
    if (text === undefined || !text.includes('outcome')) return scalar;
    const { edits, problem } = rewriteTemplate(text, {
      reference: ({ name, path }) => {
        if (name !== 'outcome') return undefined;
        if (path[0] === 'result') return { text: '_prev', covers: 1, rule: 'set-prev' };
        lost = true;
        return undefined;
      },
    });
    lost ||= problem !== undefined;
    return respelled(scalar, edits);
  });
  return lost ? undefined : changed;
}
