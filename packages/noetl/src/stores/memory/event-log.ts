import { type ExecutionEvent, milestoneOf } from '@noetl/engine';
import type { Clock } from '../../ports/clock.ts';
import { assertContinuous } from '../../ports/continuity.ts';
import { type Append, type Appended, type EventLog, FIRST_EVENTS } from '../../ports/event-log.ts';
import { iterationEndOf } from '../../ports/iteration-end.ts';
import { leaseEndOf } from '../../ports/lease-end.ts';
import { createMemoryLeases, type MemoryLeases } from './leases.ts';

/** What the log shares with the rest of its store. */
interface Shared {
  readonly leases: MemoryLeases;
  /** Events by execution, as JSON texts. */
  readonly histories: Map<string, string[]>;
  /** Of each loop the positions at which its iterations ended, by index. */
  readonly loops: Map<string, number[]>;
  note(event: ExecutionEvent, text: string): void;
  /** Whether a process is a driver that nobody has buried. */
  isKnown(driver: string): boolean;
  take(execution: string, driver: string): void;
}

/** A log that lives as long as the process. It keeps events as JSON texts, so that nobody can change history. */
export function createMemoryEventLog(
  clock: Clock,
  {
    leases: table = createMemoryLeases(clock),
    histories = new Map(),
    loops = new Map(),
    note = () => undefined,
    isKnown = () => true,
    take = () => undefined,
  }: Partial<Shared> = {},
): EventLog {
  const { isHeld, isClaimed, end, giveBackOf: _, ...leases } = table;

  /** The newest append of each execution. */
  const newest = new Map<string, number | undefined>();

  function refusal({ execution, expected, under, unclaimed, after, driver }: Append): Appended | undefined {
    if (driver !== undefined && !isKnown(driver)) return { kind: 'lost' };
    const lost = under.find(({ work, epoch }) => !isHeld({ execution, work, epoch }));
    if (lost !== undefined) return { kind: 'fenced', work: lost.work };
    const moved = expected !== (histories.get(execution)?.length ?? 0);
    const replaced = after !== undefined && after !== newest.get(execution);
    return moved || replaced || unclaimed.some((work) => isClaimed(execution, work)) ? { kind: 'conflict' } : undefined;
  }

  function keep(execution: string, event: ExecutionEvent, text: string): void {
    listIn(histories, execution).push(text);
    note(event, text);
    const iteration = iterationEndOf(event);
    if (iteration !== undefined) listIn(loops, iteration.loop)[iteration.index] = event.seq;
    const ended = leaseEndOf(event);
    if (ended !== undefined) end(execution, ended);
  }

  const eventAt = (execution: string, position: number): readonly ExecutionEvent[] => {
    const text = histories.get(execution)?.[position - 1];
    return text === undefined ? [] : [JSON.parse(text)];
  };

  return {
    ...leases,
    append: async (batch) => {
      for (const append of batch) assertContinuous(append);
      const texts = batch.map(({ events }) => events.map((event) => JSON.stringify(event)));
      return batch.map((append, nth) => {
        const refused = refusal(append);
        if (refused !== undefined) return refused;
        if (append.events.length === 0) return { kind: 'appended' };
        newest.set(append.execution, append.id);
        if (append.takes && append.driver !== undefined) take(append.execution, append.driver);
        append.events.forEach((event, index) => {
          keep(append.execution, event, texts[nth]?.[index] ?? '');
        });
        return { kind: 'appended' };
      });
    },
    read: async (execution, after, limit) =>
      (histories.get(execution) ?? []).slice(after, after + limit).map((text) => JSON.parse(text)),
    position: async (execution) => histories.get(execution)?.length ?? 0,
    iterations: async ({ execution_id, loop, until }, from, limit) => {
      const positions = loops.get(loop) ?? [];
      const found: ExecutionEvent[] = [];
      for (let index = from; index < positions.length && found.length < limit; index++) {
        const position = positions[index];
        if (position !== undefined && position <= (until ?? position)) found.push(...eventAt(execution_id, position));
      }
      return found;
    },
    milestones: async (execution, kind, after) =>
      (histories.get(execution) ?? [])
        .slice(Math.max(after, FIRST_EVENTS))
        .map((text): ExecutionEvent => JSON.parse(text))
        .filter((event) => milestoneOf(event) === kind),
  };
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
