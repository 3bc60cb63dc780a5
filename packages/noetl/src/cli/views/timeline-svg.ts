import type { Instant, Summary } from '@noetl/engine';
import { duration, things } from './quantity.ts';
import { markText, timeMarks } from './time-axis.ts';
import { type Bar, type TimelineRow, type TimelineRows, timeSpan } from './timeline-rows.ts';
import { abridged } from './visible.ts';
import { xmlText } from './xml-text.ts';

interface TimelineSvgOptions {
  /** Pixels. */
  readonly width: number;
  readonly now: Instant;
}

const MARGIN = 16;
/** Of the first line of the legend. */
const LEGEND = 66;
const LINE = 18;
const ROW = 22;
const NAMES = 190;
const NOTES = 220;
const NARROWEST = 600;
const MOST_NAME = 26;
const MOST_NOTE = 32;

const MEANINGS: Readonly<Record<Bar['sort'], string>> = {
  ok: 'ran',
  failed: 'failed',
  running: 'runs',
  dropped: 'dropped',
  retry: 'waits for another attempt',
  wait: 'waits',
  idle: 'scheduled',
};

const STYLE = `
  text { font: 12px sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: bold; }
  .dim { fill: #59636e; }
  .page { fill: #ffffff; }
  .mark { stroke: #d1d9e0; }
  .ok { fill: #2da44e; }
  .failed { fill: #cf222e; }
  .running { fill: #218bff; }
  .dropped { fill: #afb8c1; }
  .retry { fill: url(#retry); }
  .wait { fill: url(#wait); }
  .idle { fill: #eaeef2; }
`;

/** A Gantt chart as an SVG that needs nothing beside itself; what it shows is also in its description. */
export function timelineSvg(summary: Summary, { rows, hidden }: TimelineRows, options: TimelineSvgOptions): string {
  const { now } = options;
  const width = Math.max(NARROWEST, options.width);
  const { from, until } = timeSpan(summary, rows, now);
  const left = MARGIN + NAMES;
  const chart: Chart = { from, length: Math.max(1, until - from), left, width: width - left - NOTES - MARGIN };
  const legend = legendOf(rows, width);
  const top = LEGEND + legend.lines * LINE + 22;
  const bottom = top + rows.length * ROW;
  const height = bottom + (hidden === 0 ? 0 : ROW) + 2 * MARGIN;
  const { execution_id, path, status } = summary;
  const title = `Timeline of execution ${execution_id}`;
  const ending = `${status} ${summary.ended_at === undefined ? 'for' : 'after'} ${duration(until - from)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${xmlText(title)}</title>`,
    `<desc id="description">${xmlText(`${path}: ${ending}. ${description(rows, hidden, from, now)}`)}</desc>`,
    `<style>${STYLE}</style>`,
    `<defs>${pattern('retry', '#bf8700')}${pattern('wait', '#8250df')}</defs>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    text(MARGIN, 26, execution_id, 'title'),
    text(MARGIN, 46, `${abridged(path, 60)}: ${ending}`, 'dim'),
    ...legend.elements,
    ...marks(chart, top, bottom),
    ...rows.flatMap((row, at) => rowElements(row, top + at * ROW, chart, now)),
    ...(hidden === 0 ? [] : [text(MARGIN, bottom + 16, `and ${things(hidden, 'more row')}`, 'dim')]),
    '</svg>',
    '',
  ].join('\n');
}

/** Stripes, which can be told from a solid bar without colours. */
const pattern = (id: string, colour: string): string =>
  `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"${id === 'retry' ? ' patternTransform="rotate(45)"' : ''}>` +
  `<rect width="6" height="6" fill="#ffffff"/><rect width="3" height="6" fill="${colour}"/></pattern>`;

const text = (x: number, y: number, content: string, name?: string, anchor?: string): string =>
  `<text x="${x}" y="${y}"${name === undefined ? '' : ` class="${name}"`}${anchor === undefined ? '' : ` text-anchor="${anchor}"`}>${xmlText(content)}</text>`;

interface Chart {
  readonly from: Instant;
  readonly length: number;
  readonly left: number;
  readonly width: number;
}

const place = ({ from, length, left, width }: Chart, at: Instant): number => left + ((at - from) * width) / length;

const rounded = (pixels: number): string => String(Math.round(pixels * 10) / 10);

interface Legend {
  readonly elements: readonly string[];
  readonly lines: number;
}

/** Below the title, on as many lines as it needs. */
function legendOf(rows: readonly TimelineRow[], width: number): Legend {
  const sorts = new Set(rows.flatMap(({ bars }) => bars.map(({ sort }) => sort)));
  const elements: string[] = [];
  let [x, line] = [MARGIN, 0];
  for (const [sort, meaning] of Object.entries(MEANINGS)) {
    if (!sorts.has(sort as Bar['sort'])) continue;
    const needed = 30 + meaning.length * 7;
    if (x > MARGIN && x + needed > width) [x, line] = [MARGIN, line + 1];
    const y = LEGEND + line * LINE;
    elements.push(
      `<rect class="${sort}" x="${x}" y="${y - 9}" width="12" height="10"/>`,
      text(x + 17, y, meaning, 'dim'),
    );
    x += needed;
  }
  return { elements, lines: elements.length === 0 ? 0 : line + 1 };
}

function marks(chart: Chart, top: number, bottom: number): readonly string[] {
  return timeMarks(chart.length, Math.max(1, Math.floor(chart.width / 80))).flatMap((mark) => {
    const x = rounded(place(chart, chart.from + mark));
    return [
      `<line class="mark" x1="${x}" x2="${x}" y1="${top - 8}" y2="${bottom}"/>`,
      text(Number(x), top - 13, markText(mark), 'dim', 'middle'),
    ];
  });
}

function rowElements(row: TimelineRow, top: number, chart: Chart, now: Instant): readonly string[] {
  const { name, depth, start, end = now, note } = row;
  const notes = [duration(end - start), ...(note === '' ? [] : [note])].join(', ');
  return [
    `<g>`,
    text(MARGIN + depth * 12, top + 14, abridged(name, Math.max(8, MOST_NAME - depth * 2))),
    ...row.bars.map((bar) => barElement(bar, now, top, chart)),
    text(chart.left + chart.width + 10, top + 14, abridged(notes, MOST_NOTE), 'dim'),
    `</g>`,
  ];
}

/** However short, a bar can be seen. */
function barElement({ sort, label, start, ...bar }: Bar, now: Instant, top: number, chart: Chart): string {
  const { end = now } = bar;
  const x = place(chart, start);
  const width = Math.max(1.5, place(chart, end) - x);
  const [y, height] = sort === 'idle' ? [top + 8, 6] : [top + 3, 15];
  const said = `${label}: ${MEANINGS[sort]}, ${duration(end - start)} from ${markText(start - chart.from)} on`;
  return `<rect class="${sort}" x="${rounded(x)}" y="${y}" width="${rounded(width)}" height="${height}"><title>${xmlText(said)}</title></rect>`;
}

/** More would be read to nobody's benefit. */
const MOST_DESCRIBED = 50;

function description(rows: readonly TimelineRow[], hidden: number, from: Instant, now: Instant): string {
  const said = rows.slice(0, MOST_DESCRIBED).map(({ name, status, start, end = now, note }) => {
    const more = note === '' ? '' : ` (${note})`;
    return `${abridged(name, 100)} ${status}${more}, from ${duration(start - from)} to ${duration(end - from)}.`;
  });
  const more = rows.length - said.length + hidden;
  return [...said, ...(more === 0 ? [] : [`And ${things(more, 'more row')}.`])].join(' ');
}
