import type { ExecutionEvent } from '@noetl/engine';
import type { ToolCall } from '../tools/define-tool.ts';
import type { SimulatedProcess } from './process.testing.ts';
import type { ToolWitness } from './scripted-tool.testing.ts';
import { Violation } from './violation.testing.ts';
import type { WatchedExecution } from './watched-execution.testing.ts';

/** What tools really did, written down by the tools. */
export interface Ledger extends ToolWitness {
  /** How often the visit was called. */
  callsOf(key: string): number;
  /** How many bodies of an execution a process runs. */
  runningIn(process: SimulatedProcess, execution: string): number;
  /** A process is gone, and its bodies with it. */
  forget(process: SimulatedProcess): void;
  /** The checkpoint of a body that somebody claims to have run. */
  check(event: ExecutionEvent): void;
}

export function createLedger(executionOf: (id: string) => WatchedExecution | undefined): Ledger {
  const calls = new Map<string, number>();
  const keys = new Map<string, string>();
  const running = new Map<SimulatedProcess, Map<ToolCall, AbortSignal>>();

  /** What a process runs under a lease: what was told to stop, and has not come to it yet, has none. */
  const bodiesIn = (process: SimulatedProcess): readonly ToolCall[] =>
    [...(running.get(process) ?? [])].flatMap(([call, { aborted }]) => (aborted ? [] : [call]));

  /** ENG-8: of each loop around the body, the iterations whose bodies run in the process are no more than its window. */
  function checkWindows(process: SimulatedProcess, { key, path }: ToolCall): void {
    const work = workOf(key);
    const execution = executionOf(executionIn(key));
    for (let level = 0; level < path.length; level++) {
      const loop = parentOf(work, path.length - level);
      const window = execution?.loops.get(loop)?.window;
      const beside = bodiesIn(process).filter((call) => isInside(workOf(call.key), loop));
      const iterations = new Set(beside.map((call) => call.path[level]));
      if (window === undefined || iterations.size <= window) continue;
      const text = `${iterations.size} iterations of ${loop} run in process ${process.start}, ${window} may`;
      throw new Violation('max_in_flight is never exceeded', text);
    }
  }

  return {
    begun(process, call, signal) {
      const place = [executionIn(call.key), runIn(call.key), call.path.join('.'), call.task.label, call.visit].join(
        ' ',
      );
      const known = keys.get(place) ?? call.key;
      if (known !== call.key) {
        const text = `${place} was called with the keys ${known} and ${call.key}`;
        throw new Violation('every checkpoint has its call, with one key for each visit', text);
      }
      keys.set(place, call.key);
      calls.set(call.key, (calls.get(call.key) ?? 0) + 1);
      if (bodiesIn(process).some(({ key }) => workOf(key) === workOf(call.key))) {
        throw new Violation('work has one lease at a time', `process ${process.start} runs ${call.key} beside itself`);
      }
      running.set(process, (running.get(process) ?? new Map()).set(call, signal));
      checkWindows(process, call);
    },
    ended(process, call) {
      running.get(process)?.delete(call);
    },
    callsOf: (key) => calls.get(key) ?? 0,
    runningIn: (process, execution) => bodiesIn(process).filter(({ key }) => executionIn(key) === execution).length,
    forget(process) {
      running.delete(process);
    },
    check(event) {
      if (event.name !== 'task.done' || event.payload.kind !== 'noop' || event.payload.outcome === undefined) return;
      if (event.payload.outcome.error?.kind === 'template') return;
      if ((calls.get(event.task_run_id ?? '') ?? 0) > 0) return;
      const text = `${event.task_run_id} has a checkpoint, and no tool was called with that key`;
      throw new Violation('every checkpoint has its call, with one key for each visit', text);
    },
  };
}

/** Of `x0:2:1.0:t0:1` the execution, the run and the work. */
const executionIn = (key: string): string => key.slice(0, key.indexOf(':'));
const runIn = (key: string): string => key.split(':')[1] ?? '';
const workOf = (key: string): string => key.split(':').slice(0, -2).join(':');

/** The loop so many levels above an iteration. */
function parentOf(work: string, levels: number): string {
  let loop = work;
  for (let level = 0; level < levels; level++) {
    loop = loop.slice(0, Math.max(loop.lastIndexOf(':'), loop.lastIndexOf('.')));
  }
  return loop;
}

const isInside = (work: string, loop: string): boolean => work.startsWith(`${loop}:`) || work.startsWith(`${loop}.`);
