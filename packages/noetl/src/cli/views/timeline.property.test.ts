import type { Span, Summary } from '@noetl/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widthOfLine } from './line.ts';
import { START } from './recorded.testing.ts';
import { timelineRows } from './timeline-rows.ts';
import { timelineSvg } from './timeline-svg.ts';
import { timelineText } from './timeline-text.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"\'&amp;',
  ']]>',
  '<!--',
  '\u001b[2J',
  '\u202e',
  '\ud800',
  '\uffff',
  '日本 🎉',
  '',
];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 60 }));
const status = fc.constantFrom<Span['status']>(
  'ready',
  'running',
  'waiting',
  'held',
  'done',
  'failed',
  'dropped',
  'skipped',
);

/** Bars as a worker with a wrong clock might report them, too. */
const span = (lane: number): fc.Arbitrary<Span> =>
  fc
    .record({
      kind: fc.constantFrom<Span['kind']>('attempt', 'wait'),
      label: text,
      status,
      start: fc.integer({ min: START - 5_000, max: START + 90_000_000 }),
      length: fc.option(fc.integer({ min: 0, max: 90_000_000 }), { nil: undefined }),
      reason: fc.constantFrom('retry', 'signal', 'child'),
    })
    .map(({ kind, label, status: is, start, length, reason }) => ({
      kind,
      lane,
      work: String(lane),
      label,
      status: is,
      start,
      end: length === undefined ? undefined : start + length,
      ...(kind === 'wait' ? { for: reason } : { attempt: 1 }),
    })) as fc.Arbitrary<Span>;

const lanes = fc
  .array(fc.tuple(text, status, fc.nat(100_000)), { maxLength: 12 })
  .chain((runs) =>
    fc.tuple(
      ...runs.map(([label, is, start], lane) =>
        fc
          .array(span(lane), { maxLength: 4 })
          .map((inside): Span[] => [
            { kind: 'run', lane, work: String(lane), label, status: is, start: START + start, end: START + start + 7 },
            ...inside,
          ]),
      ),
    ),
  )
  .map((all) => all.flat());

const summary = fc.record({ id: text, path: text, over: fc.boolean() }).map(
  ({ id, path, over }) =>
    ({
      execution_id: id,
      path,
      status: over ? 'success' : 'running',
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: over ? '2026-01-01T00:01:00.000Z' : undefined,
    }) as Summary,
);

describe('a timeline of hostile names and times', () => {
  it('fits into the columns, and lets nothing steer the terminal', () => {
    fc.assert(
      fc.property(lanes, summary, fc.integer({ min: 20, max: 200 }), (spans, about, columns) => {
        const told = timelineText(about, timelineRows(spans, 10), { columns, color: false, now: START + 60_000 });
        for (const line of told.split('\n')) {
          expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(widthOfLine([line])).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is a well-formed picture', () => {
    fc.assert(
      fc.property(lanes, summary, (spans, about) => {
        const svg = timelineSvg(about, timelineRows(spans, 10), { width: 800, now: START + 60_000 });
        expect(svg).not.toMatch(/[^\P{Cc}\n]|\p{Cs}|[\ufffe\uffff\u202a-\u202e]|NaN|Infinity|undefined/u);
        expect(elementsLeftOpen(svg)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** Reads XML as strictly as a parser: tags that match, attributes in quotes, no mark in text that is no entity. */
function elementsLeftOpen(xml: string): readonly string[] {
  const open: string[] = [];
  const rest = xml
    .replace(/<style>[^<]*<\/style>/, '')
    .replace(
      /<(\/?)([a-z]+)((?: [a-zA-Z0-9:-]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#39);[^"<&]*)*")*)(\/?)>/g,
      (_, closes: string, name: string, __, empty: string) => {
        if (closes !== '') {
          if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
        } else if (empty === '') open.push(name);
        return '';
      },
    );
  expect(rest.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[<>&]/);
  return open;
}
