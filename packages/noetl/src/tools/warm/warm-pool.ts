import type { WarmCall, WarmEnd, WarmProcess } from './warm-process.ts';

export interface WarmPool {
  call(call: WarmCall): Promise<WarmEnd>;
  /** Ends its processes that do nothing; the next call starts one again. */
  rest(): void;
  /** Ends all its processes. */
  close(): Promise<void>;
}

export interface WarmPoolOptions {
  start(): WarmProcess;
  /** Processes that are started at once when they are needed. */
  readonly eager: number;
  /** Processes there may be at all. */
  readonly most: number;
  readonly callsPerProcess: number;
}

/** Milliseconds that a call waits before it gets one process more: short calls share few, long ones are not held up. */
const PATIENCE = 20;

/** Lends each call a process of its own; a process that served many calls, or is no longer fit, is replaced. */
export function openWarmPool({ start, eager, most, callsPerProcess }: WarmPoolOptions): WarmPool {
  const all = new Set<WarmProcess>();
  const idle: WarmProcess[] = [];
  const waiting: ((process: WarmProcess) => void)[] = [];
  let patience: NodeJS.Timeout | undefined;

  const added = (): WarmProcess => {
    const process = start();
    all.add(process);
    return process;
  };
  const lend = (process: WarmProcess) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(process);
    else next(process);
  };
  const growLater = () => {
    patience ??= setTimeout(() => {
      patience = undefined;
      if (waiting.length > 0 && all.size < most) lend(added());
      if (waiting.length > 0 && all.size < most) growLater();
    }, PATIENCE);
  };
  /** Undefined if the call is over before its turn. */
  const borrow = async (signal: AbortSignal): Promise<WarmProcess | undefined> => {
    for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
      if (process.fit) return process;
      all.delete(process);
    }
    if (all.size < eager) return added();
    growLater();
    return new Promise((resolve) => {
      const turn = (process: WarmProcess) => {
        signal.removeEventListener('abort', leave);
        resolve(process);
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(turn), 1);
        resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(turn);
    });
  };
  const giveBack = (process: WarmProcess) => {
    if (process.fit && process.calls < callsPerProcess) return lend(process);
    all.delete(process);
    retire(process);
    if (waiting.length > 0) lend(added());
  };
  const retiring = new Set<Promise<void>>();
  const retire = (process: WarmProcess) => {
    const stopped = process.stop().finally(() => retiring.delete(stopped));
    retiring.add(stopped);
  };
  return {
    call: async (call) => {
      if (call.signal.aborted) return { kind: 'stopped' };
      const process = await borrow(call.signal);
      if (process === undefined) return { kind: 'stopped' };
      try {
        return await process.call(call);
      } finally {
        giveBack(process);
      }
    },
    rest: () => {
      for (const process of idle.splice(0)) {
        all.delete(process);
        retire(process);
      }
    },
    close: async () => {
      clearTimeout(patience);
      await Promise.all([...[...all].map((process) => process.stop()), ...retiring]);
      all.clear();
      idle.length = 0;
    },
  };
}
