import type { Arc, Playbook, Step } from '../model/playbook.ts';
import { keysOf } from '../names/provided-names.ts';
import { cycles, isUnconditional, reachable, readsEvent, type StepGraph, stepGraph } from './graph.ts';
import type { Warn } from './warn.ts';

/** What can be seen of the whole workflow as a Petri net, before a token moves. Each warning shows the path. */
export function checkWorkflow(playbook: Playbook, warn: Warn): void {
  const graph = stepGraph(playbook);
  const reached = reachable(graph, playbook.entryStep);
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
    checkJoin(step, graph, playbook.entryStep, warn);
    checkRaces(step, graph, warn);
  }
  for (const group of cycles(graph)) checkCycle(group, graph, warn);
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

/** A join that can never have what it waits for, or that has nothing to wait for. */
function checkJoin(step: Step, graph: StepGraph, entry: string, warn: Warn): void {
  if (step.join === 'any' || step.join === 1) return;
  const sources = graph.arcsInto.get(step.name) ?? [];
  const onCycle = sources.some(({ from }) => reachable(graph, step.name).has(from));
  const tokens = sources.length + (step.name === entry ? 1 : 0);
  const from = sources.map((source) => source.from).join(', ') || 'nothing';
  if (step.join === 'all' && tokens < 2 && !onCycle) {
    warn(
      'NOETL_JOIN_STARVED',
      step.place,
      step.name.length,
      `the join of '${step.name}' has nothing to wait for: it is reached only from ${from}`,
      'Remove spec.join, or add the arcs it should wait for.',
    );
  } else if (
    typeof step.join === 'number' &&
    tokens < step.join &&
    !onCycle &&
    !sources.some(({ from: name }) => canRepeat(name, graph))
  ) {
    warn(
      'NOETL_JOIN_STARVED',
      step.place,
      step.name.length,
      `the join of '${step.name}' waits for ${step.join} tokens, but only ${tokens} can come (from ${from})`,
      `Set spec.join to ${tokens}, or to all.`,
    );
  }
}

/** Whether a step can run more than once: it, or a step before it, is on a cycle or reached by several arcs. */
function canRepeat(name: string, graph: StepGraph): boolean {
  for (const [other] of graph.steps) {
    if (other !== name && !reachable(graph, other).has(name)) continue;
    const into = graph.arcsInto.get(other) ?? [];
    if (into.length > 1 || into.some(({ from }) => reachable(graph, other).has(from))) return true;
  }
  return false;
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

const joins = (step: Step): boolean => step.join !== 'any' && step.join !== 1;

/** Branches that surely run beside each other must not write the same key: the later one would win by chance. */
function checkRaces(step: Step, graph: StepGraph, warn: Warn): void {
  if (step.router?.mode !== 'inclusive') return;
  const branches = step.router.arcs.filter((arc) => isUnconditional(arc) && graph.steps.has(arc.step));
  branches.forEach((left, i) => {
    for (const right of branches.slice(i + 1)) {
      if (left.step !== right.step) checkBranches(step, left, right, graph, warn);
    }
  });
}

function checkBranches(step: Step, left: Arc, right: Arc, graph: StepGraph, warn: Warn): void {
  const [a, b] = [left, right].map((arc) => reachable(graph, arc.step, joins));
  const writersOf = (own: ReadonlySet<string>, other: ReadonlySet<string>) => {
    const writers = new Map<string, Step>();
    for (const name of own) {
      const writer = graph.steps.get(name);
      if (writer === undefined || other.has(name) || joins(writer)) continue;
      for (const key of ctxKeys(writer)) writers.set(key, writer);
    }
    return writers;
  };
  if (a === undefined || b === undefined) return;
  const writersB = writersOf(b, a);
  for (const [key, writer] of writersOf(a, b)) {
    const rival = writersB.get(key);
    if (rival === undefined) continue;
    warn(
      'NOETL_CTX_RACE',
      writer.place,
      writer.name.length,
      `ctx.${key} is written by '${writer.name}' and by '${rival.name}', which run beside each other after ${step.name} → ${left.step} and ${step.name} → ${right.step}`,
      'Use different keys, or join the branches before writing.',
    );
  }
}

const ctxKeys = (step: Step): readonly string[] =>
  step.tasks.flatMap((task) =>
    (task.policy?.rules ?? []).flatMap(({ then }) =>
      then.setCtx === undefined ? [] : [...(keysOf(then.setCtx) ?? [])],
    ),
  );
