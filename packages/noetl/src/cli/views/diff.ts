import type { Json } from '@noetl/playbook';
import type { Comparison } from '../diff/compare-executions.ts';
import type { Found } from '../diff/difference-list.ts';
import type { Tally } from '../diff/execution-tally.ts';
import { valueDifferences } from '../diff/value-differences.ts';
import { aboutText, cellText, detailsOf } from './diff-difference.ts';
import { type Line, paint, tinted } from './line.ts';
import { duration, grouped, things } from './quantity.ts';
import { statusWord } from './status-word.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

export interface DiffView extends Comparison {
  /** Executions that were forked from and are not kept any more. */
  readonly lost: readonly string[];
  /** The log that an event of a history is in, and its position there. */
  placeOf(side: 'a' | 'b', at: number): { readonly execution: string; readonly seq: number };
}

interface DiffOptions {
  readonly color: boolean;
  readonly columns: number;
  /** The command that shows more differences. */
  readonly more: string;
}

/** Places inside one difference that are shown. */
const MOST_PLACES = 12;
/** Rows of each table. */
const MOST_ROWS = 40;

/** Two executions beside each other: the first difference, the others in a line each, then what each came to. */
export function diffText(view: DiffView, options: DiffOptions): string {
  const lines: readonly Line[] = [
    ...headLines(view),
    [],
    ...differenceLines(view, options),
    ...stepLines(view),
    ...arcLines(view),
    ...ctxLines(view, options),
  ];
  return lines.map((line) => `${paint(line, options.color)}\n`).join('');
}

function headLines({ a, b, lost }: DiffView): readonly Line[] {
  const row = (name: string, { summary }: Tally): readonly Line[] => {
    const { execution_id, path, status, seq, duration_ms } = summary;
    const took = duration_ms === undefined ? 'not over' : duration(duration_ms);
    const of =
      summary.origin === undefined
        ? ''
        : `fork of ${visible(summary.origin.execution_id)} at event ${summary.origin.seq}`;
    return [
      [tinted('bold', name)],
      [visible(execution_id)],
      [visible(path)],
      [statusWord(status)],
      [took],
      [things(seq, 'event')],
      [tinted('dim', of)],
    ];
  };
  const [, ...rows] = table(
    Array.from({ length: 7 }, () => ({ title: '' })),
    [row('A', a), row('B', b)],
  );
  const other =
    a.summary.content_hash === b.summary.content_hash ? [] : [[tinted('dim', 'The playbooks are not the same.')]];
  const gone = lost.map(
    (id): Line => [
      tinted('yellow', `The origin ${visible(id)} is not kept any more: of its fork only its own events are compared.`),
    ],
  );
  return [...rows, ...other, ...gone];
}

function differenceLines(view: DiffView, { columns, more }: DiffOptions): readonly Line[] {
  const { differences, count } = view;
  const [first, ...others] = differences;
  if (first === undefined) return [[tinted('green', 'equal'), ': the same arcs, outcomes and ctx']];
  const hidden = count - differences.length;
  return [
    [tinted('red', 'first difference'), `: ${headOf(first)}`, tinted('dim', placesOf(first, view))],
    ...detailLines(first, columns),
    ...(others.length === 0 ? [] : [[], [tinted('dim', 'then')]]),
    ...others.map((found): Line => [`  ${headOf(found)}`, inShort(found), tinted('dim', placesOf(found, view))]),
    ...(hidden === 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more difference')}: ${visible(more)}`)]]),
  ];
}

function headOf({ about, a, b }: Found): string {
  const only = a === undefined ? ' only in B' : b === undefined ? ' only in A' : '';
  return `${about.what === 'skipped' ? `${aboutText(about)} skipped` : aboutText(about)}${only}`;
}

function placesOf({ a, b }: Found, view: DiffView): string {
  const places = [
    ...(a === undefined ? [] : [`A: ${placeText('a', a.at, view)}`]),
    ...(b === undefined ? [] : [`B: ${placeText('b', b.at, view)}`]),
  ];
  return `  (${places.join(', ')})`;
}

/** `event 7`, or `event 7 of ID` where that is an execution it was forked from. */
function placeText(side: 'a' | 'b', at: number, view: DiffView): string {
  const { execution, seq } = view.placeOf(side, at);
  return execution === view[side].summary.execution_id ? `event ${seq}` : `event ${seq} of ${visible(execution)}`;
}

function detailLines(found: Found, columns: number): readonly Line[] {
  const details = detailsOf(found, MOST_PLACES + 1);
  const alone = found.a === undefined || found.b === undefined;
  const limit = Math.max(20, Math.floor((columns - 30) / 2));
  if (alone) {
    const said = found.a?.said ?? found.b?.said;
    return said === undefined ? [] : [[tinted('dim', `  ${cellText(said, columns)}`)]];
  }
  const rows = details
    .slice(0, MOST_PLACES)
    .map(({ path, a, b }): readonly Line[] => [[`  ${visible(path)}`], [cellText(a, limit)], [cellText(b, limit)]]);
  return [
    ...table([{ title: '' }, { title: 'A' }, { title: 'B' }], rows),
    ...(details.length > MOST_PLACES ? [[tinted('dim', '  and more')]] : []),
  ];
}

/** `: outcome.status "ok" | "error"` */
function inShort(found: Found): Line[number] {
  const [first] = detailsOf(found, 1);
  if (first === undefined) return '';
  return `: ${visible(first.path)} ${cellText(first.a, 40)} | ${cellText(first.b, 40)}`;
}

const STEPS: readonly Column[] = [
  { title: 'STEP' },
  { title: 'RUNS A', align: 'right' },
  { title: 'B', align: 'right' },
  { title: 'FAILED A', align: 'right' },
  { title: 'B', align: 'right' },
  { title: 'TIME A', align: 'right' },
  { title: 'B', align: 'right' },
  { title: 'B - A', align: 'right' },
];

function stepLines({ a, b }: DiffView): readonly Line[] {
  const names = [...new Set([...Object.keys(a.steps), ...Object.keys(b.steps)])];
  const rows = names.slice(0, MOST_ROWS).map((name): readonly Line[] => {
    const [one, other] = [own(a.steps, name), own(b.steps, name)];
    const [timeA, timeB] = [one?.duration_ms, other?.duration_ms];
    const cells = [one?.runs, other?.runs, failuresOf(one), failuresOf(other)].map(counted);
    return [[visible(name)], ...cells, [timed(timeA)], [timed(timeB)], [changed(timeA, timeB)]];
  });
  const hidden = names.length - rows.length;
  if (rows.length === 0) return [];
  return [[], ...table(STEPS, rows), ...(hidden <= 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more step')}`)]])];
}

const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

const failuresOf = (step: Tally['steps'][string] | undefined): number | undefined =>
  step && step.failed + step.iterations.failed;

const counted = (count: number | undefined): Line => [count === undefined ? '–' : grouped(count)];

const timed = (ms: number | undefined): string => (ms === undefined ? '–' : duration(ms));

function changed(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined) return '';
  return b >= a ? `+${duration(b - a)}` : `-${duration(a - b)}`;
}

/** Arcs that were not taken as often. */
function arcLines({ a, b }: DiffView): readonly Line[] {
  const names = [...new Set([...Object.keys(a.arcs), ...Object.keys(b.arcs)])];
  const rows = names.flatMap((from) => {
    const [one = [], other = []] = [own(a.arcs, from), own(b.arcs, from)];
    return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => ({
      arc: `${visible(from)} → ${visible(one[at]?.step ?? other[at]?.step ?? '')}`,
      a: one[at]?.taken ?? 0,
      b: other[at]?.taken ?? 0,
    }));
  });
  const differing = rows.filter((row) => row.a !== row.b);
  if (differing.length === 0) return [];
  const hidden = differing.length - MOST_ROWS;
  return [
    [],
    ...table(
      [{ title: 'ARC' }, { title: 'TAKEN A', align: 'right' }, { title: 'B', align: 'right' }],
      differing.slice(0, MOST_ROWS).map((row) => [[row.arc], [grouped(row.a)], [grouped(row.b)]]),
    ),
    ...(hidden <= 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more arc')}`)]]),
  ];
}

/** What is different in ctx now, or at the end. */
function ctxLines({ a, b }: DiffView, { columns }: DiffOptions): readonly Line[] {
  const details = valueDifferences(a.ctx, b.ctx, MOST_ROWS + 1);
  if (details.length === 0) return [];
  const limit = Math.max(20, Math.floor((columns - 30) / 2));
  const cell = (value: Json | undefined): Line => [cellText(value, limit)];
  return [
    [],
    ...table(
      [{ title: 'CTX' }, { title: 'A' }, { title: 'B' }],
      details.slice(0, MOST_ROWS).map((one) => [[visible(one.path)], cell(one.a), cell(one.b)]),
    ),
    ...(details.length > MOST_ROWS ? [[tinted('dim', 'and more')]] : []),
  ];
}
