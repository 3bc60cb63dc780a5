import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** A call of a tool, as the tool itself wrote it down. */
export interface Call {
  /** Which of the processes that ran the execution one after the other; from 1. */
  readonly life: number;
  /** The idempotency key that it was called with: the task run. */
  readonly key: string;
  readonly attempt: number;
}

/** The account that tools keep of themselves, in a file of their own: the program neither reads nor writes it. */
export interface Ledger {
  readonly file: string;
  calls(): readonly Call[];
  /** Written down and synced, as every tool does it. */
  add(call: Call): void;
}

export function openLedger(file: string): Ledger {
  closeSync(openSync(file, 'a'));
  return {
    file,
    calls: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map(callOf),
    add({ life, key, attempt }) {
      const handle = openSync(file, 'a');
      writeSync(handle, `${life} ${key} ${attempt}\n`);
      fsyncSync(handle);
      closeSync(handle);
    },
  };
}

function callOf(line: string): Call {
  const [life, key = '', attempt, ...rest] = line.split(' ');
  if (attempt === undefined || rest.length > 0) throw new Error(`a line of the ledger that no tool writes: '${line}'`);
  return { life: Number(life), key, attempt: Number(attempt) };
}

/** An attempt of a task run, in one word. */
export const attemptOf = ({ key, attempt }: Pick<Call, 'key' | 'attempt'>): string => `${key}#${attempt}`;
