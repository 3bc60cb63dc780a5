import { once } from 'node:events';
import { keptAliveByClock } from '../../keep-alive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Drivers } from '../../ports/drivers.ts';
import { StoreError } from '../../ports/store-error.ts';
import { startThread } from '../../start-thread.ts';
import { type Answer, createGroupCommit, type Request, storeErrorOf } from './group-commit.ts';
import { type FileToOpen, openFile } from './open-file.ts';
import type { Operations } from './sql/operations.ts';
import type { FromThread, ToThread } from './thread.ts';

/** Asks for an operation on the file, by name. */
export type Call = <Name extends keyof Operations>(
  name: Name,
  ...values: Parameters<Operations[Name]>
) => Promise<ReturnType<Operations[Name]>>;

/** The file, opened by whoever performs the operations. */
export interface OpenedFile {
  readonly call: Call;
  readonly keepAlive: Drivers['keepAlive'];
  close(): Promise<void>;
}

/**
 * Performs operations in a thread of its own, so that waiting for the disk holds up nobody else; heartbeats too, so that a
 * main thread with much to do does not look dead (DESIGN §4).
 */
export async function openInThread(start: FileToOpen, clock: Clock): Promise<OpenedFile> {
  const thread = startThread(new URL('./thread.ts', import.meta.url), start);
  const [greeting] = (await once(thread, 'message')) as ['ready' | Extract<Answer, { error: unknown }>];
  if (greeting !== 'ready') throw storeErrorOf(greeting);

  const send = (message: ToThread): void => thread.postMessage(message);
  const requests = createRequests((list) => {
    thread.ref();
    send(list);
  });
  const losses = new Map<string, () => void>();
  let closing = false;
  thread.on('message', (message: FromThread) => {
    if ('lost' in message) losses.get(message.lost)?.();
    // An open store does not keep the program running; a request does, and so does closing it.
    else if (requests.settle(message) === 0 && !closing) thread.unref();
  });
  thread.on('error', (error) => requests.abandon(closed(start.file, 'its thread has died', error)));
  thread.on('exit', () => requests.abandon(closed(start.file, 'its thread has ended')));
  thread.unref();

  return {
    call: requests.call,
    keepAlive(driver, ttl, lost) {
      losses.set(driver.id, lost);
      send({ keep: { driver, ttl, ahead: clock.now() - Date.now() } });
      return () => {
        losses.delete(driver.id);
        send({ release: driver.id });
      };
    },
    close: async () => {
      if (!requests.end(closed(start.file, 'it was closed'))) return;
      losses.clear();
      closing = true;
      thread.ref();
      send(null);
      await once(thread, 'exit');
    },
  };
}

/** Performs operations where it is called: for short commands, which are over before a thread has started. */
export async function openInPlace(start: FileToOpen, clock: Clock): Promise<OpenedFile> {
  const { file } = start;
  const database = await openFile(start);
  const perform = createGroupCommit(database, file);
  const requests = createRequests((list) => {
    requests.settle(perform(list));
  });
  const { keepAlive, stopAll } = keptAliveByClock(clock, (process, ttl) =>
    requests.call('beat', process, ttl, clock.now()),
  );
  return {
    call: requests.call,
    keepAlive,
    close: async () => {
      stopAll();
      if (requests.end(closed(file, 'it was closed'))) database.close();
    },
  };
}

const closed = (file: string, why: string, cause?: unknown): StoreError =>
  new StoreError('NOETL_STORE_CLOSED', `'${file}' cannot be used any more: ${why}.`, { file }, { cause });

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Requests {
  readonly call: Call;
  /** Hands answers to those that wait, longest first, and says how many still do. */
  settle(answers: readonly Answer[]): number;
  /** Refuses what is asked for from now on; what was asked for before is still sent. False if it was over already. */
  end(error: StoreError): boolean;
  /** Refuses also what waits. */
  abandon(error: StoreError): void;
}

/** Lists of requests that may be under way: one is answered while the next lies ready. More would only be more lists. */
const MOST_LISTS = 2;

/** Requests that are made in the same moment, or while enough are under way, are sent together. */
function createRequests(send: (list: readonly Request[]) => void): Requests {
  const waiting: Waiting[] = [];
  /** How many requests of each list under way are not answered yet, oldest first. */
  const lists: number[] = [];
  let unsent: Request[] = [];
  let over: StoreError | undefined;

  function flush(): void {
    if (lists.length < MOST_LISTS) sendAll();
  }

  function sendAll(): void {
    const list = unsent;
    unsent = [];
    if (list.length === 0) return;
    lists.push(list.length);
    send(list);
  }

  /** Answers come in the order of requests, but in lists of their own. */
  function tickOff(answers: number): void {
    for (let left = answers; left > 0 && lists[0] !== undefined; ) {
      const taken = Math.min(left, lists[0]);
      lists[0] -= taken;
      left -= taken;
      if (lists[0] === 0) lists.shift();
    }
  }

  function end(error: StoreError): boolean {
    if (over !== undefined) return false;
    sendAll();
    over = error;
    return true;
  }

  const ask = (request: Request): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (over !== undefined) {
        reject(over);
        return;
      }
      waiting.push({ resolve, reject });
      if (unsent.push(request) === 1) queueMicrotask(flush);
    });

  return {
    call: ((name, ...values) => ask([name, ...values])) as Call,
    settle: (answers) => {
      const settled = waiting.splice(0, answers.length);
      tickOff(answers.length);
      if (unsent.length > 0) queueMicrotask(flush);
      for (const [nth, { resolve, reject }] of settled.entries()) {
        const answer = answers[nth] as Answer;
        if ('error' in answer) reject(storeErrorOf(answer));
        else resolve(answer.value);
      }
      return waiting.length;
    },
    end,
    abandon: (error) => {
      end(error);
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
