import { constantOf } from '../model/condition.ts';
import type { Rule, Task } from '../model/playbook.ts';
import { trapOf, type Ways } from './traps.ts';
import type { Warn } from './warn.ts';

/** Where a pipeline is. */
type Position = number;

/** Tasks of a pipeline that lead to each other and to no end. */
export function checkJumps(tasks: readonly Task[], warn: Warn): void {
  const labels = new Map(tasks.map(({ label }, position) => [label, position]));
  const ways = tasks.map((task, position) => waysOn(task, position, labels));
  const waysFrom = (position: Position) => ways[position];
  const trap = trapOf(reached(waysFrom), waysFrom);
  for (const group of rounds(trap, waysFrom)) {
    const jump = backward(tasks, group, labels);
    if (jump === undefined) continue;
    const between = tasks.slice(jump.target, jump.position + 1).map(({ label }) => label);
    warn(
      'NOETL_JUMP_WITHOUT_EXIT',
      jump.rule.place,
      1,
      `the jumps ${[...between, between[0]].join(' → ')} never end: no rule on the way breaks, fails or jumps out`,
      'Add a rule with do: break or do: fail before the jump.',
    );
  }
}

/** The rules that an outcome can come to. */
function deciding(task: Task): readonly Rule[] {
  const rules = task.policy?.rules ?? [];
  const last = rules.findIndex(({ when }) => constantOf(when) === true);
  return rules.slice(0, last < 0 ? rules.length : last + 1).filter(({ when }) => constantOf(when) !== false);
}

/** Undefined where a rule ends the pipeline; a retry fails when its attempts are used up. */
function waysOn(task: Task, position: Position, labels: ReadonlyMap<string, Position>): Ways<Position> | undefined {
  const rules = deciding(task);
  const places = new Set<Position>();
  for (const { then } of rules) {
    const target = then.do === 'jump' ? labels.get(then.to ?? '') : position + 1;
    if (then.do === 'break' || then.do === 'fail' || then.do === 'retry' || target === undefined) return undefined;
    places.add(target);
  }
  // What no rule matches continues. Without a policy an error fails, but nobody would call that an end.
  if (!rules.some(({ when }) => constantOf(when) === true)) places.add(position + 1);
  return { places: [...places], staying: 'all' };
}

/** The positions that a pipeline can come to from its first task. */
function reached(waysFrom: (position: Position) => Ways<Position> | undefined): ReadonlySet<Position> {
  const seen = new Set<Position>([0]);
  for (const position of seen) for (const next of waysFrom(position)?.places ?? []) seen.add(next);
  return seen;
}

/** The parts of a trap that come back to where they started; tasks that only lead into them are left out. */
function rounds(
  trap: ReadonlySet<Position>,
  waysFrom: (position: Position) => Ways<Position> | undefined,
): readonly ReadonlySet<Position>[] {
  const found: ReadonlySet<Position>[] = [];
  for (const start of trap) {
    if (found.some((group) => group.has(start))) continue;
    const group = new Set<Position>();
    const open = [...(waysFrom(start)?.places ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (group.has(next)) continue;
      group.add(next);
      open.push(...(waysFrom(next)?.places ?? []));
    }
    if (group.has(start)) found.push(group);
  }
  return found;
}

/** The first rule of the group that jumps back. */
function backward(
  tasks: readonly Task[],
  group: ReadonlySet<Position>,
  labels: ReadonlyMap<string, Position>,
): { readonly rule: Rule; readonly position: Position; readonly target: Position } | undefined {
  for (const position of [...group].sort((a, b) => a - b)) {
    for (const rule of tasks[position] === undefined ? [] : deciding(tasks[position])) {
      const target = rule.then.do === 'jump' ? labels.get(rule.then.to ?? '') : undefined;
      if (target !== undefined && target <= position) return { rule, position, target };
    }
  }
  return undefined;
}
