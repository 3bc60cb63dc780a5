import type { ChildProcess } from 'node:child_process';
import { cut } from '../cut.ts';
import type { ProcessGroups } from './process-groups.ts';

export interface ProcessRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string | undefined;
  readonly stdin: string;
  readonly signal: AbortSignal;
  /** Characters of standard output that are kept. */
  readonly outputLimit: number;
  log(stream: 'stdout' | 'stderr', text: string): void;
}

export interface ProcessEnd {
  readonly how: 'exit' | 'signal' | 'stopped' | 'output';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Milliseconds between the polite signal and the other one. */
const GRACE = 2000;
/** Milliseconds that output may still come after the end. */
const LAST_WORDS = 200;
/** Characters of standard error that are kept: its end, where the cause stands. */
const ERROR_TAIL = 64 * 1024;

/** Runs a program to its end. Rejects only if it cannot be started. */
export async function runProcess(groups: ProcessGroups, request: ProcessRequest): Promise<ProcessEnd> {
  const { program, args, env, cwd, signal } = request;
  const process = groups.start(program, args, { env: { ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let stopping: 'stopped' | 'output' | undefined;
  let lastResort: NodeJS.Timeout | undefined;
  const stop = (why: 'stopped' | 'output', name: NodeJS.Signals) => {
    stopping ??= why;
    groups.stop(process, name);
    if (name !== 'SIGKILL') lastResort = setTimeout(() => groups.stop(process, 'SIGKILL'), GRACE);
  };
  const out = collect(process, request, () => stop('output', 'SIGKILL'));
  const onAbort = () => stop('stopped', 'SIGTERM');
  try {
    const ended = endOf(process);
    process.stdin?.on('error', () => undefined).end(request.stdin);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const { code, signal: by } = await ended;
    return { how: stopping ?? (by === null ? 'exit' : 'signal'), code, signal: by, ...out() };
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(lastResort);
  }
}

/** After its end, output that is on its way is waited for, but not for ever: someone else may hold the pipe. */
function endOf(process: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    process.once('error', reject);
    process.once('exit', (code, signal) => {
      const close = () => {
        clearTimeout(timer);
        process.stdout?.destroy();
        process.stderr?.destroy();
        resolve({ code, signal });
      };
      const timer = setTimeout(close, LAST_WORDS);
      process.once('close', close);
    });
  });
}

function collect(process: ChildProcess, { log, outputLimit }: ProcessRequest, onFlood: () => void) {
  const parts: string[] = [];
  let room = outputLimit;
  let stderr = '';
  let dropped = 0;
  process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (room < 0) return;
    const kept = cut(text, room);
    parts.push(kept);
    log('stdout', kept);
    room -= text.length;
    if (room < 0) onFlood();
  });
  process.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log('stderr', text);
    stderr += text;
    if (stderr.length <= 2 * ERROR_TAIL) return;
    dropped += stderr.length - ERROR_TAIL;
    stderr = stderr.slice(-ERROR_TAIL);
  });
  return () => ({
    stdout: parts.join(''),
    stderr: dropped === 0 ? stderr : `[${dropped} characters left out]\n…${stderr}`,
  });
}
