import type { ExecutionEvent } from '@noetl/engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Append, Appended } from './event-log.ts';
import { append, type LogUnderTest } from './log-under-test.testing.ts';
import { note, stepDone, stepFailed, taskWaiting, workflowFinished } from './sample-events.testing.ts';

/**
 * Random histories of appends, claims, renewals and releases, beside a model that is as simple as the promises are. Time
 * stands still: a lease is either long or has expired at once.
 */

const LONG = 600_000;
const WORKS = ['1', '1:0', '12'] as const;

interface Model {
  readonly events: ExecutionEvent[];
  /** `epoch` is that of the newest lease; a lease that was given back is `gone`. */
  readonly leases: Map<string, { readonly epoch: number; readonly is: 'valid' | 'expired' | 'gone' }>;
}

const work = fc.constantFrom(...WORKS);
const execution = fc.constantFrom(0, 1);
/** How far a position or epoch is from the newest. */
const off = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) });
const long = fc.boolean();
const happening = fc.constantFrom('note', 'done', 'failed', 'waiting', 'finished');

const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      batch: fc.array(
        fc.record({
          execution,
          off,
          under: fc.array(fc.record({ work, off }), { maxLength: 2 }),
          unclaimed: fc.array(work, { maxLength: 1 }),
          happenings: fc.array(fc.record({ happening, work }), { maxLength: 2 }),
        }),
        { maxLength: 3 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const), execution, work, long }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renew' as const), execution, work, off, long }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), execution, work, off }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

export function eventLogModelContract(test: LogUnderTest): void {
  it('answers every history of appends and leases as its promises say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const ids = [test.fresh(), test.fresh()];
        const models = ids.map((): Model => ({ events: [], leases: new Map() }));
        for (const each of actions) await perform(test, ids, models, each);
        for (const [index, id] of ids.entries()) {
          const { events, leases } = models[index] as Model;
          expect(await test.log.read(id, 0, 1_000)).toEqual(events);
          const listed = (await test.log.leases(id)).map(({ work, epoch }) => `${work} ${epoch}`);
          const valid = [...leases].flatMap(([work, { epoch, is }]) => (is === 'valid' ? [`${work} ${epoch}`] : []));
          expect(listed.toSorted()).toEqual(valid.toSorted());
        }
      }),
      { numRuns: 150 },
    );
  });
}

async function perform(
  { log }: LogUnderTest,
  ids: readonly string[],
  models: readonly Model[],
  action: Action,
): Promise<void> {
  if (action.kind === 'append') {
    const answers: Appended[] = [];
    const batch: Append[] = [];
    for (const { execution, off, under, unclaimed, happenings } of action.batch) {
      const model = models[execution] as Model;
      const id = ids[execution] as string;
      const expected = Math.max(0, model.events.length + off);
      const events = happenings.map(({ happening, work }, nth) => eventOf(id, expected + nth + 1, happening, work));
      const leases = under.map(({ work, off }) => ({ work, epoch: (model.leases.get(work)?.epoch ?? 0) + off }));
      batch.push(append(id, expected, { events, under: leases, unclaimed }));
      answers.push(answerOf(model, batch.at(-1) as Append));
      if (answers.at(-1)?.kind === 'appended') for (const event of events) keep(model, event);
    }
    expect(await log.append(batch)).toEqual(answers);
    return;
  }
  const { leases } = models[action.execution] as Model;
  const newest = leases.get(action.work);
  const id = { execution: ids[action.execution] as string, work: action.work };
  if (action.kind === 'claim') {
    const granted = newest?.is === 'valid' ? undefined : { ...id, epoch: (newest?.epoch ?? 0) + 1, takeovers: 0 };
    if (granted !== undefined) leases.set(id.work, { epoch: granted.epoch, is: action.long ? 'valid' : 'expired' });
    expect(await log.claim([{ ...id, worker: 'w', ttl: action.long ? LONG : 0 }])).toEqual([granted]);
    return;
  }
  const epoch = (newest?.epoch ?? 0) + action.off;
  const held = newest !== undefined && newest.epoch === epoch && newest.is !== 'gone';
  if (action.kind === 'renew') {
    if (held) leases.set(id.work, { epoch, is: action.long ? 'valid' : 'expired' });
    expect(await log.renew([{ ...id, epoch, ttl: action.long ? LONG : 0 }])).toEqual([held]);
  } else {
    if (held) leases.set(id.work, { epoch, is: 'gone' });
    await log.release([{ ...id, epoch }]);
  }
}

function eventOf(id: string, seq: number, happening: string, work: string): ExecutionEvent {
  if (happening === 'done') return stepDone(id, seq, work);
  if (happening === 'failed') return stepFailed(id, seq, work);
  if (happening === 'waiting') return taskWaiting(id, seq, work);
  return happening === 'finished' ? workflowFinished(id, seq) : note(id, seq);
}

function answerOf({ events, leases }: Model, { expected, under, unclaimed }: Append): Appended {
  const fenced = under.find(({ work, epoch }) => {
    const newest = leases.get(work);
    return newest === undefined || newest.epoch !== epoch || newest.is === 'gone';
  });
  if (fenced !== undefined) return { kind: 'fenced', work: fenced.work };
  const claimed = unclaimed.some((work) => leases.get(work)?.is === 'valid');
  return { kind: claimed || expected !== events.length ? 'conflict' : 'appended' };
}

/** `1` is the step run around the iteration `1:0`. */
function keep({ events, leases }: Model, event: ExecutionEvent): void {
  events.push(event);
  const work = event.entity_id.slice(event.execution_id.length + 1);
  const newest = leases.get(work);
  if (event.name === 'workflow.finished') leases.clear();
  if (event.name === 'task.waiting' && newest !== undefined) leases.set(work, { epoch: newest.epoch, is: 'gone' });
  if (event.name === 'step.done' || event.name === 'step.failed') leases.delete(work);
  if (event.name === 'step.failed' && work === '1') leases.delete('1:0');
}
