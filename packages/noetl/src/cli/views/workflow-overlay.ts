import type { ArcCounts, GraphState, StepCounts } from '@noetl/engine';
import type { ArcMark, Overlay, StepMark } from '@noetl/playbook';
import { grouped, things } from './quantity.ts';

/** What happened at each step and arc, to be drawn over the workflow. What nothing has reached is dimmed. */
export const workflowOverlay = ({ steps, arcs }: GraphState): Overlay => ({
  step: (name) => stepMark(own(steps, name)),
  arc: (step, index) => arcMark(own(arcs, step)?.[index]),
});

/** A step may have the name of something that every object has. */
const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

function stepMark(counts: StepCounts | undefined): StepMark {
  if (counts === undefined) return { look: 'untouched', lines: [] };
  const { runs, skipped, iterations } = counts;
  const loop = [
    ...(iterations.ok === 0 ? [] : [`${grouped(iterations.ok)} ok`]),
    ...(iterations.failed === 0 ? [] : [`${grouped(iterations.failed)} failed`]),
  ];
  return {
    look: stepLook(counts),
    lines: [
      ...(runs === 0 ? [] : [counted(things(runs, 'run'), runCounts(counts))]),
      ...(iterations.started === 0 ? [] : [counted(things(iterations.started, 'iteration'), loop)]),
      ...(skipped === 0 ? [] : [`${grouped(skipped)} skipped`]),
    ],
  };
}

const runCounts = ({ active, done, failed, dropped }: StepCounts): readonly string[] =>
  Object.entries({ active, done, failed, dropped }).flatMap(([word, count]) =>
    count === 0 ? [] : [`${grouped(count)} ${word}`],
  );

const counted = (what: string, parts: readonly string[]): string =>
  parts.length === 0 ? what : `${what}: ${parts.join(', ')}`;

/** A failure is what people look for, then what is still under way. */
function stepLook({ failed, active, done }: StepCounts): StepMark['look'] {
  if (failed > 0) return 'failed';
  if (active > 0) return 'active';
  return done > 0 ? 'done' : 'skipped';
}

function arcMark(counts: ArcCounts | undefined): ArcMark {
  if (counts === undefined) return { look: 'untouched', note: undefined };
  const { taken, errors } = counts;
  if (errors > 0) return { look: 'failed', note: `${grouped(errors)}× not evaluable` };
  return taken > 0 ? { look: 'taken', note: `${grouped(taken)}×` } : { look: 'untouched', note: undefined };
}
