import type { Arc, Playbook, Router, Step } from '../model/playbook.ts';
import { describeStep } from './describe-step.ts';
import { guardLabel } from './guard-label.ts';
import type { ArcMark, Overlay, StepMark } from './overlay.ts';
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
  /** What became of it; undefined where only the workflow is drawn. */
  readonly look: StepMark['look'] | undefined;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** Whether the arc can be taken after the failure of its step. */
  readonly afterFailure: boolean;
  readonly look: ArcMark['look'] | undefined;
}

const MAX_NAME = 100;
const MAX_NOTE = 100;

/** Draws the workflow: every step once, in the order of the file, and every arc; over it what became of them. */
export function drawPlaybook(playbook: Playbook, overlay: Overlay = PLAIN): Picture {
  const ids = stepIds(playbook.workflow.map((step) => step.name));
  const idOf = (name: string) => ids.of(name) ?? ids.end;
  const steps = playbook.workflow.map((step) => drawStep(step, idOf(step.name), overlay.step(step.name)));
  const arcs = playbook.workflow.flatMap(({ name, router }) =>
    (router?.arcs ?? []).map((arc, at) => drawArc(arc, router, idOf(name), idOf(arc.step), overlay.arc(name, at))),
  );
  const ends = arcs.some((arrow) => arrow.to === ids.end);
  return {
    title: shorten(playbook.metadata.name, MAX_NAME),
    boxes: [
      { id: ids.entry, sort: 'entry', heading: 'entry', lines: [], look: undefined },
      ...steps,
      ...(ends ? [{ id: ids.end, sort: 'end', heading: 'end', lines: [], look: undefined } as const] : []),
    ],
    arrows: [
      { from: ids.entry, to: idOf(playbook.entryStep), label: undefined, afterFailure: false, look: undefined },
      ...arcs,
    ],
  };
}

const PLAIN: Overlay = { step: () => undefined, arc: () => undefined };

function drawStep(step: Step, id: string, mark: StepMark | undefined): Box {
  const joins = step.join !== 'any' && step.join !== 1;
  return {
    id,
    sort: joins ? 'join' : step.loop === undefined ? 'step' : 'loop',
    heading: shorten(step.name, MAX_NAME) || id,
    lines: [...describeStep(step), ...(mark?.lines ?? []).map((line) => shorten(line, MAX_NOTE))],
    look: mark?.look,
  };
}

function drawArc(arc: Arc, router: Router | undefined, from: string, to: string, mark: ArcMark | undefined): Arrow {
  const guard = router === undefined ? undefined : guardLabel(arc, router);
  const said = [guard, mark?.note].filter((text) => text !== undefined);
  return {
    from,
    to,
    label: said.length === 0 ? undefined : said.join(', '),
    afterFailure: router !== undefined && takesFailures(arc, router),
    look: mark?.look,
  };
}
