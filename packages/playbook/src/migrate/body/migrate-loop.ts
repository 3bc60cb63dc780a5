import { DEFAULT_IN_FLIGHT } from '../../model/vocabulary.ts';
import type { Journal } from '../journal.ts';
import { expressionOf, templateOf } from '../names/condition.ts';
import { entry, flow, map, scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  rekeyed,
  renamedEntry,
  replacedValue,
  revalued,
  textOf,
  withEntry,
  without,
} from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';

/** Modes of older loops by what they are now. */
const MODES: Readonly<Record<string, string>> = { async: 'parallel', concurrent: 'parallel', serial: 'sequential' };

const RENAMED: readonly (readonly [string, string])[] = [
  ['collection', 'in'],
  ['items', 'in'],
  ['element', 'iterator'],
  ['item', 'iterator'],
  ['as', 'iterator'],
];

/** The loop of a step: its keys, its mode under spec, and a limit as a capped collection. */
export function migrateLoop(step: MapTree, journal: Journal): MapTree {
  const loop = fieldOf(step, 'loop');
  if (loop?.kind !== 'map') return step;
  const rules = [renamedKeys, limited, modeInSpec, counted, withoutCursor];
  const changed = rules.reduce<MapTree>((tree, rule) => rule(tree, journal), loop);
  return changed === loop ? step : replacedValue(step, 'loop', changed);
}

const renamedKeys = (loop: MapTree, journal: Journal): MapTree =>
  RENAMED.reduce((tree, [from, to]) => {
    const old = entryOf(tree, from);
    if (old === undefined || entryOf(tree, to) !== undefined) return tree;
    journal.note('loop-key', old.at, `'${from}' becomes '${to}'`);
    return renamedEntry(tree, from, to);
  }, loop);

function limited(loop: MapTree, journal: Journal): MapTree {
  const limit = entryOf(loop, 'limit');
  const source = entryOf(loop, 'in');
  if (limit === undefined || source === undefined) return loop;
  const most = limit.value.kind === 'scalar' ? limit.value.value : undefined;
  const count = typeof most === 'number' ? String(most) : typeof most === 'string' ? expressionOf(most) : undefined;
  const items = textOf(source.value);
  const expression = items === undefined ? undefined : expressionOf(items);
  if (count === undefined || expression === undefined) {
    journal.problem(
      limit.at,
      "'limit' of the loop cannot be put into 'in'",
      'Cap the list itself: in: "{{ items[:10] }}".',
    );
    return loop;
  }
  journal.note('loop-limit', limit.at, "'limit' caps the collection");
  return replacedValue(without(loop, 'limit'), 'in', scalar(templateOf(`(${expression})[:${count}]`)));
}

function modeInSpec(loop: MapTree, journal: Journal): MapTree {
  const top = entryOf(loop, 'mode');
  const spec = fieldOf(loop, 'spec');
  const inner = spec?.kind === 'map' ? entryOf(spec, 'mode') : undefined;
  const old = top ?? inner;
  if (old === undefined) return loop;
  const word = textOf(old.value) ?? '';
  const mode = Object.hasOwn(MODES, word) ? scalar(MODES[word] ?? word) : old.value;
  if (top === undefined) {
    if (mode === old.value || spec?.kind !== 'map') return loop;
    journal.note('loop-mode', old.at, `mode ${word} becomes ${textOf(mode)}`);
    return replacedValue(loop, 'spec', replacedValue(spec, 'mode', mode));
  }
  if (inner !== undefined) {
    journal.problem(top.at, "the loop has 'mode' and spec.mode", 'Keep spec.mode alone.');
    return loop;
  }
  journal.note(
    'loop-mode',
    top.at,
    mode === old.value ? "'mode' stands under spec" : `mode ${word} becomes spec.mode ${textOf(mode)}`,
  );
  const part = revalued(rekeyed(top, 'mode'), mode);
  const bare = without(loop, 'mode');
  if (spec?.kind === 'map') return replacedValue(bare, 'spec', withEntry(spec, part));
  return withEntry(
    bare,
    entry(
      'spec',
      top.comment === '' && top.above.lines.length === 0 ? flow(map(entry('mode', mode, top.at))) : map(part),
      top.at,
    ),
  );
}

/** How many run at a time is a number: a template is left out for the usual number. */
function counted(loop: MapTree, journal: Journal): MapTree {
  const spec = fieldOf(loop, 'spec');
  const count = spec?.kind === 'map' ? entryOf(spec, 'max_in_flight') : undefined;
  if (spec?.kind !== 'map' || count === undefined || textOf(count.value) === undefined) return loop;
  journal.note(
    'loop-key',
    count.at,
    `'max_in_flight' is left out: it is a number, not a template; without it ${DEFAULT_IN_FLIGHT} run at a time`,
    { review: true },
  );
  return replacedValue(loop, 'spec', without(spec, 'max_in_flight'));
}

/** A loop over what a database hands out a piece at a time has no list. */
function withoutCursor(loop: MapTree, journal: Journal): MapTree {
  const cursor = entryOf(loop, 'cursor');
  if (cursor === undefined) return loop;
  journal.problem(
    cursor.at,
    "the loop goes over a 'cursor', not over a list",
    'Read the rows with a task of a step before, and loop over them; or fetch and jump back in one pipeline.',
  );
  return loop;
}
