import { type ExecutionEvent, type ExecutionState, encodeState, fold, SNAPSHOT_FORMAT } from '@noetl/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { append } from '../ports/log-under-test.testing.ts';
import { iterationDone, note, requested } from '../ports/sample-events.testing.ts';
import type { Snapshot, Snapshots } from '../ports/snapshots.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import type { StampedSnapshot } from '../stores/memory/snapshots.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import { storedState } from './stored-state.ts';

/** What needs no time has happened. */
const turn = (): Promise<void> => new Promise((wake) => setImmediate(wake));

const written = (state: ExecutionState): string => JSON.stringify(encodeState(state));

describe('the state of an execution, from a snapshot or from its log', () => {
  const LENGTH = 300;
  const events: readonly ExecutionEvent[] = Array.from({ length: LENGTH }, (_, index) =>
    index === 0
      ? requested('e', 1, 'p')
      : index % 7 === 0
        ? iterationDone('e', index + 1, `1:${index}`)
        : note('e', index + 1),
  );
  let kept: Map<string, readonly StampedSnapshot[]>;
  let store: ReturnType<typeof createMemoryStore>;
  const state = (until?: number) =>
    storedState('e', { log: store.log, results: createMemoryResults(), snapshots: store.snapshots }, until);

  beforeEach(async () => {
    kept = new Map();
    store = createMemoryStore(createVirtualClock(), new Map(), kept);
    const keeper = createSnapshotKeeper(store.snapshots, { first: 50, between: 50 });
    for (let seq = 1; seq <= LENGTH; seq++) {
      await store.log.append([append('e', seq - 1, { events: events.slice(seq - 1, seq) })]);
      keeper.committed('e', fold(events.slice(0, seq)));
    }
  });

  const expectSame = async () => {
    for (const until of [undefined, 0, 1, 199, 200, 201, 250, 299, 300, 301]) {
      expect(written(await state(until))).toBe(written(fold(events.slice(0, until ?? LENGTH))));
    }
  };

  it('is the same at every position, byte for byte (EVT-3)', async () => {
    expect((await store.snapshots.list('e')).map(({ position }) => position)).toEqual([50, 150, 200, 250, 300]);
    await expectSame();
  });

  it('is the same when snapshots were deleted', async () => {
    kept.clear();
    await expectSame();
  });

  it.each<readonly [what: string, change: Partial<StampedSnapshot>]>([
    ['damaged', { state: '{"seq":300}' }],
    ['cut off', { state: '{' }],
    ['of another form', { format: SNAPSHOT_FORMAT + 1 }],
    ['of another log', { hash: '0'.repeat(64) }],
  ])('is the same when snapshots are %s', async (_, change) => {
    kept.set(
      'e',
      (kept.get('e') ?? []).map((snapshot) => ({ ...snapshot, ...change })),
    );
    await expectSame();
  });

  it('is read from the snapshot where it can be', async () => {
    const read: number[] = [];
    const { log, snapshots } = store;
    const watched = {
      ...log,
      read: (execution: string, after: number, limit: number) => {
        read.push(after);
        return log.read(execution, after, limit);
      },
    };
    await storedState('e', { log: watched, results: createMemoryResults(), snapshots });
    await storedState('e', { log: watched, results: createMemoryResults(), snapshots }, 280);
    await storedState('e', { log: watched, results: createMemoryResults(), snapshots }, 249);
    expect(read).toEqual([300, 250, 200]);
  });
});

describe('snapshots', () => {
  const keeping = (failure?: Error) => {
    const positions: number[] = [];
    const { snapshots } = createMemoryStore(createVirtualClock());
    const watched: Snapshots = {
      ...snapshots,
      put: async ({ position }) => {
        positions.push(position);
        if (failure !== undefined) throw failure;
      },
    };
    return { positions, keeper: createSnapshotKeeper(watched, { first: 10, between: 10 }) };
  };
  const at = (seq: number, phase: ExecutionState['phase'] = 'running'): ExecutionState => ({ ...fold([]), seq, phase });

  it('are made now and then, not at every commit and not at the end', async () => {
    const { positions, keeper } = keeping();
    for (const seq of [1, 9, 12, 14, 19, 20, 33, 39]) {
      keeper.committed('e', at(seq));
      await turn();
    }
    keeper.committed('e', at(51, 'processed'));
    expect(positions).toEqual([12, 20, 33]);
  });

  it('are not made of an execution that is short', async () => {
    const positions: number[] = [];
    const put = async ({ position }: Snapshot) => void positions.push(position);
    const { snapshots } = createMemoryStore(createVirtualClock());
    const keeper = createSnapshotKeeper({ ...snapshots, put }, { first: 40, between: 10 });
    for (let seq = 1; seq <= 65; seq++) {
      keeper.committed('e', at(seq));
      await turn();
    }
    expect(positions).toEqual([40, 50, 60]);
  });

  it('are made the less often the larger they are', async () => {
    const { positions, keeper } = keeping();
    const large = { ...at(0), workload: 'x'.repeat(150_000) };
    for (let seq = 1; seq <= 100; seq++) {
      keeper.committed('e', { ...large, seq });
      await turn();
    }
    expect(positions).toEqual([10, 40, 70, 100]);
  });

  it('are written one at a time, and one that fails stops nothing', async () => {
    const { positions, keeper } = keeping(new Error('the disk is full'));
    for (const seq of [1, 10, 20, 21]) keeper.committed('e', at(seq));
    expect(positions).toEqual([10]);
    await turn();
    keeper.committed('e', at(22));
    expect(positions).toEqual([10, 22]);
  });
});
