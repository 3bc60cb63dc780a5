import type { Clock } from '../ports/clock.ts';
import { StoreError } from '../ports/store-error.ts';
import { chanceOf } from './dice.testing.ts';
import type { FaultKind, Faults, Operation } from './faults.testing.ts';
import type { Schedule } from './schedule.testing.ts';

/**
 * A process, as the world sees it: everything that happens inside follows from an answer, a timer or a tool. When it
 * crashes, none of them reaches it any more, and nothing but the store remembers it.
 */
export interface SimulatedProcess {
  /** How many processes were started before it, plus one. */
  readonly start: number;
  readonly clock: Clock;
  /** Dead, or as good as dead: nothing reaches it. */
  readonly state: 'alive' | 'stalled' | 'dead';
  /** Asks the world for something that takes time and can go wrong. */
  call<T>(request: Request<T>): Promise<T>;
  /** Waits that long, or until somebody wakes it: for who would only look whether there is something. */
  doze(milliseconds: number): Promise<void>;
  wake(): void;
  /** Lets something reach the process from outside: when it moves again if it stands still, never if it is dead. */
  receive(message: () => void): void;
  crash(how: CrashMoment): void;
  stall(): void;
}

/** Something that a process asks of the world. */
interface Request<T> {
  readonly operation: Operation;
  /** For who reads the story. */
  readonly what: string;
  apply(): Promise<T>;
  /** What it is told where the request or its answer is lost; that of a disk unless given. */
  lost?(): Error;
  /** Is told what goes wrong with it. */
  disturbed?(kind: FaultKind): void;
}

/** At which moment of what the process asked for last it dies. */
export type CrashMoment = { readonly of: Operation; readonly when: 'before' | 'after' } | 'idle' | 'exit';

export interface ProcessOptions {
  readonly start: number;
  readonly seed: number;
  readonly ordered: boolean;
  /** Whether timers come late now and then. */
  readonly late: boolean;
  readonly schedule: Schedule;
  readonly faults: Faults;
  /** The number of the next call. */
  nextCall(): number;
  /** Something went wrong, for those who tell the story. */
  note(line: string): void;
  /** The process is dead; what it had asked for and did happen nevertheless happens before. */
  died(process: SimulatedProcess, how: CrashMoment): void;
  stalled(process: SimulatedProcess): void;
  /** A timer will come late. */
  belated(): void;
  /** Somebody asks the process to stop in good order. */
  stop(process: SimulatedProcess): void;
  /** Somebody asks its server to let it end. */
  drain?(process: SimulatedProcess): void;
}

/** A request on its way to the store. */
interface Sent {
  apply(): Promise<unknown>;
}

/** How long a process counts as alive without a sign of life, in milliseconds. */
export const ALIVE = 6_000;

/** How late a timer may come, in milliseconds. */
const LATEST = 3_000;

export function startProcess(options: ProcessOptions): SimulatedProcess {
  const { start, seed, ordered, schedule, faults, note } = options;
  const lane = schedule.in(start);
  const sent = new Set<Sent>();
  const dozing = new Set<() => void>();
  let state: SimulatedProcess['state'] = 'alive';
  let held: (() => void)[] = [];
  let lastReach = 0;
  let lastAnswer = 0;
  let timers = 0;

  /** Lets something reach the process, unless it is dead, and not before it moves again. */
  function deliver(callback: () => void): void {
    if (state === 'alive') callback();
    else if (state === 'stalled') held.push(callback);
  }

  const clock: Clock = {
    now: schedule.now,
    at: (instant, callback) =>
      state === 'dead' ? () => undefined : lane.at(instant + lateness(), () => deliver(callback)),
  };

  /** A process that has much to do comes to its timers when it can. */
  function lateness(): number {
    if (!options.late || faults.over) return 0;
    timers += 1;
    const chance = chanceOf(seed, 14, start, timers);
    if (chance % 8 !== 0) return 0;
    options.belated();
    return chance % LATEST;
  }

  function doze(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        dozing.delete(end);
        resolve();
      };
      const cancel = clock.at(schedule.now() + milliseconds, end);
      dozing.add(end);
    });
  }

  function crash(how: CrashMoment): void {
    if (state === 'dead') return;
    state = 'dead';
    held = [];
    // Of what is on its way, in the order in which it was sent, a part may still arrive.
    const arriving = chanceOf(seed, 10, start) % (sent.size + 1);
    for (const { apply } of [...sent].slice(0, arriving)) void apply().catch(() => undefined);
    sent.clear();
    note(`process ${start} dies ${momentText(how)}`);
    options.died(process, how);
  }

  function stall(): void {
    if (state !== 'alive') return;
    state = 'stalled';
    const length = ALIVE + 500 + (chanceOf(seed, 11, start) % ALIVE);
    note(`process ${start} stands still for ${length} ms`);
    options.stalled(process);
    schedule.at(schedule.now() + length, () => {
      if (state !== 'stalled') return;
      state = 'alive';
      note(`process ${start} moves again`);
      for (const callback of held.splice(0)) lane.at(schedule.now(), () => deliver(callback));
    });
  }

  function call<T>({ operation, what, apply, disturbed, lost = broken }: Request<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (state === 'dead') return;
      const number = options.nextCall();
      const fault = faults.at(number, operation);
      if (fault !== undefined) {
        note(`call ${number}, ${what} of process ${start}: ${fault}`);
        disturbed?.(fault);
      }
      const request: Sent = { apply };
      sent.add(request);
      // A store answers in order, as a thread with a queue does; tools and connections are beside each other.
      const queued = ordered && operation !== 'tool' && operation !== 'ask';
      const reach = Math.max(schedule.now() + reachTime(number), queued ? lastReach : 0);
      if (queued) lastReach = reach;
      lane.at(reach, () => {
        if (!sent.delete(request)) return;
        arrive(operation, fault, apply, lost, (told) => {
          const answer = Math.max(schedule.now() + answerTime(number, fault), queued ? lastAnswer : 0);
          if (queued) lastAnswer = answer;
          lane.at(answer, () =>
            deliver(() => {
              if ('error' in told) reject(told.error);
              else resolve(told.value);
            }),
          );
        });
      });
    });
  }

  /** Where nothing keeps requests in order, one may well overtake another that waits for its answer. */
  const reachTime = (number: number): number => {
    const chance = chanceOf(seed, 12, number);
    return !ordered && chance % 5 === 0 ? chance % 300 : latency(chance);
  };

  const answerTime = (number: number, fault: FaultKind | undefined): number => {
    const chance = chanceOf(seed, 13, number);
    return fault === 'slow' ? 1_000 + (chance % 12_000) : latency(chance);
  };

  type Told<T> = { readonly value: T } | { readonly error: unknown };

  function arrive<T>(
    operation: Operation,
    fault: FaultKind | undefined,
    apply: () => Promise<T>,
    lost: () => Error,
    tell: (told: Told<T>) => void,
  ): void {
    if (fault === 'crash before') {
      crash({ of: operation, when: 'before' });
      return;
    }
    if (fault === 'refused') {
      tell({ error: lost() });
      return;
    }
    const applied = fault === 'twice' ? apply().then(apply) : apply();
    applied.then(
      (value) => {
        if (fault === 'crash after') crash({ of: operation, when: 'after' });
        if (fault === 'stall') stall();
        if (fault === 'stop') options.stop(process);
        if (fault === 'drain') options.drain?.(process);
        tell(fault === 'unknown' ? { error: lost() } : { value });
      },
      (error: unknown) => tell({ error }),
    );
  }

  const process: SimulatedProcess = {
    start,
    clock,
    get state() {
      return state;
    },
    call,
    doze,
    wake() {
      if (state === 'alive') for (const end of [...dozing]) end();
    },
    receive: deliver,
    crash,
    stall,
  };
  return process;
}

/** A disk takes a moment, now and then a long one. */
const latency = (chance: number): number => (chance % 16 === 0 ? 20 + (chance % 80) : chance % 4);

const broken = (): StoreError => new StoreError('NOETL_STORE_IO', 'the simulated disk has an error.');

const momentText = (how: CrashMoment): string => {
  if (how === 'idle') return 'by itself';
  if (how === 'exit') return 'in good order';
  return `${how.when} ${how.of === 'append' ? 'the commit' : `what it asked for (${how.of})`}`;
};
