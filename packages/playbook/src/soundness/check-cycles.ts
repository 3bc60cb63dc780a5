import type { Step } from '../model/playbook.ts';
import { cycles, isNever, isUnconditional, readsEvent, type StepGraph } from './graph.ts';
import { stays, trapOf, type Ways } from './traps.ts';
import type { Warn } from './warn.ts';

/** Groups of steps that tokens come to and never leave. */
export function checkCycles(graph: StepGraph, warn: Warn): void {
  const ways = new Map(Array.from(graph.steps, ([name, step]) => [name, waysOn(step, graph)] as const));
  const waysFrom = (name: string) => ways.get(name);
  const trap = trapOf(graph.steps.keys(), waysFrom);
  const arcsFrom = new Map(
    Array.from(trap, (name) => {
      const targets = new Set(waysFrom(name)?.places);
      return [
        name,
        (graph.arcsFrom.get(name) ?? []).filter(({ step }) => targets.has(step) && trap.has(step)),
      ] as const;
    }),
  );
  const inside: StepGraph = { ...graph, arcsFrom };
  for (const group of cycles(inside)) {
    const members = new Set(group);
    if (group.every((name) => stays(waysFrom(name), members))) report(group, inside, warn);
  }
}

/** Where a token surely goes on from a step. A failure, a denied admission or a join that may wait are ways out. */
function waysOn(step: Step, graph: StepGraph): Ways<string> | undefined {
  const { router } = step;
  const mayWait = typeof step.join === 'number' && step.join > 1;
  if (router === undefined || step.admission.length > 0 || mayWait || graph.doubtful.has(step.name)) return undefined;
  const arcs = graph.arcsFrom.get(step.name) ?? [];
  const unconditional = router.arcs.find(isUnconditional);
  if (unconditional === undefined) return undefined;
  if (router.mode === 'inclusive') {
    if (router.arcs.some(readsEvent)) return undefined;
    return { places: arcs.filter(isUnconditional).map((arc) => arc.step), staying: 'some' };
  }
  const tried = router.arcs.slice(0, router.arcs.indexOf(unconditional) + 1);
  const taken = router.arcs.filter((arc) => (tried.includes(arc) ? !isNever(arc) : readsEvent(arc)));
  return { places: taken.map((arc) => arc.step), staying: 'all' };
}

function report(group: readonly string[], inside: StepGraph, warn: Warn): void {
  const path = cyclePath(group, inside);
  const first = inside.steps.get(path[0] ?? '');
  if (first === undefined) return;
  const others = group.length > path.length ? ` (and stays among ${group.slice(0, 20).join(', ')})` : '';
  warn(
    'NOETL_CYCLE_WITHOUT_EXIT',
    first.place,
    first.name.length,
    `the cycle ${[...path, path[0]].join(' → ')} never ends: every way leads back into it${others}`,
    'Guard an arc with when, and add one that leaves the cycle.',
  );
}

/** One way round inside of the group. */
function cyclePath(group: readonly string[], inside: StepGraph): readonly string[] {
  const members = new Set(group);
  const path: string[] = [];
  let name = group[0];
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = inside.arcsFrom.get(name)?.find((arc) => members.has(arc.step))?.step;
  }
  return name === undefined ? path : path.slice(path.indexOf(name));
}
