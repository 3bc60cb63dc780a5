import type { ExecutionEvent } from '@noetl/engine';
import type { LeftInput } from '../../ports/control-inputs.ts';
import type { ExecutionStatus } from '../../ports/execution-facts.ts';
import { dataOption } from '../data-option.ts';
import { visible } from './visible.ts';
import { pathOf, workName } from './work-name.ts';

/** What came of something that was asked of an execution. */
export interface ControlAnswer {
  readonly execution: string;
  readonly asked: LeftInput;
  /** Of the execution, now. */
  readonly status: ExecutionStatus;
  /** Whether a process runs the execution. */
  readonly driven: boolean;
  /** The event that records what was asked, and those after it; none if it changed nothing. */
  readonly events: readonly ExecutionEvent[];
}

/** In a sentence, with the commands that go on from there. */
export function controlAnswer(answer: ControlAnswer, data: string | undefined): string {
  const { asked, driven, status } = answer;
  const id = visible(answer.execution);
  const option = dataOption(data);
  const lines = [
    `${id} ${asked.kind === 'signal' ? signalText(answer, asked.name) : controlText(answer)}`,
    ...(status === 'paused' ? [`Lift the pause with: noetl exec resume ${id}${option}`] : []),
    ...(driven || isOver(status) ? [] : [`No process runs it. Go on with: noetl run --resume ${id}${option}`]),
  ];
  return `${lines.join('\n')}\n`;
}

const isOver = (status: ExecutionStatus): boolean => status !== 'running' && status !== 'paused';

function controlText({ asked, events, driven }: ControlAnswer): string {
  const changed = events.length > 0;
  switch (asked.kind) {
    case 'pause':
      if (!changed) return 'is paused already.';
      return driven ? 'is paused: what runs comes to its end, nothing new begins.' : 'is paused.';
    case 'resume':
      if (!changed) return 'is not paused.';
      return driven ? 'goes on.' : 'is not paused any more.';
    default:
      return changed ? 'is cancelled.' : 'was cancelled already.';
  }
}

function signalText(answer: ControlAnswer, name: string): string {
  const taken = takenBy(answer);
  const received = `has the signal '${visible(name)}'`;
  if (taken === undefined) return `${received}; it is kept until a task waits for it.`;
  const work = workName(taken.step, taken.path, taken.task);
  return `${received}, which ${work} waited for.`;
}

/** The task that waited for the signal. */
function takenBy({ events }: ControlAnswer) {
  const [received] = events;
  const taken = events.find((event) => event.name === 'task.resumed' && event.payload.signal === received?.seq);
  if (taken?.name !== 'task.resumed') return undefined;
  return { step: taken.payload.step, path: pathOf(taken.iteration_id), task: taken.task_label ?? '' };
}

/** The same as one line of JSON. */
export function controlAnswerJson(answer: ControlAnswer): string {
  const { execution, asked, status, driven, events } = answer;
  const taken = takenBy(answer);
  const line = {
    execution_id: execution,
    asked: asked.kind,
    status,
    driven,
    // Null if it changed nothing.
    event: events[0]?.seq ?? null,
    ...(asked.kind === 'signal' ? { signal: asked.name, taken_by: taken ?? null } : {}),
  };
  return `${JSON.stringify(line)}\n`;
}
