import type { ExecutionEvent, Payload } from '@noetl/engine';
import { expect } from 'vitest';
import type { Program } from './program.testing.ts';
import { eventsOf, expectSameReplay, intactExecutions, type StoredExecution } from './stored-log.testing.ts';

/** A playbook that `noetl run --json` has run to its end. */
export interface FinishedRun {
  readonly code: number | null;
  readonly data: string;
  readonly id: string;
  readonly events: readonly ExecutionEvent[];
  readonly end: Payload<'playbook.processed'>;
  /** That of the playbook, and those it called. */
  readonly executions: readonly StoredExecution[];
}

/**
 * Runs a playbook in a data folder of its own, and looks at what every run must leave behind: standard output holds
 * events only, `playbook.processed` last; they are what the folder holds; the folder is intact; no process is left.
 */
export async function finishedRun(
  program: Program,
  args: readonly string[],
  {
    env,
    shown = false,
    data = program.newData(),
  }: { readonly env?: NodeJS.ProcessEnv; readonly shown?: boolean; readonly data?: string } = {},
): Promise<FinishedRun> {
  const { code, stdout, stderr } = await program.run(
    ['run', ...args, '--data', data, '--json'],
    env === undefined ? {} : { env },
  );
  expect(stderr).toBe('');
  const events = eventsOf(stdout);
  const last = events.at(-1);
  if (last?.name !== 'playbook.processed') throw new Error(`the last event is ${last?.name}`);
  const id = last.execution_id;
  const executions = await intactExecutions(program, data, { shown, roots: [id] });
  expectSameReplay(events, executions.find((execution) => execution.id === id)?.events ?? []);
  for (const execution of executions) expect(execution.events.at(-1)?.name).toBe('playbook.processed');
  expect(code).toBe(last.payload.status === 'success' ? 0 : 1);
  return { code, data, id, events, end: last.payload, executions };
}

/** The events of one name. */
export const named = <N extends ExecutionEvent['name']>(
  events: readonly ExecutionEvent[],
  name: N,
): Extract<ExecutionEvent, { name: N }>[] =>
  events.filter((event): event is Extract<ExecutionEvent, { name: N }> => event.name === name);
