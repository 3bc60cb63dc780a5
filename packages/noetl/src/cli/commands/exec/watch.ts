import type { ExecutionEvent } from '@noetl/engine';
import type { ExecutionStatus } from '../../../ports/execution-facts.ts';
import { dataOption } from '../../data-option.ts';
import { finish } from '../../ending.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { failedChildren } from '../../failed-children.ts';
import type { Machine } from '../../machine.ts';
import { createProgress } from '../../progress/progress.ts';
import { rootOf } from '../../root-execution.ts';
import { authoredText, sourceOfExecution } from '../../sourced-plan.ts';
import { stopRequest } from '../../stop-request.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { createEndingFold } from '../../views/ending-fold.ts';
import { eventListJson } from '../../views/event-list.ts';
import { explanation } from '../../views/explanation.ts';
import { placesOf } from '../../views/places.ts';
import { visible } from '../../views/visible.ts';
import { follow } from './following.ts';
import { liveDriverOf } from './live-driver.ts';
import { logPages } from './log-pages.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';

export interface WatchOptions extends ExecOptions {
  /** With `json`: the event behind which it begins. */
  readonly after: number;
}

/** Follows an execution that another process runs, up to its end. Nothing that happens here disturbs it. */
export const execWatch = (id: string, options: WatchOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const stop = stopRequest(machine);
    try {
      return await (options.json
        ? watchEvents(id, options, look, stop.requested)
        : watchProgress(id, look, stop.requested));
    } finally {
      stop.forget();
    }
  });

type Stop = ReturnType<typeof stopRequest>['requested'];

/** Every event as it is stored, on a line of its own; of an execution that is over at least the last. */
async function watchEvents(id: string, { after }: WatchOptions, look: Look, stop: Stop): Promise<ExitCode> {
  const { status, position } = await known(id, look);
  const { terminal, folder } = look;
  const begin = isOver(status) ? Math.min(after, position - 1) : after;
  const idle = driverWatch(id, look, (text) => terminal.complain(`${text}\n`));
  if (!isOver(status)) await idle();
  const take = (events: readonly ExecutionEvent[]) => terminal.print(eventListJson(events));
  const end = await follow({ log: folder.store.log, execution: id, after: begin, stop, take, idle });
  return typeof end === 'string' ? EXIT[end] : finish(end.payload, { output: 'json', data: folder }, terminal);
}

const isOver = (status: ExecutionStatus): boolean => status !== 'running' && status !== 'paused';

/** What `run` would show, from now on. */
async function watchProgress(id: string, look: Look, stop: Stop): Promise<ExitCode> {
  const { status, path, position } = await known(id, look);
  const { terminal, machine, folder, data } = look;
  const source = await sourceOfExecution(id, folder, machine);
  const { playbook } = source.plan;
  const progress = createProgress({
    terminal,
    execution: id,
    playbook,
    file: path,
    data,
    mode: terminal.watched ? 'live' : 'plain',
    color: terminal.watchedInColor,
    clock: systemClock,
  });
  const reading = createEndingFold();
  const over = isOver(status);
  const seen = over ? position - 1 : position;
  for await (const events of logPages(id, folder, seen)) {
    progress.recall(events);
    reading.take(events);
  }
  const paused = status === 'paused' ? ', which is paused' : '';
  if (!over) progress.say(`watching execution ${visible(id)} of ${visible(path)}${paused}, from event ${seen} on`);
  const idle = driverWatch(id, look, progress.say);
  if (!over) await idle();
  const take = (events: readonly ExecutionEvent[]) => {
    progress.events(events);
    reading.take(events);
  };
  const end = await follow({ log: folder.store.log, execution: id, after: seen, stop, take, idle });
  progress.close();
  if (typeof end === 'string') {
    terminal.complain('\nstopped watching; the execution is not disturbed\n');
    return EXIT[end];
  }
  const places = placesOf(playbook, path);
  const read = reading.read();
  const children = await failedChildren(id, read.failures, folder, machine);
  const why = { color: terminal.watchedInColor, places, source: authoredText(source), data, children };
  terminal.complain(explanation(read, why));
  return finish(end.payload, { output: 'progress', data: folder }, terminal);
}

/** How often it is asked who drives the execution, in milliseconds. */
const LOOK = 1_000;

/** Says it when nobody drives the execution any more, and when somebody goes on with it. */
function driverWatch(id: string, { folder, machine, terminal, data }: Look, say: (text: string) => void) {
  let driven = true;
  let missed = 0;
  let lookAgain = 0;
  return async (): Promise<void> => {
    if (terminal.elapsed() < lookAgain) return;
    lookAgain = terminal.elapsed() + LOOK;
    const driver = await liveDriverOf(id, folder, machine);
    // A driver that is done leaves at once: its end is read before it is missed a second time.
    missed = driver === undefined ? missed + 1 : 0;
    if (missed === 1 || driven === (driver !== undefined)) return;
    driven = driver !== undefined;
    const root = await rootOf(id, folder.store.executions);
    const resume = `noetl run --resume ${visible(root)}${visible(dataOption(data))}`;
    say(driven ? `process ${driver?.pid} goes on with it` : `no process runs it now; go on with: ${resume}`);
  };
}
