import { put } from '../body/pipeline.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { flow as inline, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, mapItems, replacedValue } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { withSpec } from './admission.ts';
import { isInclusive, nameOf, reachable, stepsBefore, type WorkflowGraph, workflowGraph } from './workflow-graph.ts';

/**
 * ENG-6: in seeds 003 and 004 a step at which branches met ran once, however many led there. Seed 002 and routers run it for
 * every token, so that only branches of older lists are joined.
 */
export function migrateJoins(root: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const workflow = fieldOf(root, 'workflow');
  if (workflow?.kind !== 'list' || facts.dialects.has('eval-002')) return root;
  const graph = workflowGraph(workflow);
  const meeting = new Set(
    [...graph.steps.values()]
      .filter((step) => isInclusive(step) && facts.steps.get(nameOf(step))?.router === false)
      .flatMap((step) => meetingSteps(graph, nameOf(step))),
  );
  const joined = mapItems(workflow, (step, { at }) =>
    step.kind === 'map' && meeting.has(nameOf(step)) ? withJoin(step, at, journal) : step,
  );
  return joined === workflow ? root : replacedValue(root, 'workflow', joined);
}

/** The steps that branches of a fork come to from different sides. */
function meetingSteps(graph: WorkflowGraph, fork: string): readonly string[] {
  const branches = [...new Set(graph.next.get(fork) ?? [])].map((first) => ({
    first,
    steps: reachable(graph, first, fork),
  }));
  return [...graph.steps.keys()].filter((name) => {
    const sides = branches.filter(({ first, steps }) => {
      if (!steps.has(name)) return false;
      const others = branches.filter((other) => other.first !== first);
      const own = (before: string): boolean =>
        before === fork ? first === name : steps.has(before) && others.some((other) => !other.steps.has(before));
      return stepsBefore(graph, name).some(own);
    });
    return sides.length > 1;
  });
}

function withJoin(step: MapTree, at: number, journal: Journal): MapTree {
  const spec = fieldOf(step, 'spec');
  const present = spec?.kind === 'map' ? spec : inline(map());
  if (entryOf(present, 'join') !== undefined) return step;
  journal.note('join-all', at, `branches meet at the step '${nameOf(step)}', which ran once: it waits for all of them`);
  return withSpec(step, put(present, 'join', scalar('all'), at), at);
}
