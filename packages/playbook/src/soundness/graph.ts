import { constantOf } from '../model/condition.ts';
import type { Arc, Playbook, Step } from '../model/playbook.ts';

/** The workflow as a graph: steps by name, arcs that go to existing steps and can be taken. */
export interface StepGraph {
  readonly steps: ReadonlyMap<string, Step>;
  readonly arcsFrom: ReadonlyMap<string, readonly Arc[]>;
  /** Steps whose admission, join or routing could not be read. */
  readonly doubtful: ReadonlySet<string>;
  readonly arcsInto: ReadonlyMap<string, readonly { readonly from: string; readonly arc: Arc }[]>;
}

export function stepGraph(playbook: Playbook, doubtful: ReadonlySet<string>): StepGraph {
  const steps = new Map(playbook.workflow.map((step) => [step.name, step]));
  const arcsInto = new Map<string, { from: string; arc: Arc }[]>(playbook.workflow.map((step) => [step.name, []]));
  const arcsFrom = new Map<string, readonly Arc[]>();
  for (const step of playbook.workflow) {
    const shadowed = new Set(doubtful.has(step.name) ? [] : shadowedArcs(step));
    const arcs = (step.router?.arcs ?? []).filter((arc) => steps.has(arc.step) && !isNever(arc) && !shadowed.has(arc));
    arcsFrom.set(step.name, arcs);
    for (const arc of arcs) arcsInto.get(arc.step)?.push({ from: step.name, arc });
  }
  return { steps, arcsFrom, arcsInto, doubtful };
}

export const isNever = (arc: Arc): boolean => constantOf(arc.when) === false;

/** In exclusive mode the first match wins: after an arc that always matches, others are never taken. */
export function shadowedArcs({ router }: Step): readonly Arc[] {
  if (router === undefined || router.mode !== 'exclusive') return [];
  const first = router.arcs.findIndex(isUnconditional);
  // A guard that reads the event can still take a failure, which the arc before it does not.
  return first < 0 ? [] : router.arcs.slice(first + 1).filter((arc) => router.onFailure === 'all' || !readsEvent(arc));
}

/** The same steps with only the arcs that every token takes: no guard, no admission, no join can stop it there. */
export function certainGraph(graph: StepGraph): StepGraph {
  const arcsFrom = new Map(Array.from(graph.steps, ([name, step]) => [name, certainArcs(step, graph)] as const));
  return { ...graph, arcsFrom };
}

function certainArcs(step: Step, graph: StepGraph): readonly Arc[] {
  const arcs = graph.arcsFrom.get(step.name) ?? [];
  // A failure, a denied admission or a join that waits are ways out.
  if (graph.doubtful.has(step.name) || step.admission.length > 0 || waits(step)) return [];
  if ((step.router?.arcs ?? []).some(readsEvent)) return [];
  if (step.router?.mode === 'inclusive') return arcs.filter(isUnconditional);
  const decisive = (step.router?.arcs ?? []).findIndex(isUnconditional);
  const tried = (step.router?.arcs ?? []).slice(0, decisive + 1).filter((arc) => !isNever(arc));
  const [first] = tried;
  return first !== undefined && tried.every((arc) => arc.step === first.step)
    ? arcs.filter((arc) => arc === tried.at(-1))
    : [];
}

/** A step that waits for more than one token. */
export const waits = (step: Step): boolean => step.join !== 'any' && step.join !== 1;

/** An arc that is taken after every success. */
export const isUnconditional = (arc: Arc): boolean => constantOf(arc.when) === true;

export const readsEvent = (arc: Arc): boolean =>
  arc.when?.kind === 'template' && arc.when.template.references().some((reference) => reference.name === 'event');

/** Steps that tokens at `starts` can come to, these included; they do not go on from steps where `stops` holds. */
export function reachable(
  graph: StepGraph,
  starts: readonly string[],
  stops: (step: Step) => boolean = () => false,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...starts];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const step = graph.steps.get(name);
    if (step === undefined || stops(step)) continue;
    for (const arc of graph.arcsFrom.get(name) ?? []) open.push(arc.step);
  }
  return seen;
}

/** Groups of steps that can all come back to each other (Tarjan), single steps only if they have an arc to themselves. */
export function cycles(graph: StepGraph): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];

  // An explicit stack: a workflow of a thousand steps in a row must not overflow the call stack.
  for (const root of graph.steps.keys()) {
    if (index.has(root)) continue;
    const work: { name: string; next: number }[] = [{ name: root, next: 0 }];
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const { name } = frame;
      if (frame.next === 0) {
        index.set(name, index.size);
        low.set(name, index.get(name) ?? 0);
        stack.push(name);
        onStack.add(name);
      }
      const arc = graph.arcsFrom.get(name)?.[frame.next++];
      if (arc !== undefined) {
        if (!index.has(arc.step)) work.push({ name: arc.step, next: 0 });
        else if (onStack.has(arc.step)) low.set(name, Math.min(low.get(name) ?? 0, index.get(arc.step) ?? 0));
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent !== undefined) low.set(parent.name, Math.min(low.get(parent.name) ?? 0, low.get(name) ?? 0));
      if (low.get(name) === index.get(name)) found.push(popGroup(stack, onStack, name));
    }
  }
  return found.filter(
    (group) => group.length > 1 || graph.arcsFrom.get(group[0] ?? '')?.some((arc) => arc.step === group[0]),
  );
}

function popGroup(stack: string[], onStack: Set<string>, last: string): string[] {
  const group: string[] = [];
  for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
    onStack.delete(name);
    group.push(name);
    if (name === last) break;
  }
  return group.reverse();
}
