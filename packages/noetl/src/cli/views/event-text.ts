import type { ExecutionEvent, Payload } from '@noetl/engine';
import type { JsonMap } from '@noetl/playbook';
import { errorLine } from './error-line.ts';
import { duration, things } from './quantity.ts';
import { shortJson } from './short-json.ts';
import { visible } from './visible.ts';

/** What an event says, in a few words. Of one that this release does not know, its payload. */
export function eventText(event: ExecutionEvent): string {
  switch (event.name) {
    case 'playbook.execution.requested':
      return requestText(event.payload);
    case 'playbook.request.evaluated':
      return event.payload.error === undefined ? shortJson(event.payload.workload) : errorLine(event.payload.error);
    case 'workflow.started':
      return `begins at ${visible(event.payload.entry_step)}`;
    case 'step.scheduled':
      return isEmpty(event.payload.args) ? '' : `args ${shortJson(event.payload.args)}`;
    case 'step.skipped':
      return [event.payload.reason, event.payload.when ?? ''].map(visible).join(' ');
    case 'step.started':
    case 'loop.iteration.started':
      return event.payload.worker === undefined ? '' : `on ${visible(event.payload.worker)}`;
    case 'task.started':
      return `${visible(event.payload.kind)}${attemptOf(event)} ${shortJson(event.payload.input)}`;
    case 'task.done':
      return taskText(event.payload);
    case 'task.waiting':
      return waitingText(event.payload);
    case 'task.resumed':
      return `by ${event.payload.by}${event.payload.held === true ? ', held while paused' : ''}`;
    case 'step.done':
    case 'loop.iteration.done':
      return shortJson(event.payload.result);
    case 'step.failed':
    case 'loop.iteration.failed':
      return errorLine(event.payload.error, 200);
    case 'loop.started': {
      const { total, mode, max_in_flight } = event.payload;
      return `${things(total, 'item')}, ${mode === 'parallel' ? `${max_in_flight} at a time` : mode}`;
    }
    case 'loop.done': {
      const { total, ok, failed } = event.payload.stats;
      return `${things(total, 'item')}: ${ok} ok, ${failed} failed`;
    }
    case 'next.evaluated':
      return routingText(event.payload);
    case 'ctx.patched':
      return shortJson(event.payload.patch);
    case 'signal.received':
      return `${visible(event.payload.name)} ${shortJson(event.payload.payload)}${byWhom(event.payload.by)}`;
    case 'playbook.paused':
    case 'playbook.resumed':
    case 'playbook.cancel.requested':
      return `${visible(event.payload.reason ?? '')}${byWhom(event.payload.by)}`.trim();
    case 'workflow.finished':
    case 'playbook.processed': {
      const { status, error } = event.payload;
      const result = event.name === 'playbook.processed' ? shortJson(event.payload.result) : '';
      return `${status} ${error === undefined || error === null ? result : errorLine(error, 200)}`.trimEnd();
    }
    case 'execution.forked':
      return shortJson(event.payload.state, 60);
    default:
      return shortJson((event as { readonly payload: JsonMap }).payload);
  }
}

function requestText({ path, payload, origin, edits }: Payload<'playbook.execution.requested'>): string {
  if (origin === undefined) return `${visible(path)} ${shortJson(payload)}`;
  const changed = isEmpty(edits ?? {}) ? '' : ` with ${shortJson(edits)}`;
  return `${visible(path)} forked from ${visible(origin.execution_id)} at event ${origin.seq}${changed}`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const attemptOf = ({ attempt = 1 }: ExecutionEvent): string => (attempt === 1 ? '' : ` attempt ${attempt}`);

const byWhom = (by: string | null): string => (by === null ? '' : ` by ${visible(by)}`);

function taskText({ outcome, directive, next }: Payload<'task.done'>): string {
  const came =
    outcome === undefined ? 'not run' : outcome.error ? errorLine(outcome.error, 120) : shortJson(outcome.result);
  const pause = next.kind === 'retry' ? ` in ${duration(next.seconds * 1000)}` : '';
  const target = next.kind === 'task' && directive.do === 'jump' ? ` to ${visible(next.label)}` : '';
  return `${came} → ${directive.do}${target}${pause}`;
}

function waitingText({ for: reason, name, until, child }: Payload<'task.waiting'>): string {
  const what =
    child === undefined ? (name === undefined ? '' : ` ${visible(name)}`) : ` ${visible(child.execution_id)}`;
  return `for ${reason}${what}${until === undefined ? '' : ` until ${until}`}`;
}

function routingText({ arcs, error }: Payload<'next.evaluated'>): string {
  const taken = arcs.filter(({ verdict }) => verdict === 'matched').map(({ step }) => visible(step));
  const others = arcs
    .filter(({ verdict }) => verdict !== 'matched')
    .map(({ step, verdict }) => `${visible(step)} ${verdict}`);
  const parts = [
    taken.length === 0 ? '' : `→ ${taken.join(', ')}`,
    others.length === 0 ? '' : `(${others.join(', ')})`,
  ];
  const words = parts.filter((part) => part !== '').join(' ');
  if (error !== undefined) return `ends the execution: ${errorLine(error, 120)}`;
  return words === '' ? 'ends the branch' : words;
}
