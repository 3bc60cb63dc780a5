import type { Journal } from './journal.ts';
import { scalar } from './tree/build.ts';
import { entryOf, fieldOf, replacedValue, revalued, textOf, withItems } from './tree/edit.ts';
import type { MapTree, Tree } from './tree/tree.ts';

/** Of steps with the same name, the last one ran: those before it get a name that nothing leads to. */
export function renameShadowedSteps(root: MapTree, journal: Journal): MapTree {
  const workflow = fieldOf(root, 'workflow');
  if (workflow?.kind !== 'list') return root;
  const names = workflow.items.map(({ value }) => nameOf(value));
  const taken = new Set(names);
  const items = workflow.items.map((part, i) => {
    const name = names[i];
    if (part.value.kind !== 'map' || name === undefined || names.lastIndexOf(name) === i) return part;
    const free = freeName(name, taken);
    taken.add(free);
    journal.note(
      'step-twice',
      entryOf(part.value, 'step')?.at ?? part.at,
      `two steps are named '${name}', of which the last ran: this one is now '${free}', and nothing leads to it`,
      { review: true },
    );
    return revalued(part, replacedValue(part.value, 'step', scalar(free)));
  });
  const same = items.every((part, i) => part === workflow.items[i]);
  return same ? root : replacedValue(root, 'workflow', withItems(workflow, items));
}

const nameOf = (step: Tree): string | undefined => (step.kind === 'map' ? textOf(fieldOf(step, 'step')) : undefined);

function freeName(name: string, taken: ReadonlySet<string | undefined>): string {
  for (let n = 1; ; n += 1) if (!taken.has(`${name}_before_${n}`)) return `${name}_before_${n}`;
}
