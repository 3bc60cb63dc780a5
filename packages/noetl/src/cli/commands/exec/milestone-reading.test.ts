import { type ExecutionEvent, stateAt, stateView } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../ports/store.ts';
import { createVirtualClock } from '../../../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../../../results/memory.ts';
import { createMemoryStore } from '../../../stores/memory/store.ts';
import { openStore } from '../../../stores/sqlite/opened-store.testing.ts';
import type { DataFolder } from '../../data-folder.ts';
import { awaitedIn } from '../../views/awaited.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { record, type Script } from '../../views/recorded.testing.ts';
import { readMilestones } from './milestone-reading.ts';

const WORKFLOW = `workflow:
  - step: start
    tool: [{ fetch: { kind: noop } }]
    next: { spec: { mode: inclusive }, arcs: [{ step: many }, { step: side }, { step: later }] }
  - step: side
    tool: [{ a: { kind: noop, spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, attempts: 3, delay: 0 } }, { else: { then: { do: continue } } }] } } } }]
  - step: later
    tool: [{ hold: { kind: wait, for: signal, name: late } }]
  - step: many
    loop: { in: "{{ range(1700) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 7, policy: { failure: best_effort } } }
    tool: [{ try: { kind: noop, spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' and outcome.error.retryable }}", then: { do: retry, attempts: 2, delay: 0 } }, { when: "{{ outcome.status == 'error' }}", then: { do: fail } }, { else: { then: { do: continue } } }] } } } }]
    next: { arcs: [{ step: strict }] }
  - step: strict
    loop: { in: "{{ range(900) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 5 } }
    tool: [{ work: { kind: noop } }]
    next: { arcs: [{ step: mend, when: "{{ event.name == 'step.failed' and workload.mends | default(false) }}" }] }
  - step: mend
    tool: [{ mend: { kind: noop } }]
`;

/** Some iterations fail, some succeed when they are tried again; the second loop fails near its end. */
const TOOLS: Script['tools'] = {
  'side.a': ({ attempt }) => (attempt < 3 ? { error: { message: 'not yet' } } : { result: attempt }),
  'many.try': ({ path: [index = 0], attempt }) => {
    if (index % 100 === 60) return { error: { kind: 'odd', message: `no ${index}` } };
    if (index % 150 === 70 && attempt === 1) return { error: { message: 'busy', retryable: true } };
    return { result: index };
  },
  'strict.work': ({ path: [index = 0] }) => (index === 850 ? { error: { message: 'the end' } } : { result: index }),
};

const LATE = { kind: 'signal', name: 'late', payload: null, by: null } as const;
const STORIES: readonly (readonly [what: string, script: Script])[] = [
  ['fails', { tools: TOOLS, inputs: [LATE] }],
  ['goes on after a failure', { tools: TOOLS, payload: { mends: true }, inputs: [LATE] }],
  ['still waits', { tools: TOOLS, payload: { mends: true } }],
  [
    'is cancelled in its second loop',
    { tools: TOOLS, until: ({ name, seq }) => name === 'loop.iteration.done' && seq > 9_000 },
  ],
];

describe('an execution that is read by its milestones', { timeout: 120_000 }, () => {
  it.each(STORIES)('is what its whole log tells, at any event: one that %s', async (what, script) => {
    const { events } = record(WORKFLOW, script);
    const log = what.startsWith('is cancelled') ? [...events, ...cancelled(events)] : events;
    expect(log.length).toBeGreaterThan(9_000);
    const folder = await filled(createMemoryStore(createVirtualClock()), log);
    for (const seq of [6_000, 7_001, 8_500, log.length - 8, log.length - 1, log.length]) {
      const state = stateAt(log, seq);
      const reading = await readMilestones('e', state, folder);
      expect(plain(reading)).toEqual(plain(whole(log, seq)));
    }
  });

  it('is not told where milestones are missing', async () => {
    const { events } = record(WORKFLOW, { tools: TOOLS, payload: { mends: true } });
    const opened = await openStore();
    const folder = await filled(opened.store, events);
    const state = stateAt(events, events.length);
    expect(plain(await readMilestones('e', state, folder))).toEqual(plain(whole(events, events.length)));
    for (const kind of ['story', 'trouble']) {
      const milestones: Store['log']['milestones'] = async (id, asked, after) =>
        asked === kind ? [] : opened.store.log.milestones(id, asked, after);
      const lacking = { ...folder, store: { ...opened.store, log: { ...opened.store.log, milestones } } };
      expect(await readMilestones('e', state, lacking)).toBeUndefined();
    }
    await opened.close();
  });
});

/** What a cancel leaves behind, as far as views look at it. */
function cancelled(events: readonly ExecutionEvent[]): readonly ExecutionEvent[] {
  const last = events.at(-1) as ExecutionEvent;
  const event = (offset: number, name: string, payload: object) =>
    ({ ...last, name, seq: last.seq + offset, payload, iteration_id: undefined, step_run_id: undefined }) as never;
  const error = { kind: 'cancelled', message: 'cancelled', retryable: false };
  return [
    event(1, 'playbook.cancel.requested', { reason: null }),
    event(2, 'workflow.finished', { status: 'cancelled', error }),
    event(3, 'playbook.processed', { status: 'cancelled', result: null, error }),
  ].map((made) => JSON.parse(JSON.stringify(made)));
}

async function filled(store: Store, events: readonly ExecutionEvent[]): Promise<DataFolder> {
  for (let from = 0; from < events.length; from += 7) {
    const some = events.slice(from, from + 7);
    await store.log.append([{ execution: 'e', expected: from, events: some, under: [], unclaimed: [] }]);
  }
  const none = async () => undefined;
  return {
    folder: '',
    store,
    results: createMemoryResults(),
    sourceFolder: none,
    keepSourceFolder: none,
    close: store.close,
  };
}

function whole(log: readonly ExecutionEvent[], seq: number): ExecutionReading {
  const fold = createExecutionFold();
  fold.take(log.slice(0, seq));
  const reading = fold.read();
  const awaited = reading.summary.ended_at === undefined ? awaitedIn(stateView(stateAt(log, seq))) : [];
  return { ...reading, awaited };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
