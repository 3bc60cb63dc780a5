import type { Playbook, Step } from '@noetl/playbook';
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from '../limits.ts';

/** A playbook as decide reads it: its steps by name, and what its joins have to know about the graph. */
export interface Plan {
  readonly playbook: Playbook;
  readonly limits: EngineLimits;
  readonly steps: ReadonlyMap<string, Step>;
  /** The place of each step in the YAML. */
  readonly order: ReadonlyMap<string, number>;
  /** ENG-6: the steps from which a token can reach the join. */
  readonly upstream: ReadonlyMap<string, ReadonlySet<string>>;
}

export function planOf(playbook: Playbook, limits: EngineLimits = DEFAULT_ENGINE_LIMITS): Plan {
  const { workflow } = playbook;
  const senders = new Map<string, string[]>();
  for (const { name, router } of workflow) {
    for (const { step } of router?.arcs ?? []) senders.set(step, [...(senders.get(step) ?? []), name]);
  }
  return {
    playbook,
    limits,
    steps: new Map(workflow.map((step) => [step.name, step])),
    order: new Map(workflow.map(({ name }, index) => [name, index])),
    upstream: new Map(
      workflow.filter(({ join }) => join !== 'any').map(({ name }) => [name, upstreamOf(name, senders)]),
    ),
  };
}

function upstreamOf(join: string, senders: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [join];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    for (const sender of senders.get(step) ?? []) {
      if (found.has(sender)) continue;
      found.add(sender);
      open.push(sender);
    }
  }
  return found;
}
