import type { Arc, Playbook, Step } from '../model/playbook.ts';
import { type CtxWrites, ctxWrites } from './ctx-writes.ts';
import { certainGraph, isUnconditional, type StepGraph, waits } from './graph.ts';
import type { Warn } from './warn.ts';

/** Steps, arcs and writes that may be looked at: a net that branches everywhere is not worth more. */
const BUDGET = 200_000;
/** Finding a write takes this many times as long as following an arc. */
const WRITE = 8;

interface Writer {
  readonly step: Step;
  readonly replaces: boolean;
}

/** What happens after one arc, up to the joins. */
interface Branch {
  /** The steps that surely run, each with the one before it on the shortest way. */
  readonly steps: ReadonlyMap<string, string | undefined>;
  /** Those that write each key, and whether they replace it. */
  readonly writers: ReadonlyMap<string, readonly Writer[]>;
  readonly pathTo: (step: Step) => string;
}

/** Branches that surely run beside each other must not write the same key: the later one would win by chance. */
export function checkRaces(playbook: Playbook, graph: StepGraph, warn: Warn): void {
  const writes = ctxWrites(playbook);
  const certain = certainGraph(graph);
  let budget = writes.size === 0 ? 0 : BUDGET;
  const runningTwice = new Set<string>();
  for (const step of graph.steps.values()) {
    if (step.router?.mode !== 'inclusive' || graph.doubtful.has(step.name)) continue;
    const branches: Branch[] = [];
    for (const arc of step.router.arcs) {
      if (budget <= 0) return;
      if (!isUnconditional(arc) || !graph.steps.has(arc.step)) continue;
      const branch = branchAfter(arc, certain, writes);
      for (const name of branch.steps.keys()) budget -= 1 + (graph.arcsFrom.get(name)?.length ?? 0);
      for (const found of branch.writers.values()) budget -= WRITE * found.length;
      for (const other of branches) {
        budget -= 1 + other.writers.size;
        checkBranches(step, other, branch, runningTwice, warn);
      }
      branches.push(branch);
    }
  }
}

/** `runningTwice` holds the writes of a step that were warned of because several branches reach it. */
function checkBranches(step: Step, left: Branch, right: Branch, runningTwice: Set<string>, warn: Warn): void {
  const paths = (first: Step, second: Step) =>
    `${step.name} → ${left.pathTo(first)} and ${step.name} → ${right.pathTo(second)}`;
  for (const [key, writers] of left.writers) {
    const rivals = right.writers.get(key);
    if (rivals === undefined) continue;
    // What several loops add to a key comes out the same in any order.
    const { writer, rival } = rivalry(
      writers.filter(({ step: { name } }) => !right.steps.has(name)),
      rivals.filter(({ step: { name } }) => !left.steps.has(name)),
    );
    const twice = writers.find(({ step: { name }, replaces }) => replaces && right.steps.has(name))?.step;
    if (writer !== undefined && rival !== undefined) {
      warn(
        'NOETL_CTX_RACE',
        writer.place,
        writer.name.length,
        `ctx.${key} is written by '${writer.name}' and by '${rival.name}', which run beside each other: ${paths(writer, rival)}`,
        'Use different keys, or join the branches before writing.',
      );
    } else if (twice !== undefined && !runningTwice.has(`${twice.name}\0${key}`)) {
      runningTwice.add(`${twice.name}\0${key}`);
      warn(
        'NOETL_CTX_RACE',
        twice.place,
        twice.name.length,
        `ctx.${key} is written by '${twice.name}', which runs once for each branch: ${paths(twice, twice)}`,
        'Join the branches before writing, for example with spec.join: all of this step.',
      );
    }
  }
}

/** A write and one beside it, at least one of which replaces what the other wrote. */
function rivalry(
  writers: readonly Writer[],
  rivals: readonly Writer[],
): { readonly writer?: Step | undefined; readonly rival?: Step | undefined } {
  const [writer] = writers;
  const [rival] = rivals;
  const replacing = (list: readonly Writer[]) => list.find(({ replaces }) => replaces);
  if (writer === undefined || rival === undefined) return {};
  if (writer.replaces || rival.replaces) return { writer: writer.step, rival: rival.step };
  const [left, right] = [replacing(writers), replacing(rivals)];
  if (left === undefined && right === undefined) return {};
  return left === undefined ? { writer: writer.step, rival: right?.step } : { writer: left.step, rival: rival.step };
}

function branchAfter(arc: Arc, certain: StepGraph, writes: ReadonlyMap<Step, CtxWrites>): Branch {
  const steps = new Map<string, string | undefined>([[arc.step, undefined]]);
  for (const name of steps.keys()) {
    for (const { step } of certain.arcsFrom.get(name) ?? []) if (!steps.has(step)) steps.set(step, name);
  }
  const paths = new Map<Step, string>();
  const pathTo = (step: Step): string => {
    const path = paths.get(step) ?? wayTo(step, steps);
    paths.set(step, path);
    return path;
  };
  return { steps, writers: writersAmong(steps.keys(), writes, certain), pathTo };
}

function wayTo(step: Step, before: ReadonlyMap<string, string | undefined>): string {
  const path: string[] = [];
  for (let name: string | undefined = step.name; name !== undefined; name = before.get(name)) path.push(name);
  return path.reverse().join(' → ');
}

/** Steps that surely run and write. A join waits, and an admission may let in only one. */
function writersAmong(
  names: Iterable<string>,
  writes: ReadonlyMap<Step, CtxWrites>,
  graph: StepGraph,
): ReadonlyMap<string, readonly Writer[]> {
  const found = new Map<string, Writer[]>();
  for (const name of names) {
    const step = graph.steps.get(name);
    if (step === undefined || waits(step) || step.admission.length > 0 || graph.doubtful.has(name)) continue;
    for (const [key, write] of writes.get(step) ?? []) {
      const writer = { step, replaces: write === 'set' };
      const writers = found.get(key);
      if (writers === undefined) found.set(key, [writer]);
      else writers.push(writer);
    }
  }
  return found;
}
