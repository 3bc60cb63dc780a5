import { chanceOf } from './dice.testing.ts';

/** What a process asks of the world, as far as it matters for what can go wrong with it. */
export type Operation = 'append' | 'read' | 'put' | 'drive' | 'control' | 'tool' | 'ask';

export type FaultKind =
  /** The process dies, and what it asked for does not happen. */
  | 'crash before'
  /** The process dies when it has happened, before it is told. */
  | 'crash after'
  /** The store cannot do it, and says so. */
  | 'refused'
  /** It has happened, but the process is told that it could not be done. */
  | 'unknown'
  /** It arrives twice, and the process gets the second answer. */
  | 'twice'
  /** The answer comes much later. */
  | 'slow'
  /** It happens, and then the process stands still for longer than it counts as alive. */
  | 'stall'
  /** It happens, and somebody asks the process to stop. */
  | 'stop'
  /** It happens, and somebody asks the server to let the worker end. */
  | 'drain';

/** A fault at a call of the world, counted from 1, or so many milliseconds after a process was started. */
export type Fault =
  | { readonly call: number; readonly kind: FaultKind }
  | { readonly start: number; readonly after: number; readonly kind: 'crash before' | 'stall' };

/** How much goes wrong by chance: at most so many faults; of the calls, one in so many. */
export interface Pressure {
  readonly most: number;
  readonly crash: number;
  /** What a process does to begin is much, and always the same: it fails so many times less often. */
  readonly reading: number;
  readonly other: number;
}

export interface Faults {
  /** What goes wrong with a call. */
  at(call: number, operation: Operation): FaultKind | undefined;
  /** What befalls a process that is started now, and after how many milliseconds. */
  fateOf(start: number): Extract<Fault, { readonly start: number }> | undefined;
  /** Everything that went wrong, so that it can be made to happen again. */
  readonly happened: readonly Fault[];
  /** From now on nothing goes wrong any more. */
  end(): void;
  readonly over: boolean;
}

const CRASHES: readonly FaultKind[] = ['crash before', 'crash after', 'crash after'];

/** What can go wrong with an operation, beside a crash; what is written more often is more likely. */
const OTHERS: Readonly<Record<Operation, readonly FaultKind[]>> = {
  append: ['refused', 'refused', 'unknown', 'unknown', 'twice', 'slow', 'stall', 'stop'],
  read: ['refused', 'refused', 'slow', 'stall'],
  put: ['refused', 'refused', 'unknown', 'twice', 'slow', 'stall'],
  drive: ['refused', 'unknown', 'slow'],
  control: ['refused', 'unknown', 'twice', 'slow', 'stall'],
  tool: ['slow', 'stall', 'stop'],
  /** A request of a worker to its server: lost on its way, or its answer, or both at once for a while. */
  ask: ['refused', 'refused', 'unknown', 'unknown', 'twice', 'twice', 'slow', 'slow', 'stall', 'stop', 'drain'],
};

/** How soon a process may meet its fate: at most so many milliseconds after its start. */
const SPANS = [30, 300, 3_000, 20_000];

export function createFaults(given: readonly Fault[] | Pressure, seed: number): Faults {
  const happened: Fault[] = [];
  const plan = 'most' in given ? byChance(given, seed) : bySchedule(given);
  let ended = false;
  const most = 'most' in given ? given.most : Number.MAX_SAFE_INTEGER;
  const over = (): boolean => ended || happened.length >= most;
  return {
    happened,
    get over() {
      return over();
    },
    at(call, operation) {
      const kind = over() ? undefined : plan.at(call, operation);
      if (kind !== undefined) happened.push({ call, kind });
      return kind;
    },
    fateOf(start) {
      const fate = over() ? undefined : plan.fateOf(start);
      if (fate !== undefined) happened.push(fate);
      return fate;
    },
    end() {
      ended = true;
    },
  };
}

type Plan = Pick<Faults, 'at' | 'fateOf'>;

function byChance({ crash, reading, other }: Pressure, seed: number): Plan {
  return {
    at(call, operation) {
      const chance = chanceOf(seed, 2, call);
      const often = operation === 'read' || operation === 'drive' ? crash * reading : crash;
      if (chance % often === 0) return CRASHES[chanceOf(chance, 3) % CRASHES.length];
      if (chanceOf(chance, 4) % (operation === 'drive' ? other * reading : other) !== 0) return undefined;
      const kinds = OTHERS[operation];
      return kinds[chanceOf(chance, 5) % kinds.length];
    },
    fateOf(start) {
      const chance = chanceOf(seed, 6, start);
      if (chance % 8 !== 0) return undefined;
      const span = SPANS[chanceOf(chance, 8) % SPANS.length] ?? 1;
      const after = chanceOf(chance, 7) % span;
      return { start, after, kind: chanceOf(chance, 9) % 4 === 0 ? 'stall' : 'crash before' };
    },
  };
}

function bySchedule(faults: readonly Fault[]): Plan {
  const calls = new Map(faults.flatMap((fault) => ('call' in fault ? [[fault.call, fault.kind]] : [])));
  const starts = new Map(faults.flatMap((fault) => ('start' in fault ? [[fault.start, fault]] : [])));
  return {
    at(call, operation) {
      const kind = calls.get(call);
      const possible = kind !== undefined && (CRASHES.includes(kind) || OTHERS[operation].includes(kind));
      return possible ? kind : undefined;
    },
    fateOf: (start) => starts.get(start),
  };
}
