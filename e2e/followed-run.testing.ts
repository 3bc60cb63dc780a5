import type { ChildProcess } from 'node:child_process';
import type { ExecutionEvent } from '@noetl/engine';
import type { Program } from './program.testing.ts';

/** A `noetl run` that goes on while others look at it, or ask something of it. */
export interface FollowedRun {
  readonly child: ChildProcess;
  readonly id: string;
  readonly ending: ReturnType<Program['end']>;
  /** What it has told on standard error so far. */
  told(): string;
  /** Waits until it has told something like this. Fails if it ends before. */
  tells(text: string | RegExp): Promise<void>;
  /** Waits for an event, where it prints them (`--json`). Fails if it ends before. */
  event(name: ExecutionEvent['name'], nth?: number): Promise<ExecutionEvent>;
  /** As Ctrl-C: the terminal tells the whole process group. */
  interrupt(): void;
  /** As a power failure, for the program alone. */
  kill(): void;
}

/** Starts `noetl run` with these arguments, or a command that does the same, and waits until it has an execution. */
export async function followedRun(
  program: Program,
  args: readonly string[],
  options?: Parameters<Program['start']>[1],
): Promise<FollowedRun> {
  const child = program.start(args[0] === 'exec' ? args : ['run', ...args], options);
  const said = { stdout: '', stderr: '' };
  const ending = program.end(child);
  /** Told of everything that is said, and of the end. */
  const listening = new Set<() => void>();
  let over: unknown;
  const news = (): void => {
    for (const listen of [...listening]) listen();
  };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (text) => {
      said[stream] += text;
      news();
    });
  }
  const ended = (how: unknown): void => {
    over = how;
    news();
  };
  ending.then(({ code, signal }) => ended({ code, signal }), ended);

  const until = <T>(found: () => T | undefined, what: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const listen = (): void => {
        const value = found();
        if (value === undefined && over === undefined) return;
        listening.delete(listen);
        if (value !== undefined) resolve(value);
        else reject(new Error(`${args} ended before it told ${what}:\n${said.stdout}${said.stderr}`, { cause: over }));
      };
      listening.add(listen);
      listen();
    });

  const events = (): ExecutionEvent[] =>
    said.stdout.split('\n').flatMap((line, index, all) => (index === all.length - 1 ? [] : [JSON.parse(line)]));
  const group = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const isJson = args.includes('--json');
  const id = await until(
    () => (isJson ? events()[0]?.execution_id : /execution ([0-9a-z]{20})/.exec(said.stderr)?.[1]),
    'its execution',
  );
  return {
    child,
    id,
    ending,
    told: () => said.stderr,
    tells: async (text) => {
      const holds = () => (typeof text === 'string' ? said.stderr.includes(text) : text.test(said.stderr));
      await until(() => (holds() ? true : undefined), String(text));
    },
    event: (name, nth = 1) => until(() => events().filter((event) => event.name === name)[nth - 1], name),
    interrupt: () => group('SIGINT'),
    kill: () => child.kill('SIGKILL'),
  };
}
