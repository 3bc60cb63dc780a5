import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecutionEvent } from '@noetl/engine';
import type { LocalApi } from '../local-api.testing.ts';
import type { Program } from '../program.testing.ts';
import { disagreements, outlineOf } from './agreement.ts';
import { openLedger } from './ledger.ts';
import type { Scenario } from './scenario.ts';
import { endOf, rootsOf, type StoredHistory, storedHistory } from './stored-history.ts';
import { openUnreliableApi } from './unreliable-api.ts';
import type { Verify } from './verification.ts';

/** What becomes of a process: environment that it is started with, and what is done to it once it runs. */
export interface Fate {
  readonly env?: NodeJS.ProcessEnv;
  /** A program that the process is started by. */
  readonly through?: readonly string[];
  /** What it may complain of when it ends before the execution does, with exit code 1. */
  readonly failure?: RegExp;
  /** After its end. */
  readonly after?: () => void;
  /** Told of everything that it prints. */
  readonly watch?: (child: ChildProcess) => { printed(event: ExecutionEvent): void; forget(): void };
  /** True: the next process is not kept waiting until the tools of this one are gone. */
  readonly hurried?: boolean;
}

/** What a case came to. */
export interface Lived {
  readonly data: string;
  /** How many processes died. */
  readonly deaths: number;
  readonly events: number;
  readonly calls: number;
  readonly outline: readonly string[];
  /** What must not be; empty when all is well. */
  readonly problems: readonly string[];
}

export interface CaseOptions {
  readonly program: Program;
  readonly scenario: Scenario;
  /** A folder of its own. */
  readonly name: string;
  /** The fate of each process in turn; those after them live. */
  readonly fates: Iterable<Fate>;
  /** How the first process is started, if not with the playbook; given the address of the server. */
  readonly begin?: (url: string) => readonly string[];
  readonly verify: Verify;
  /** A data folder that is there already. */
  readonly data?: string;
}

/** No case has more processes: something that never ends is a problem, too. */
const MOST_LIVES = 40;

/** Runs a playbook to its end, with as many processes as that takes, and compares the log with the ledger. */
export async function lived(options: CaseOptions): Promise<Lived> {
  const { program, scenario, name, fates, verify, begin, data: given } = options;
  const folder = join(program.folder, name);
  mkdirSync(folder, { recursive: true });
  const data = given ?? join(folder, 'data');
  const ledger = openLedger(join(folder, 'ledger'));
  let life = 0;
  const api = await openUnreliableApi(ledger, () => life);
  const before = rootsOf(await storedHistory(data));
  const request = begin?.(api.url) ?? ['run', scenario.file, '--set', `api_url=${api.url}`];
  const histories: StoredHistory[] = [];
  const problems: string[] = [];
  const controls = openControls(program, scenario, data);
  const remaining = fates[Symbol.iterator]();
  const left: Promise<unknown>[] = [];
  let deaths = 0;
  /** What the process before said when it gave up. */
  let complaint: string | undefined;
  try {
    for (let over = false; !over && life < MOST_LIVES; ) {
      const history = await storedHistory(data);
      histories.push(history);
      const id = rootsOf(history).find((root) => !before.includes(root));
      // Of what it had not come to print.
      for (const event of history.get(id ?? '') ?? []) controls.printed(event);
      await controls.sent();
      if (complaint !== undefined && id !== undefined && !complaint.includes(`noetl run --resume ${id}`)) {
        problems.push(`life ${life} did not say how to go on: ${complaint}`);
      }
      const { env, through, failure, watch, hurried, after }: Fate = remaining.next().value ?? {};
      life += 1;
      const child = program.start(
        [...(id === undefined ? request : ['run', '--resume', id]), '--data', data, '--json'],
        {
          env: { ...env, CHAOS_LIFE: String(life), CHAOS_LEDGER: ledger.file },
          ...(through === undefined ? {} : { through }),
        },
      );
      const watched = watch?.(child);
      follow(child, (event) => {
        watched?.printed(event);
        controls.printed(event);
      });
      const exited = once(child, 'exit');
      const ending = program.end(child);
      left.push(ending.catch((error) => problems.push(`life ${life}: ${error.message}`)));
      const [code, signal] = await exited;
      watched?.forget();
      const killed = signal === 'SIGKILL';
      if (!killed || !hurried) await ending.catch(() => undefined);
      const stderr = killed ? '' : (await ending).stderr;
      const broke = code === 1 && failure?.test(stderr) === true && !/^ +at /m.test(stderr);
      over = !killed && !broke;
      complaint = broke && id === undefined ? stderr : undefined;
      if (!over) deaths += 1;
      else if (signal !== null || stderr !== '') problems.push(`life ${life} ended with ${signal ?? code}: ${stderr}`);
      after?.();
      await controls.sent();
      await silent(api);
    }
    await Promise.all(left);
    if (life === MOST_LIVES) problems.push(`it is not over after ${life} processes`);
    const end = await storedHistory(data);
    histories.push(end);
    if (rootsOf(end).length !== before.length + 1) problems.push(`there are ${rootsOf(end).length} executions`);
    problems.push(
      ...controls.problems(),
      ...disagreements(ledger.calls(), histories),
      ...(await verify(program, data)),
    );
    const ends = endOf(end.get(rootsOf(end).find((root) => !before.includes(root)) ?? '') ?? [])?.status;
    if (ends !== (scenario.ends ?? 'success')) problems.push(`the execution is ${ends ?? 'not over'}`);
    const events = [...end.values()].reduce((sum, log) => sum + log.length, 0);
    return { data, deaths, events, calls: ledger.calls().length, outline: outlineOf(end), problems };
  } catch (error) {
    // A folder that cannot even be looked at is what this is for to find.
    problems.push(String(error));
    return { data, deaths, events: 0, calls: ledger.calls().length, outline: [], problems };
  } finally {
    await api.close();
  }
}

/** Whole lines only: what a killed process printed may end in the middle of one. */
function follow(child: ChildProcess, printed: (event: ExecutionEvent) => void): void {
  if (child.stdout === null) throw new Error('the program has no standard output');
  createInterface(child.stdout).on('line', (line) => {
    try {
      printed(JSON.parse(line));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  });
}

interface Controls {
  printed(event: ExecutionEvent): void;
  /** Once no process that sends one is under way. */
  sent(): Promise<void>;
  problems(): readonly string[];
}

/** Sends what others ask of the execution, each once. */
function openControls(program: Program, { controls }: Scenario, data: string): Controls {
  const due = new Set(controls);
  const sending = new Set<Promise<void>>();
  const problems: string[] = [];
  return {
    printed(event) {
      for (const control of [...due]) {
        if (!control.at(event)) continue;
        due.delete(control);
        const args = ['exec', ...control.command(event.execution_id), '--data', data];
        const sent = program.run(args).then(({ code, stderr }) => {
          if (code !== 0) problems.push(`noetl ${args.join(' ')}: exit code ${code}: ${stderr}`);
          sending.delete(sent);
        });
        sending.add(sent);
      }
    },
    sent: async () => {
      await Promise.all(sending);
    },
    problems: () => [...problems, ...(due.size > 0 ? [`${due.size} controls were never sent`] : [])],
  };
}

/** Requests of a dead process may still be on their way to the server. */
async function silent(api: LocalApi): Promise<void> {
  for (let rounds = 0; rounds < 3 || api.underWay > 0; rounds++) await new Promise((resolve) => setImmediate(resolve));
}
