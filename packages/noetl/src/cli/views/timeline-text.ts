import type { Instant, Summary } from '@noetl/engine';
import { fit, type Line, type Part, paint, type Tint, tinted, widthOfLine } from './line.ts';
import { duration, things } from './quantity.ts';
import { statusWord } from './status-word.ts';
import { markText, timeMarks } from './time-axis.ts';
import { type Bar, type TimelineRow, type TimelineRows, timeSpan } from './timeline-rows.ts';
import { visible } from './visible.ts';

interface TimelineTextOptions {
  readonly columns: number;
  readonly color: boolean;
  readonly now: Instant;
}

const SIGNS: Readonly<Record<Bar['sort'], { readonly sign: string; readonly tint: Tint; readonly meaning: string }>> = {
  ok: { sign: '█', tint: 'green', meaning: 'ran' },
  failed: { sign: '▒', tint: 'red', meaning: 'failed' },
  running: { sign: '▓', tint: 'cyan', meaning: 'runs' },
  dropped: { sign: '░', tint: 'dim', meaning: 'dropped' },
  retry: { sign: '↻', tint: 'yellow', meaning: 'waits for another attempt' },
  wait: { sign: '┄', tint: 'yellow', meaning: 'waits' },
  idle: { sign: '·', tint: 'dim', meaning: 'scheduled' },
};

/** The narrowest chart that still says something, beside its names. */
const NARROWEST = 20;
const MOST_NOTE = 30;

/** A Gantt chart of characters, no wider than the columns. */
export function timelineText(summary: Summary, { rows, hidden }: TimelineRows, options: TimelineTextOptions): string {
  const { color } = options;
  const columns = Math.max(NARROWEST, options.columns);
  const { from, until } = timeSpan(summary, rows, options.now);
  const names = rows.map(({ name, depth }) => `${'  '.repeat(depth)}${visible(name)}`);
  const times = rows.map(({ start, end }) => duration((end ?? options.now) - start));
  const notes = rows.map(({ note }) => visible(note));
  const nameWidth = Math.min(widest(names, 4), Math.floor(columns * 0.3));
  const timeWidth = widest(times, 4);
  const noteWidth = Math.min(widest(notes, 0), MOST_NOTE, Math.floor(columns * 0.25));
  const width = Math.max(8, columns - nameWidth - timeWidth - 4 - (noteWidth === 0 ? 0 : noteWidth + 2));
  const scale: Scale = { from, length: Math.max(1, until - from), width };
  const cells = rows.map((row) => cellsOf(row, scale, options.now));
  const lines: readonly Line[] = [
    headline(summary, until - from),
    [],
    ...(rows.length === 0
      ? [[tinted('dim', 'No step has run yet.')]]
      : [[' '.repeat(nameWidth + 2), tinted('dim', axis(scale))]]),
    ...rows.map((_, at): Line => {
      const time = `${' '.repeat(timeWidth - widthOfLine([times[at] ?? '']))}${times[at] ?? ''}`;
      const note = notes[at] ?? '';
      return [
        ...padded(names[at] ?? '', nameWidth),
        '  ',
        ...painted(cells[at] ?? []),
        `  ${time}`,
        ...(note === '' ? [] : [tinted('dim', `  ${note}`)]),
      ];
    }),
    ...(hidden === 0 ? [] : [[tinted('dim', `and ${things(hidden, 'more row')}: --rows shows more`)]]),
    ...(rows.length === 0 ? [] : [[], legend(cells.flat())]),
  ];
  return lines.map((line) => `${paint(fit(line, columns), color)}\n`).join('');
}

const headline = ({ execution_id, path, status, ended_at }: Summary, length: number): Line => [
  tinted('bold', visible(execution_id)),
  ` ${visible(path)} `,
  statusWord(status),
  ` ${ended_at === undefined ? 'for' : 'after'} ${duration(length)}`,
];

const widest = (texts: readonly string[], least: number): number =>
  texts.reduce((width, text) => Math.max(width, widthOfLine([text])), least);

function padded(text: string, width: number): Line {
  const cut = fit([text], width);
  return [...cut, ' '.repeat(Math.max(0, width - widthOfLine(cut)))];
}

/** Instants onto the cells of a line. */
interface Scale {
  readonly from: Instant;
  readonly length: number;
  readonly width: number;
}

const cellOf = ({ from, length, width }: Scale, at: Instant): number => ((at - from) * width) / length;

/** The marks, each where its time begins; one that would touch the one before is left out. */
function axis(scale: Scale): string {
  let line = '';
  for (const mark of timeMarks(scale.length, Math.max(1, Math.floor(scale.width / 10)))) {
    const at = Math.round(cellOf(scale, scale.from + mark));
    const text = `|${markText(mark)}`;
    if ((line === '' || at > line.length) && at + text.length <= scale.width) line = `${line.padEnd(at)}${text}`;
  }
  return line;
}

type Cell = Bar['sort'] | undefined;

/** Whatever happened takes at least one cell, however short it was. */
function cellsOf({ bars }: TimelineRow, scale: Scale, now: Instant): readonly Cell[] {
  const line: Cell[] = Array.from({ length: scale.width }, () => undefined);
  for (const { sort, start, end = now } of bars) {
    const first = Math.min(scale.width - 1, Math.max(0, Math.floor(cellOf(scale, start))));
    const last = Math.min(scale.width, Math.max(first + 1, Math.round(cellOf(scale, end))));
    line.fill(sort, first, last);
  }
  return line;
}

function painted(line: readonly Cell[]): Line {
  const parts: Part[] = [];
  for (let at = 0; at < line.length; ) {
    const sort = line[at];
    let next = at;
    while (next < line.length && line[next] === sort) next += 1;
    const { tint, sign } = sort === undefined ? BLANK : SIGNS[sort];
    parts.push(tint === undefined ? sign.repeat(next - at) : tinted(tint, sign.repeat(next - at)));
    at = next;
  }
  return parts;
}

const BLANK = { tint: undefined, sign: ' ' };

/** Explains the signs that can be seen. */
function legend(cells: readonly Cell[]): Line {
  const sorts = new Set(cells);
  const seen = Object.entries(SIGNS).filter(([sort]) => sorts.has(sort as Bar['sort']));
  return seen.flatMap(([, { sign, tint, meaning }], at): Line => {
    return [at === 0 ? '' : '  ', tinted(tint, sign), tinted('dim', ` ${meaning}`)];
  });
}
