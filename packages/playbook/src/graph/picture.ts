import type { Arc, Playbook, Router, Step } from '../model/playbook.ts';
import { describeStep } from './describe-step.ts';
import { guardLabel } from './guard-label.ts';
import { shorten } from './shorten.ts';
import { stepIds } from './step-ids.ts';
import { takesFailures } from './takes-failures.ts';

/** What is drawn of a playbook, the same in every format. Texts are short and on one line each, but not yet escaped. */
export interface Picture {
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

export interface Box {
  /** A word of ASCII letters, digits and `_` that no format reserves. */
  readonly id: string;
  readonly sort: 'entry' | 'step' | 'loop' | 'join' | 'end';
  readonly heading: string;
  readonly lines: readonly string[];
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** Whether the arc can be taken after the failure of its step. */
  readonly afterFailure: boolean;
}

const MAX_NAME = 100;

/** Draws the workflow: every step once, in the order of the file, and every arc. */
export function drawPlaybook(playbook: Playbook): Picture {
  const ids = stepIds(playbook.workflow.map((step) => step.name));
  const idOf = (name: string) => ids.of(name) ?? ids.end;
  const steps = playbook.workflow.map((step) => drawStep(step, idOf(step.name)));
  const arcs = playbook.workflow.flatMap(({ name, router }) =>
    (router?.arcs ?? []).map((arc) => drawArc(arc, router, idOf(name), idOf(arc.step))),
  );
  const ends = arcs.some((arrow) => arrow.to === ids.end);
  return {
    title: shorten(playbook.metadata.name, MAX_NAME),
    boxes: [
      { id: ids.entry, sort: 'entry', heading: 'entry', lines: [] },
      ...steps,
      ...(ends ? [{ id: ids.end, sort: 'end', heading: 'end', lines: [] } as const] : []),
    ],
    arrows: [{ from: ids.entry, to: idOf(playbook.entryStep), label: undefined, afterFailure: false }, ...arcs],
  };
}

function drawStep(step: Step, id: string): Box {
  const joins = step.join !== 'any' && step.join !== 1;
  return {
    id,
    sort: joins ? 'join' : step.loop === undefined ? 'step' : 'loop',
    heading: shorten(step.name, MAX_NAME) || id,
    lines: describeStep(step),
  };
}

function drawArc(arc: Arc, router: Router | undefined, from: string, to: string): Arrow {
  return {
    from,
    to,
    label: router === undefined ? undefined : guardLabel(arc, router),
    afterFailure: router !== undefined && takesFailures(arc, router),
  };
}
