import type { Playbook, Step } from '../model/playbook.ts';
import { checkJoins } from './check-joins.ts';
import { checkRaces } from './check-races.ts';
import { certainGraph, cycles, isUnconditional, reachable, readsEvent, type StepGraph, stepGraph } from './graph.ts';
import type { Warn } from './warn.ts';

/** What can be seen of the whole workflow as a Petri net, before a token moves. Each warning shows the path. */
export function checkWorkflow(playbook: Playbook, warn: Warn): void {
  const graph = stepGraph(playbook);
  const reached = reachable(graph, [playbook.entryStep]);
  for (const step of playbook.workflow) {
    if (!reached.has(step.name)) {
      warn(
        'NOETL_STEP_UNREACHABLE',
        step.place,
        step.name.length,
        `no path from '${playbook.entryStep}' reaches the step '${step.name}'`,
        'Add an arc to it, or remove it.',
      );
    }
    checkShadowedArcs(step, warn);
  }
  const certain = certainGraph(graph);
  for (const group of cycles(certain)) checkCycle(group, certain, warn);
  checkJoins(graph, playbook.entryStep, cycles(graph).flat(), warn);
  checkRaces(playbook, graph, warn);
}

/** In exclusive mode the first match wins: after an arc that always matches, others never do. */
function checkShadowedArcs(step: Step, warn: Warn): void {
  const { router } = step;
  if (router === undefined || router.mode !== 'exclusive') return;
  const first = router.arcs.findIndex(isUnconditional);
  if (first < 0) return;
  const winner = router.arcs[first];
  for (const arc of router.arcs.slice(first + 1)) {
    // A guard that reads the event can still take a failure, which the arc before it does not.
    if (readsEvent(arc) && router.onFailure !== 'all') continue;
    warn(
      'NOETL_ARC_SHADOWED',
      arc.place,
      arc.step.length,
      `the arc ${step.name} → ${arc.step} is never taken: ${step.name} → ${winner?.step} before it always matches`,
      'Put the unconditional arc last, or set next.spec.mode: inclusive.',
    );
  }
}

/** A cycle on which every token goes on, whatever happens. */
function checkCycle(group: readonly string[], certain: StepGraph, warn: Warn): void {
  const path = cyclePath(group, certain);
  const first = certain.steps.get(path[0] ?? '');
  if (first === undefined) return;
  warn(
    'NOETL_CYCLE_WITHOUT_EXIT',
    first.place,
    first.name.length,
    `the cycle ${[...path, path[0]].join(' → ')} never ends: every arc on it is always taken`,
    'Guard an arc with when, and add one that leaves the cycle.',
  );
}

/** One way round inside of the group. */
function cyclePath(group: readonly string[], certain: StepGraph): readonly string[] {
  const inside = new Set(group);
  const path: string[] = [];
  let name = group[0];
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = certain.arcsFrom.get(name)?.find((arc) => inside.has(arc.step))?.step;
  }
  return name === undefined ? path : path.slice(path.indexOf(name));
}
