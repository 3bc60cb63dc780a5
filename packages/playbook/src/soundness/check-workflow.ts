import type { Playbook, Step } from '../model/playbook.ts';
import type { Doubts } from '../reading/doubts.ts';
import { checkCycles } from './check-cycles.ts';
import { checkJoins } from './check-joins.ts';
import { checkRaces } from './check-races.ts';
import { cycles, isUnconditional, reachable, shadowedArcs, stepGraph } from './graph.ts';
import type { Warn } from './warn.ts';

/** What can be seen of the whole workflow as a Petri net, before a token moves. Each warning shows the path. */
export function checkWorkflow(playbook: Playbook, doubts: Doubts, warn: Warn): void {
  const graph = stepGraph(playbook, doubts.steps);
  const reached = reachable(graph, [playbook.entryStep]);
  // From a step that could not be read a token may go anywhere.
  const certain = graph.steps.has(playbook.entryStep) && ![...doubts.steps].some((name) => reached.has(name));
  for (const step of playbook.workflow) {
    if (certain && !reached.has(step.name)) {
      warn(
        'NOETL_STEP_UNREACHABLE',
        step.place,
        step.name.length,
        `no path from '${playbook.entryStep}' reaches the step '${step.name}'`,
        'Add an arc to it, or remove it.',
      );
    }
    if (!doubts.steps.has(step.name)) checkShadowedArcs(step, warn);
  }
  checkCycles(graph, warn);
  if (certain) checkJoins(graph, playbook.entryStep, cycles(graph).flat(), warn);
  checkRaces(playbook, graph, warn);
}

/** In exclusive mode the first match wins: after an arc that always matches, others never do. */
function checkShadowedArcs(step: Step, warn: Warn): void {
  const winner = step.router?.arcs.find(isUnconditional);
  for (const arc of shadowedArcs(step)) {
    warn(
      'NOETL_ARC_SHADOWED',
      arc.place,
      arc.step.length,
      `the arc ${step.name} → ${arc.step} is never taken: ${step.name} → ${winner?.step} before it always matches`,
      'Put the unconditional arc last, or set next.spec.mode: inclusive.',
    );
  }
}
