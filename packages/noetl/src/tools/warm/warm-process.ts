import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import type { JsonMap } from '@noetl/playbook';
import { isMap } from '../checked-fields.ts';
import type { ProcessGroups } from '../process/process-groups.ts';
import { lineReader } from './frames.ts';

/** How a warm process is started. Its driver reads requests from descriptor 3 and answers on descriptor 4. */
export interface WarmCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** What the driver is told, as its last argument. */
  readonly settings: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string | undefined;
  /** Bytes of one answer. */
  readonly answerLimit: number;
}

export interface WarmCall {
  /** One line of JSON. */
  readonly request: string;
  readonly signal: AbortSignal;
  log(stream: 'stdout' | 'stderr', text: string): void;
}

export type WarmEnd =
  | { readonly kind: 'answer'; readonly answer: JsonMap }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unstartable'; readonly error: Error }
  | {
      readonly kind: 'died';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stderr: string;
    };

export interface WarmProcess {
  readonly pid: number | undefined;
  readonly calls: number;
  /** Whether it can take another call. */
  readonly fit: boolean;
  /** One call at a time. */
  call(call: WarmCall): Promise<WarmEnd>;
  /** Ends it, with everything it started. */
  stop(): Promise<void>;
}

/** Characters of standard error that tell how a process died. */
const LAST_WORDS = 4000;

/**
 * A process that runs one call after the other. What the code prints comes as frames beside the answer; what goes to
 * the raw streams (children, libraries in C) is a log too, and never read as an answer.
 */
export function startWarmProcess(groups: ProcessGroups, command: WarmCommand): WarmProcess {
  let calls = 0;
  let fit = true;
  let current: { readonly call: WarmCall; end(end: WarmEnd): void } | undefined;
  let ending: WarmEnd | undefined;
  let stderr = '';
  const process = start(groups, command);
  if (process instanceof Error) return unstartable(process);

  const finish = (end: WarmEnd) => {
    const call = current;
    current = undefined;
    call?.end(end);
  };
  const kill = (end?: WarmEnd) => {
    fit = false;
    ending ??= end;
    if (current === undefined) groups.signal(process, 'SIGKILL');
    else groups.stop(process, 'SIGKILL');
  };
  const gone = new Promise<void>((resolve) => {
    process.once('error', (error) => {
      fit = false;
      finish({ kind: 'unstartable', error });
      resolve();
    });
    process.once('exit', (code, signal) => {
      fit = false;
      // What it still had to say is read first.
      setImmediate(() => {
        finish(ending ?? { kind: 'died', code, signal, stderr });
        resolve();
      });
    });
  });
  const onLine = (line: string) => {
    const frame = parsed(line);
    if (Array.isArray(frame)) {
      current?.call.log(frame[0] === 'e' ? 'stderr' : 'stdout', String(frame[1]));
    } else if (isMap(frame)) {
      if (frame.fit === false) kill();
      // Raw output that was written before the answer is read in the same turn.
      setImmediate(() => finish({ kind: 'answer', answer: frame }));
    } else {
      kill({ kind: 'died', code: null, signal: null, stderr: 'something else was written to descriptor 4' });
    }
  };
  const [, out, err, , answers] = process.stdio as unknown as Readable[];
  answers?.on(
    'data',
    lineReader(command.answerLimit, onLine, () => kill({ kind: 'too-large' })),
  );
  out?.setEncoding('utf8').on('data', (text: string) => current?.call.log('stdout', text));
  err?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-LAST_WORDS);
    current?.call.log('stderr', text);
  });
  const requests = requestsOf(process);
  requests.on('error', () => undefined);

  return {
    pid: process.pid,
    get calls() {
      return calls;
    },
    get fit() {
      return fit;
    },
    call: (call) =>
      new Promise((resolve) => {
        calls++;
        stderr = '';
        const onAbort = () => kill({ kind: 'stopped' });
        const end = (ended: WarmEnd) => {
          call.signal.removeEventListener('abort', onAbort);
          resolve(ended);
        };
        if (call.signal.aborted) return end({ kind: 'stopped' });
        if (!fit) return end({ kind: 'died', code: process.exitCode, signal: process.signalCode, stderr });
        current = { call, end };
        call.signal.addEventListener('abort', onAbort);
        requests.write(`${call.request}\n`);
      }),
    stop: async () => {
      if (process.exitCode === null && process.signalCode === null) kill();
      await gone;
    },
  };
}

function start(groups: ProcessGroups, { program, args, settings, env, cwd }: WarmCommand): ChildProcess | Error {
  try {
    return groups.start(program, [...args, settings], {
      env: { ...env },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const requestsOf = ({ stdio }: ChildProcess): Duplex => stdio[3] as Duplex;

const unstartable = (error: Error): WarmProcess => ({
  pid: undefined,
  calls: 0,
  fit: false,
  call: async () => ({ kind: 'unstartable', error }),
  stop: async () => undefined,
});
