import type { Arc, Playbook, Step } from '../model/playbook.ts';
import { checkJoins } from './check-joins.ts';
import { checkRaces } from './check-races.ts';
import { cycles, isUnconditional, reachable, readsEvent, type StepGraph, stepGraph } from './graph.ts';
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
  const groups = cycles(graph);
  for (const group of groups) checkCycle(group, graph, warn);
  checkJoins(graph, playbook.entryStep, groups.flat(), warn);
  checkRaces(graph, warn);
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

/** A cycle ends if some step on it can leave it, can stop, or can be denied. */
function checkCycle(group: readonly string[], graph: StepGraph, warn: Warn): void {
  const inside = new Set(group);
  const steps = group.flatMap((name) => graph.steps.get(name) ?? []);
  if (steps.some((step) => step.admission.length > 0 || canLeave(step, inside))) return;
  const [first] = steps;
  if (first === undefined) return;
  const path = [...group, group[0]].join(' → ');
  warn(
    'NOETL_CYCLE_WITHOUT_EXIT',
    first.place,
    first.name.length,
    `the cycle ${path} never ends: no arc on it has a condition`,
    'Guard an arc with when, and add one that leaves the cycle.',
  );
}

function canLeave(step: Step, inside: ReadonlySet<string>): boolean {
  const { router } = step;
  if (router === undefined) return true;
  const goesOn = (arc: Arc) => isUnconditional(arc) && inside.has(arc.step);
  if (router.mode === 'inclusive') return !router.arcs.some(goesOn);
  const decisive = router.arcs.findIndex(isUnconditional);
  if (decisive < 0) return true;
  return router.arcs.slice(0, decisive + 1).some((arc) => !inside.has(arc.step));
}
