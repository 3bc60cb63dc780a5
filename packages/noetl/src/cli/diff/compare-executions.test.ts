import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventOf, type ExecutionEvent, timestampOf } from '@noetl/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataFolder, openDataFolder } from '../data-folder.ts';
import { systemClock } from '../system-clock.ts';
import { record, START } from '../views/recorded.testing.ts';
import { recordWeather } from '../views/weather.testing.ts';
import { type Comparison, compareExecutions } from './compare-executions.ts';
import { historyOf } from './history.ts';

describe('the comparison of two logs', () => {
  let path: string;
  let folder: DataFolder;
  let kept = 0;
  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'noetl-diff-'));
    folder = await openDataFolder(path, systemClock, 'run');
  });
  afterAll(async () => {
    await folder.store.close();
    rmSync(path, { recursive: true });
  });

  /** Keeps the events in this order under a new id. */
  async function keep(events: readonly ExecutionEvent[]): Promise<string> {
    const id = `x${++kept}`;
    const own = events.map((event, index) => {
      const renamed = JSON.parse(JSON.stringify(event), (_, value) =>
        typeof value === 'string' ? value.replace(/^e(?=[:-]\d|$)/, id) : value,
      );
      return { ...renamed, event_id: `${id}:${index + 1}`, seq: index + 1 };
    });
    await folder.store.log.append([{ execution: id, expected: 0, events: own, under: [], unclaimed: [] }]);
    return id;
  }

  async function compare(one: readonly ExecutionEvent[], other: readonly ExecutionEvent[]): Promise<Comparison> {
    const [a, b] = await Promise.all(
      [one, other].map(async (events) => historyOf(await keep(events), events.length, folder)),
    );
    if (a === undefined || b === undefined) throw new Error('both are kept');
    return compareExecutions(a, b, folder, 20);
  }

  const { events } = recordWeather();

  it('finds no difference in times, workers, tokens and who freed a place', async () => {
    const later = events.map((event) => {
      const timestamp = timestampOf(START + 1_000_000 + event.seq);
      return JSON.parse(JSON.stringify({ ...event, timestamp }), (key, value) =>
        key === 'worker'
          ? 'another'
          : key === 'duration_ms'
            ? 7
            : key === 'ts' || key === 'at'
              ? timestamp
              : key === 'schedules'
                ? { from: 0, count: 0 }
                : value,
      );
    });
    expect(await compare(events, later)).toMatchObject({ count: 0, differences: [] });
  });

  it('finds no difference in the order in which parallel iterations came', async () => {
    const recording = record(
      `workflow:
  - step: start
    loop: { in: [a, b, c, d], iterator: x, spec: { mode: parallel } }
    tool: { kind: noop, result: "{{ iter.x }}" }
`,
    );
    const isOf = (event: ExecutionEvent, index: number) => event.iteration_id?.endsWith(`:${index}`) === true;
    const inside = recording.events.filter(({ iteration_id }) => iteration_id !== undefined);
    const first = recording.events.findIndex(({ iteration_id }) => iteration_id !== undefined);
    const mixed = [3, 1, 2, 0].flatMap((index) => inside.filter((event) => isOf(event, index)));
    const other = [...recording.events.slice(0, first), ...mixed, ...recording.events.slice(first + inside.length)];
    expect(await compare(recording.events, other)).toMatchObject({ count: 0 });
  });

  /** Something else happened in the event; undefined where only the order or the time could be different. */
  function changed(event: ExecutionEvent): ExecutionEvent | undefined {
    const says = <N extends ExecutionEvent['name']>(of: EventOf<N>, payload: Partial<EventOf<N>['payload']>) =>
      ({ ...of, payload: { ...of.payload, ...payload } }) as ExecutionEvent;
    switch (event.name) {
      case 'playbook.execution.requested':
        return says(event, { path: 'other' });
      case 'playbook.request.evaluated':
        return says(event, { workload: { city: 'Rome' } });
      case 'step.scheduled':
        return says(event, { args: { other: 1 } });
      case 'step.skipped':
        return says(event, { reason: 'join.unmet' });
      case 'loop.started':
        return says(event, { in: ['mon'] });
      case 'task.started':
        return says(event, { input: 'other' });
      case 'task.done':
        return says(event, { directive: { do: 'break', rule: 7 } });
      case 'step.done':
      case 'loop.done':
      case 'loop.iteration.done':
        return { ...event, status: 'error' };
      case 'step.failed':
      case 'loop.iteration.failed':
        return says(event, { error: { kind: 'other', retryable: false, message: '', details: {} } });
      case 'next.evaluated':
        return says(event, { arcs: [{ step: 'other', verdict: 'matched' }] });
      case 'playbook.processed':
        return says(event, { result: 'other' });
      default:
        return undefined;
    }
  }

  it('finds every event that says something else, and where it says so', async () => {
    let found = 0;
    for (const [index, event] of events.entries()) {
      const other = changed(event);
      if (other === undefined) continue;
      const comparison = await compare(events, events.with(index, other));
      expect([event.name, comparison.count]).toEqual([event.name, 1]);
      const [first] = comparison.differences;
      // What a task was given is told with what it came to.
      const told = event.name === 'task.started' ? undefined : first?.a?.at;
      if (told !== undefined) expect([event.name, told, first?.b?.at]).toEqual([event.name, index + 1, index + 1]);
      found += 1;
    }
    expect(found).toBeGreaterThan(30);
  });

  it('finds an end that came earlier: the first event that only one of them has', async () => {
    for (const length of [3, 10, 20, events.length - 1]) {
      const there = await compare(events, events.slice(0, length));
      const back = await compare(events.slice(0, length), events);
      expect(there.differences[0]?.b).toBeUndefined();
      expect(there.differences[0]?.a?.at).toBeGreaterThan(length);
      expect(back.differences[0]?.a).toBeUndefined();
      expect([back.differences[0]?.b?.at, back.count]).toEqual([there.differences[0]?.a?.at, there.count]);
    }
  });
});
