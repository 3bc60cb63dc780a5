import { type Instant, instantOf, type RunDetail, type Summary } from '@noetl/engine';
import { awaitedLines } from './awaited.ts';
import { type CalledTree, calledJson, calledRows } from './called-tree.ts';
import type { ExecutionReading } from './execution-fold.ts';
import { failureLine } from './failure-line.ts';
import { failurePlace } from './failure-place.ts';
import type { FailureReport } from './failures.ts';
import { type Line, paint, tinted } from './line.ts';
import type { Places } from './places.ts';
import { duration, grouped, things } from './quantity.ts';
import { statusWord } from './status-word.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';
import { workName } from './work-name.ts';

interface StatusOptions {
  readonly color: boolean;
  /** What it called. */
  readonly called?: CalledTree;
  readonly now: Instant;
  readonly places?: Places | undefined;
  /** `--data`, as the user gave it. */
  readonly data?: string | undefined;
}

/** An execution on a page: the whole, its step runs with their loops, its failures. */
export function statusText(reading: ExecutionReading, options: StatusOptions): string {
  const { summary, detail, failures, awaited } = reading;
  const { now, color, places, called = [] } = options;
  const calledBy = new Map(called.map((below) => [below.run, below]));
  const runs = [
    ...detail.runs.flatMap((run) => {
      const below = calledBy.get(run.run);
      return [runRow(run, now), ...(below === undefined ? [] : calledRows(below, now))];
    }),
    ...detail.skips.map(({ step, reason }): readonly Line[] => [
      [],
      [workName(step)],
      [statusWord('skipped')],
      [],
      [tinted('dim', reason)],
    ]),
  ];
  const hidden = detail.run_count - detail.runs.length;
  const lines: readonly Line[] = [
    ...summaryLines(summary, now),
    ...(runs.length === 0 ? [] : [[], ...table(COLUMNS, runs)]),
    ...(hidden <= 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more step run', 'more step runs')}`)]]),
    ...awaitedLines(awaited, summary.execution_id, options.data),
    ...failureLines(failures, places),
  ];
  return lines.map((line) => `${paint(line, color)}\n`).join('');
}

/** The same as one line of JSON, with the places of failures. */
export function statusJson(reading: ExecutionReading, places?: Places, called: CalledTree = []): string {
  const { summary, detail, failures, awaited } = reading;
  const placed = failures.listed.map((failure) => {
    const place = failurePlace(failure, places);
    return { ...failure, place: place === undefined ? null : { file: places?.file, ...place } };
  });
  const counted = { failure_count: failures.count, children: calledJson(called) };
  return `${JSON.stringify({ ...summary, ...detail, awaited, failures: placed, ...counted })}\n`;
}

const COLUMNS: readonly Column[] = [
  { title: 'RUN', align: 'right' },
  { title: 'STEP' },
  { title: 'STATUS' },
  { title: 'TIME', align: 'right' },
  { title: '' },
];

function summaryLines(summary: Summary, now: Instant): readonly Line[] {
  const { execution_id, parent_execution_id, path, version, status, started_at, duration_ms, counters, origin, error } =
    summary;
  const { step_runs, skipped, tasks, retries, iterations, failures } = counters;
  const took = duration_ms ?? (started_at === undefined ? 0 : now - instantOf(started_at));
  const counted = [
    things(step_runs, 'step run'),
    ...(skipped === 0 ? [] : [`${grouped(skipped)} skipped`]),
    things(tasks, 'attempt'),
    ...(retries === 0 ? [] : [things(retries, 'retry', 'retries')]),
    ...(iterations === 0 ? [] : [things(iterations, 'iteration')]),
    ...(failures === 0 ? [] : [things(failures, 'failure')]),
  ];
  const row = (title: string, ...line: Line): Line => [tinted('dim', title.padEnd(11)), ...line];
  return [
    row('execution', tinted('bold', visible(execution_id))),
    ...(parent_execution_id === undefined ? [] : [row('called by', visible(parent_execution_id))]),
    row('playbook', visible(path), version === null ? '' : ` (version ${visible(String(version))})`),
    row('status', statusWord(status), ` ${duration_ms === undefined ? 'for' : 'after'} ${duration(took)}`),
    ...(started_at === undefined ? [] : [row('started', started_at)]),
    row('so far', counted.join(', ')),
    ...(origin === undefined ? [] : [row('forked', `from ${visible(origin.execution_id)} at event ${origin.seq}`)]),
    ...(error === undefined ? [] : [row('error', tinted('red', visible(error)))]),
  ];
}

function runRow(run: RunDetail, now: Instant): readonly Line[] {
  const { step, status, scheduled_at, ended_at } = run;
  const took = (ended_at === undefined ? now : instantOf(ended_at)) - instantOf(scheduled_at);
  return [[String(run.run)], [workName(step)], [statusWord(status)], [duration(took)], [tinted('dim', moreOf(run))]];
}

/** How far a loop is; else what the newest attempt does, if there is something to say about it. */
function moreOf({ loop, attempts, attempt_count }: RunDetail): string {
  if (loop !== undefined) {
    const { total, ok, failed, in_flight } = loop;
    const parts = [
      `${grouped(ok + failed)}/${grouped(total)}`,
      ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
      ...(in_flight === 0 ? [] : [`${grouped(in_flight)} in flight`]),
    ];
    return parts.join(', ');
  }
  const newest = attempts.at(-1);
  if (newest === undefined) return '';
  const wait = newest.waits.find(({ ended_at }) => ended_at === undefined);
  const waiting = wait && `waits for ${wait.for} ${visible(wait.name ?? wait.child ?? wait.until ?? '')}`.trimEnd();
  const parts = [
    ...(waiting === undefined ? [] : [`${visible(newest.label)}: ${waiting}`]),
    ...(waiting === undefined && newest.status === 'running' ? [visible(newest.label)] : []),
    ...(attempt_count > 1 ? [things(attempt_count, 'attempt')] : []),
  ];
  return parts.join(', ');
}

function failureLines({ listed, count }: FailureReport, places: Places | undefined): readonly Line[] {
  if (count === 0) return [];
  const lines = listed.map((failure): Line => {
    const { step, path, label, kind, handledBy } = failure;
    const name = step === undefined ? `the ${kind}` : workName(step, path, label);
    const handled = handledBy.length === 0 ? '' : ` (handled by ${handledBy.map(visible).join(', ')})`;
    return [tinted('red', '  ✗ '), name, ' ', ...failureLine(failure, places), tinted('dim', handled)];
  });
  const hidden = count - listed.length;
  return [
    [],
    [tinted('dim', 'FAILURES')],
    ...lines,
    ...(hidden <= 0 ? [] : [[tinted('dim', `  and ${grouped(hidden)} more`)]]),
  ];
}
