import { type ExecutionEvent, isTagged, type StateView } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { errorLine } from './error-line.ts';
import { type Line, paint, tinted } from './line.ts';
import { grouped, things } from './quantity.ts';
import { shortJson } from './short-json.ts';
import { statusWord } from './status-word.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';
import { workName, workNameOf } from './work-name.ts';

/** The state of an execution as of an event. */
export interface StateReading {
  readonly execution: string;
  readonly path: string;
  readonly version: string | number | null;
  /** The event, and the position of the newest. */
  readonly event: Pick<ExecutionEvent, 'name' | 'timestamp' | 'iteration_id' | 'task_label' | 'payload'>;
  readonly position: number;
  readonly state: StateView;
}

type Run = StateView['runs'][number];
type PipelineView = Run['pipelines'][number];
type WaitView = StateView['waits'][number];

/** How much of a value one line has room for. */
const VALUE = 100;
/** Of each list so many are shown; there may be as many as a loop has in flight. */
const SHOWN = 20;

export function stateText({ execution, path, version, event, position, state }: StateReading, color: boolean): string {
  const { seq, paused, phase, failure } = state;
  const row = (title: string, ...line: Line): Line => [tinted('dim', title.padEnd(11)), ...line];
  const about = workNameOf(event as ExecutionEvent);
  const lines: readonly Line[] = [
    row('execution', tinted('bold', visible(execution))),
    row('playbook', visible(path), version === null ? '' : ` (version ${visible(String(version))})`),
    row(
      'event',
      `${grouped(seq)} of ${grouped(position)}: ${visible(event.name)}${about === '' ? '' : ` ${about}`}`,
      tinted('dim', ` ${visible(event.timestamp)}`),
    ),
    row('phase', phase === 'running' ? statusWord('running') : phase, ...(paused ? [', ', statusWord('paused')] : [])),
    ...(failure === undefined
      ? []
      : [row(phase === 'running' ? 'failing' : 'error', tinted('red', errorLine(failure)))]),
    ...valueLines('WORKLOAD', state.workload),
    ...valueLines('CTX', state.ctx),
    ...valueLines('RESULTS', state.results),
    ...tokenLines(state),
    ...runLines(state),
    ...valueLines('SIGNALS KEPT', state.signals),
    ...listed(
      'OWED',
      state.owed.map((owed): Line => [`  ${visible(owed)}`]),
    ),
  ];
  return lines.map((line) => `${paint(line, color)}\n`).join('');
}

/** The same as one line of JSON. Large values are as they are stored: references. */
export function stateJson({ execution, path, version, event, position, state }: StateReading): string {
  const { name, timestamp } = event;
  const about = { execution_id: execution, path, version, position, event: name, timestamp };
  return `${JSON.stringify({ ...about, ...state })}\n`;
}

/** A heading and what stands below it, as far as there is room; nothing without anything. */
function listed(title: string, lines: readonly Line[], what = 'entry', plural = 'entries'): readonly Line[] {
  if (lines.length === 0) return [];
  const hidden = lines.length - SHOWN;
  const rest: readonly Line[] =
    hidden <= 0 ? [] : [[tinted('dim', `  and ${things(hidden, `more ${what}`, `more ${plural}`)}`)]];
  return [[], [tinted('dim', title)], ...lines.slice(0, SHOWN), ...rest];
}

/** A mapping, key by key; anything else, such as a reference, on one line. */
function valueLines(title: string, value: Json): readonly Line[] {
  const entries = isPlainMap(value) ? Object.entries(value) : [['', value] as const];
  const width = Math.min(24, Math.max(0, ...entries.map(([key]) => visible(key).length)));
  return listed(
    title,
    entries.map(([key, item]) => [`  ${visible(key).padEnd(width)}${width === 0 ? '' : '  '}`, shortJson(item, VALUE)]),
  );
}

const isPlainMap = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isTagged(value);

function tokenLines({ tokens }: StateView): readonly Line[] {
  const lines = Object.entries(tokens).flatMap(([step, there]) =>
    there.map(({ from, args }): Line => {
      const sender = from === undefined ? '' : ` from ${visible(from)}`;
      return [
        `  at ${workName(step)}${sender}`,
        isEmpty(args) ? '' : tinted('dim', `  args ${shortJson(args, VALUE)}`),
      ];
    }),
  );
  return listed('TOKENS', lines, 'token', 'tokens');
}

const COLUMNS: readonly Column[] = [
  { title: 'RUN', align: 'right' },
  { title: 'WORK' },
  { title: 'PHASE' },
  { title: 'TASK' },
  { title: '' },
];

/** Each run with its loops as counters, and the pipelines that are in flight. */
function runLines({ runs, waits }: StateView): readonly Line[] {
  if (runs.length === 0) return [];
  const waitOf = new Map(waits.map((wait) => [wait.work, wait]));
  const rows = runs.flatMap((run) => [
    ...run.loops.map((loop): readonly Line[] => [
      [String(run.run)],
      [nameOf(run, loop.work)],
      ['loop'],
      [],
      [tinted('dim', [loopText(loop), ...argsText(run)].join(', '))],
    ]),
    ...run.pipelines.map((pipeline) => pipelineRow(run, pipeline, waitOf.get(pipeline.work))),
    ...(run.loops.length + run.pipelines.length === 0 ? [[[String(run.run)], [workName(run.step)], ['no tool']]] : []),
  ]);
  const hidden = rows.length - SHOWN;
  return [
    [],
    ...table(COLUMNS, rows.slice(0, SHOWN)),
    ...(hidden <= 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more row')}`)]]),
  ];
}

function loopText({ total, next, in_flight, ok, failed }: Run['loops'][number]): string {
  if (total === undefined) return 'its list is still to be evaluated';
  const parts = [
    `${grouped(ok + failed)}/${grouped(total)} over`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    `${grouped(in_flight)} in flight`,
    ...(next < total ? [`next is ${grouped(next)}`] : []),
  ];
  return parts.join(', ');
}

function pipelineRow(run: Run, pipeline: PipelineView, wait: WaitView | undefined): readonly Line[] {
  const { task, phase, ended, visit, attempt, prev, set_ctx, iter } = pipeline;
  const facts = [
    ...(pipeline.work === String(run.run) ? argsText(run) : []),
    ...(ended === undefined ? [] : [ended === 'done' ? 'over' : 'over: failed']),
    ...(visit > 1 ? [`visit ${visit}`] : []),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(wait === undefined ? [] : [waitText(wait)]),
    ...(prev === null ? [] : [`_prev ${shortJson(prev, VALUE)}`]),
    ...(isEmpty(iter) ? [] : [`iter ${shortJson(iter, VALUE)}`]),
    ...(isEmpty(set_ctx) ? [] : [`set_ctx ${shortJson(set_ctx, VALUE)}`]),
  ];
  return [
    [String(run.run)],
    [nameOf(run, pipeline.work)],
    [statusWord(phase)],
    [visible(task)],
    [tinted('dim', facts.join(', '))],
  ];
}

const argsText = ({ args }: Run): readonly string[] => (isEmpty(args) ? [] : [`args ${shortJson(args, VALUE)}`]);

function waitText({ for: reason, name, child, until }: WaitView): string {
  const what = child ?? name;
  return `waits for ${reason}${what === undefined ? '' : ` ${visible(what)}`}${until === undefined ? '' : ` until ${until}`}`;
}

/** `12:3.0` is the iteration 3.0 of the run 12. */
const nameOf = ({ step }: Run, work: string): string => workName(step, work.split(':')[1] ?? '');

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
