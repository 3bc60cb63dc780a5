import type { ExecutionEvent } from '@noetl/engine';
import type { LogFields, LogLevel, ProgramLog } from './program-log.ts';

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Writes what becomes of executions: their beginning and end, their steps, and with `debug` every task. */
export function logEvents(log: ProgramLog, events: readonly ExecutionEvent[]): void {
  for (const event of events) {
    const entry = entryOf(event);
    if (entry === undefined || !log.has(entry.level)) continue;
    const { execution_id: execution, step_run_id: step_run, iteration_id: iteration } = event;
    log.write(entry.level, entry.message, { execution, step_run, iteration, ...entry.fields });
  }
}

/** No value of a playbook, no text of an error: those are in the execution's own log, where who may read it is known. */
function entryOf(event: ExecutionEvent): Entry | undefined {
  switch (event.name) {
    case 'playbook.execution.requested': {
      const { path, parent_execution_id: parent, trace_id: trace } = event.payload;
      return { level: 'info', message: 'execution requested', fields: { playbook: path, parent, trace } };
    }
    case 'execution.forked':
      return { level: 'info', message: 'execution forked', fields: {} };
    case 'playbook.processed': {
      const { status, error, stats } = event.payload;
      const fields = { status, error: error?.kind, duration_ms: stats.duration_ms };
      return { level: status === 'error' ? 'warn' : 'info', message: 'execution ended', fields };
    }
    case 'playbook.paused':
      return { level: 'info', message: 'execution paused', fields: {} };
    case 'playbook.resumed':
      return { level: 'info', message: 'execution resumed', fields: {} };
    case 'playbook.cancel.requested':
      return { level: 'info', message: 'execution to be cancelled', fields: {} };
    case 'step.started': {
      const { step, worker } = event.payload;
      return { level: 'debug', message: 'step started', fields: { step, worker } };
    }
    case 'step.skipped': {
      const { step, reason } = event.payload;
      return { level: 'debug', message: 'step skipped', fields: { step, reason } };
    }
    case 'loop.done': {
      const { step, stats } = event.payload;
      return { level: 'debug', message: 'loop done', fields: { step, ...stats } };
    }
    case 'loop.iteration.failed': {
      const { step, error } = event.payload;
      return { level: 'debug', message: 'iteration failed', fields: { step, error: error.kind } };
    }
    case 'task.waiting': {
      const { task_run_id: task_run, attempt, payload } = event;
      const { step, for: reason, child } = payload;
      const waits = { step, task_run, attempt, reason, child: child?.execution_id };
      return { level: 'debug', message: 'task waiting', fields: waits };
    }
    case 'step.done':
      return { level: 'debug', message: 'step done', fields: { step: event.payload.step } };
    case 'step.failed': {
      const { step, error } = event.payload;
      return { level: 'warn', message: 'step failed', fields: { step, error: error.kind } };
    }
    case 'task.done': {
      const { task_run_id: task_run, attempt, payload } = event;
      const { step, kind, outcome } = payload;
      const { status, error, meta } = outcome ?? {};
      const ended = { status, error: error?.kind, duration_ms: meta?.duration_ms };
      return { level: 'debug', message: 'task done', fields: { step, task_run, attempt, kind, ...ended } };
    }
    default:
      return undefined;
  }
}
