import { type ExecutionEvent, type Milestone, milestoneOf } from '@noetl/engine';
import { FIRST_EVENTS } from '../../ports/event-log.ts';
import type { Inspection } from '../../ports/inspection.ts';
import type { Difference } from './difference.ts';

/** Compares the index of milestones with the events that it must not lack; others in it harm nobody. */
export interface MilestoneCheck {
  note(event: ExecutionEvent): void;
  /** Asks about the events noted since the last time: the first that the index does not list. */
  ask(): Promise<Difference | undefined>;
}

export function createMilestoneCheck(execution: string, inspection: Inspection): MilestoneCheck {
  let noted: Record<Milestone, number[]> = { story: [], trouble: [] };

  return {
    note(event) {
      if (event.seq <= FIRST_EVENTS) return;
      const kind = milestoneOf(event);
      if (kind !== undefined) noted[kind].push(event.seq);
    },
    async ask() {
      const asked = noted;
      noted = { story: [], trouble: [] };
      const [story, trouble] = await Promise.all(
        (['story', 'trouble'] as const).map((kind) =>
          asked[kind].length === 0 ? undefined : inspection.unlisted(execution, kind, asked[kind]),
        ),
      );
      const seq = Math.min(story ?? Number.MAX_SAFE_INTEGER, trouble ?? Number.MAX_SAFE_INTEGER);
      return seq === Number.MAX_SAFE_INTEGER ? undefined : differenceOf(seq, seq === story ? 'story' : 'trouble');
    },
  };
}

const differenceOf = (seq: number, kind: Milestone): Difference => ({
  what: 'index',
  seq,
  place: `milestones (${kind})`,
  expected: `event ${seq}`,
  found: 'nothing',
  message: `the index of milestones does not lead to event ${seq}`,
});
