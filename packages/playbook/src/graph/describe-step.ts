import type { Loop, Step, Task } from '../model/playbook.ts';
import { sourceOf } from '../model/templated.ts';
import { expressionText } from './guard-label.ts';
import { shorten } from './shorten.ts';

const MAX_TASKS = 12;
const MAX_LABEL = 60;
const MAX_LIST = 40;

/** What a step does, a line each: when it runs, what it repeats, its pipeline, how it routes. */
export function describeStep(step: Step): readonly string[] {
  const hidden = step.tasks.length - MAX_TASKS;
  return [
    ...(step.join === 'any' ? [] : [`join ${step.join}`]),
    ...(step.admission.length === 0 ? [] : [`admission with ${count(step.admission.length, 'rule')}`]),
    ...describeLoops(step.loop),
    ...step.tasks.slice(0, MAX_TASKS).map(describeTask),
    ...(hidden > 0 ? [`… ${count(hidden, 'more task')}`] : []),
    ...(step.router?.mode === 'inclusive' && step.router.arcs.length > 1 ? ['takes every arc that matches'] : []),
  ];
}

function describeLoops(outermost: Loop | undefined): string[] {
  const lines: string[] = [];
  for (let loop = outermost; loop !== undefined; loop = loop.inner) {
    const pace = loop.mode === 'parallel' ? `parallel, max_in_flight ${loop.maxInFlight}` : 'sequential';
    lines.push(`for each ${shorten(loop.iterator, MAX_LABEL)} in ${describeList(loop)} (${pace})`);
  }
  return lines;
}

function describeList({ in: list }: Loop): string {
  if (list.kind === 'template') return expressionText(list.template.source, MAX_LIST);
  return shorten(JSON.stringify(sourceOf(list)), MAX_LIST);
}

/** `fetch (http)`, and where its policy can jump to. */
function describeTask({ label, kind, policy }: Task): string {
  const jumps = new Set((policy?.rules ?? []).flatMap(({ then }) => then.to ?? []));
  const targets = [...jumps].map((to) => shorten(to, MAX_LABEL));
  const jump = targets.length === 0 ? '' : `, may jump to ${targets.join(' or ')}`;
  return `${shorten(label, MAX_LABEL)} (${kind})${jump}`;
}

const count = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`;
