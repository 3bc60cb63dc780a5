import { hash } from 'node:crypto';
import type { ExecutionEvent } from '@noetl/engine';
import type { SourcedPlan } from '../cli/sourced-plan.ts';
import { chainHash } from '../ports/chain.ts';
import { createMemoryResults } from '../results/memory.ts';
import type { ExecutionEnd } from '../server/ends.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { chanceOf, dice } from './dice.testing.ts';
import { createFaults, type Fault } from './faults.testing.ts';
import { faultyResults, faultyStore } from './faulty-store.testing.ts';
import type { LeaseWatch } from './lease-watch.testing.ts';
import { isExpectedEnd, type Life, live } from './life.testing.ts';
import { SECRET_NAME } from './playbook-of.testing.ts';
import { type CrashMoment, type SimulatedProcess, startProcess } from './process.testing.ts';
import { createSchedule } from './schedule.testing.ts';
import { scriptedTools } from './scripted-tool.testing.ts';
import type { Sometimes } from './sometimes.testing.ts';
import { type Control, executionName, type Story, workflowsOf } from './story.testing.ts';
import { Violation } from './violation.testing.ts';
import { createWatch, type Watch } from './watch.testing.ts';
import { readsSecrets } from './workflow.testing.ts';
import { createWorkforce } from './workforce.testing.ts';

/** How a story came out. */
export interface Ending {
  readonly violation: Violation | undefined;
  readonly watch: Watch;
  /** The texts of stored results, by key. */
  readonly results: ReadonlyMap<string, string>;
  /** What went wrong. */
  readonly faults: readonly Fault[];
  readonly crashes: number;
  /** What happened, for people. */
  lines(): readonly string[];
  /** Of everything that was written: the same story has the same. */
  readonly fingerprint: string;
}

/** The virtual moment at which every story begins. */
const BEGIN = Date.UTC(2026, 0, 1);
/** The secret that must never be seen again. It is written differently in every encoding. */
const SECRET = 'Tr0ub4dor&3 "hörse"/+?';
/** Until when something may go wrong, and how long nothing may happen where nothing goes wrong, in milliseconds. */
const TROUBLE = 300_000;
const REST = 200_000;

/** Lets a story happen, up to the end of all its executions or the first violation. */
export async function happen(
  story: Story,
  plans: ReadonlyMap<string, SourcedPlan>,
  sometimes: Sometimes,
): Promise<Ending> {
  const { seed } = story;
  const schedule = createSchedule(BEGIN, dice(chanceOf(seed, 20)));
  const histories = new Map<string, string[]>();
  const texts = new Map<string, string>();
  const store = createMemoryStore(schedule, histories);
  const results = createMemoryResults(texts);
  const faults = createFaults(story.faults, seed);
  const wanted = Array.from({ length: story.executions }, (_, index) => executionName(index));
  const processes = new Map<number, SimulatedProcess>();
  const lives = new Map<SimulatedProcess, Life>();
  const lines: (() => string)[] = [];
  let calls = 0;
  let crashes = 0;
  /** The last moment at which something happened, or could still go wrong. */
  let lively = BEGIN;
  let violation: Violation | undefined;

  /** Texts are made only where somebody wants to read the story. */
  const tell = (line: () => string): void => {
    const at = schedule.now() - BEGIN;
    lines.push(() => `${String(at).padStart(7)}  ${line()}`);
  };

  /** A witness that objects stops the world. */
  const guarded =
    <Args extends readonly unknown[]>(witness: (...args: Args) => void) =>
    (...args: Args): void => {
      if (violation !== undefined) return;
      try {
        witness(...args);
      } catch (error) {
        violation = error instanceof Violation ? error : new Violation('no shell fails by itself', textOf(error));
      }
    };

  const watch = createWatch({
    secret: workflowsOf(story).some(([, workflow]) => readsSecrets(workflow)) ? SECRET : undefined,
    eventsPerDecision: story.eventsPerDecision,
    histories,
    results: texts,
    sometimes,
    now: schedule.now,
    isDead: (start) => processes.get(start)?.state === 'dead',
  });
  const appended: Watch['appended'] = (process, batch, answers) => {
    lively = schedule.now();
    batch.forEach(({ events }, index) => {
      const answer = answers[index]?.kind === 'appended' ? '' : `${answers[index]?.kind}: `;
      for (const event of events) tell(() => `      ${answer}${inShort(event)}  (process ${process.start})`);
    });
    watch.appended(process, batch, answers);
    batch.forEach(({ execution: id, events }, index) => {
      const execution = watch.executions.get(id);
      if (answers[index]?.kind === 'appended' && execution !== undefined) workforce?.leases.appended(execution, events);
    });
  };
  const witness = {
    appended: guarded(appended),
    disturbed: watch.disturbed,
    listed: guarded(watch.listed),
    deleted: guarded(watch.deleted),
    drove: guarded(watch.drove),
    beat: watch.beat,
    claimed: guarded<Parameters<LeaseWatch['claimed']>>((...args) => workforce?.leases.claimed(...args)),
    renewed: guarded<Parameters<LeaseWatch['renewed']>>((...args) => workforce?.leases.renewed(...args)),
    released: guarded<Parameters<LeaseWatch['released']>>((...args) => workforce?.leases.released(...args)),
    written: guarded(watch.written),
    begun: guarded(watch.begun),
    ended: guarded(watch.ended),
  };

  const common = {
    seed,
    ordered: story.ordered,
    late: story.late,
    schedule,
    faults,
    note: (line: string) => tell(() => line),
    nextCall: () => {
      calls += 1;
      return calls;
    },
    belated: () => sometimes.met('a timer comes late'),
  };
  const workforce =
    story.remote &&
    createWorkforce({
      seed,
      remote: story.remote,
      schedule,
      faults,
      sometimes,
      tools: witness,
      plans,
      executions: watch.executions,
      common,
      guarded,
      died: (process, how) => {
        if (how !== 'exit') crashes += 1;
        guarded(watch.crashed)(process, how);
      },
      exited: guarded(exited),
    });

  function boot(): void {
    const start = processes.size + 1;
    const process = startProcess({
      ...common,
      start,
      died,
      stalled: watch.stalled,
      stop: (stopped) => {
        sometimes.met('a process is asked to stop in the middle of an execution');
        lives.get(stopped)?.stop();
        stopped.wake();
      },
    });
    processes.set(start, process);
    const life = live({
      process,
      store: faultyStore(store, process, witness),
      results: faultyResults(results, process, witness),
      tools: scriptedTools(process, witness),
      slots: story.slots,
      stays: story.stays,
      environment: { [SECRET_NAME]: SECRET },
      wanted,
      plans,
      isAlive: (pid) => processes.get(pid)?.state !== 'dead',
      ...workforce?.served(process),
      committed: guarded((events, state) => watch.committed(process, events, state)),
      ended: guarded(checkEnd),
      exited: guarded((reason) => exited(process, reason)),
    });
    lives.set(process, life);
    const fate = faults.fateOf(start);
    if (fate === undefined) return;
    schedule.at(schedule.now() + fate.after, () => (fate.kind === 'stall' ? process.stall() : process.crash('idle')));
  }

  function exited(process: SimulatedProcess, reason: unknown): void {
    if (process.state === 'dead') return;
    if (!isExpectedEnd(reason)) throw new Violation('no shell fails by itself', textOf(reason));
    if (reason !== undefined) sometimes.met('a process ends because its store fails, or it counts as dead');
    process.crash('exit');
  }

  function died(process: SimulatedProcess, how: CrashMoment): void {
    if (how !== 'exit') crashes += 1;
    guarded(watch.crashed)(process, how);
    workforce?.lost(process);
    lives.delete(process);
    schedule.at(schedule.now() + (chanceOf(seed, 21, process.start) % 1_500), boot);
  }

  /** What a process says about the end of an execution is what the log says. */
  function checkEnd(execution: string, end: ExecutionEnd): void {
    const last = watch.executions.get(execution)?.events.at(-1);
    if (last?.name === 'playbook.processed' && JSON.stringify(last.payload) === JSON.stringify(end)) return;
    throw new Violation('no acknowledged event is lost', `the end of ${execution} that was told is not in the log`);
  }

  let begun = false;
  function isOver(): boolean {
    begun ||= wanted.every((id) => histories.has(id));
    return begun && watch.open === 0;
  }

  /** Users do one thing after the other; nobody can ask something of an execution that does not exist yet. */
  function attend(id: string, [next, ...later]: readonly Control[]): void {
    if (next === undefined) return;
    schedule.at(Math.max(schedule.now(), BEGIN + next.at), async () => {
      while (!histories.has(id)) await new Promise<void>((wake) => schedule.at(schedule.now() + 50, wake));
      tell(() => `a user asks for ${inputText(next.input)} of ${id}`);
      lively = schedule.now();
      watch.left(await store.inputs.put(id, next.input, schedule.now()), id, next.input);
      for (const process of lives.keys()) process.wake();
      attend(id, later);
    });
  }

  wanted.forEach((id, index) => {
    const asked = story.controls.filter(({ execution }) => execution === index);
    attend(
      id,
      asked.toSorted((one, other) => one.at - other.at),
    );
  });
  for (let index = 0; index < story.processes; index++) boot();
  workforce?.employ();

  for (let troubled = true; ; ) {
    await atRest();
    if (violation !== undefined || isOver()) break;
    if (schedule.now() > BEGIN + TROUBLE) faults.end();
    // Whoever has come back as somebody else is missed no more.
    if (troubled && faults.over) workforce?.employ();
    troubled = !faults.over;
    if (!faults.over) lively = schedule.now();
    if (schedule.now() > lively + REST || !schedule.step()) {
      violation = new Violation('every execution ends once faults stop', stuck(watch));
    }
  }
  for (const [id, history] of histories) {
    const known = await store.executions.get(id);
    if (known?.hash === history.reduce(chainHash, '')) continue;
    violation ??= new Violation('positions have no gaps', `the chain of ${id} is broken`);
  }
  const written = [...histories].map(([id, history]) => [id, ...history].join('\n')).join('\n');
  return {
    violation,
    watch,
    results: texts,
    faults: faults.happened,
    crashes,
    lines: () => lines.map((line) => line()),
    fingerprint: hash('sha256', `${written}\n${calls}\n${crashes}`, 'hex'),
  };
}

/** Everything that needs no time has happened: what is not on the schedule goes on in microtasks, which come first. */
const atRest = (): Promise<void> => new Promise((wake) => process.nextTick(wake));

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

const inputText = (input: Control['input']): string =>
  input.kind === 'signal' ? `the signal ${input.name}` : `a ${input.kind}`;

const inShort = ({ event_id, name, task_run_id, iteration_id, step_run_id, attempt }: ExecutionEvent): string =>
  [event_id, name, task_run_id ?? iteration_id ?? step_run_id, attempt].filter((part) => part !== undefined).join(' ');

function stuck(watch: Watch): string {
  const open = [...watch.executions.values()].filter(({ isOver, events }) => !isOver && events.length > 0);
  if (open.length === 0) return 'nothing was ever requested';
  return open
    .map(({ id, events }) => `${id} stands still after ${events.at(-1)?.event_id} ${events.at(-1)?.name}`)
    .join('; ');
}
