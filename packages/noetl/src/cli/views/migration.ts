import type { DialectFound, Note } from '@noetl/playbook';
import { type Line, paint, tinted } from './line.ts';
import { things } from './quantity.ts';
import { visible } from './visible.ts';

/** Pieces of evidence that are shown for a dialect. */
const SHOWN = 3;

/** `etl.yaml  case-003: the step 'fetch' has 'case' (line 12), and 4 more` */
export function dialectLines(file: string, dialects: readonly DialectFound[], color: boolean): string {
  const lines = dialects.map(({ dialect, evidence }): Line => {
    const shown = evidence.slice(0, SHOWN).map(({ what, line }) => `${visible(what)} (line ${line})`);
    const more = evidence.length > SHOWN ? [`and ${evidence.length - SHOWN} more`] : [];
    const why = [...shown, ...more].join(', ');
    return [tinted('bold', visible(file)), '  ', tinted('cyan', dialect), why === '' ? '' : `: ${why}`];
  });
  return lines.map((line) => `${paint(line, color)}\n`).join('');
}

/** `etl.yaml:12:5  case-arcs: …`, with a mark if the author should look at it. */
export function noteText(file: string, { line, column, rule, message, review }: Note, color: boolean): string {
  const place = tinted('bold', `${visible(file)}:${line}:${column}`);
  const mark: Line = review ? [tinted('yellow', 'review'), ' '] : [];
  return `${paint([place, '  ', ...mark, `${rule}: ${visible(message)}`], color)}\n`;
}

/** The same as a warning, where a playbook is not migrated but upgraded on the way in. */
export function reviewText(file: string, { line, column, rule, message }: Note, color: boolean): string {
  const place = tinted('bold', `${visible(file)}:${line}:${column}`);
  return `${paint([place, ' ', tinted('yellow', 'warning'), ` ${rule}: ${visible(message)}`], color)}\n`;
}

export interface MigrationCounts {
  readonly files: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly notes: number;
  readonly reviews: number;
  readonly problems: number;
}

/** `3 files: 1 to change, 1 canonical, 1 not translated; 5 notes, 2 of them to review, 1 problem` */
export function migrationSummary(counts: MigrationCounts, changed: string): string {
  const { files, unchanged, refused, notes, reviews, problems } = counts;
  const verdict = [
    counts.changed > 0 && `${counts.changed} ${changed}`,
    unchanged > 0 && `${unchanged} canonical`,
    refused > 0 && `${refused} not translated`,
  ];
  const found = [
    notes > 0 && `${things(notes, 'note')}${reviews === 0 ? '' : ` (${reviews} to review)`}`,
    problems > 0 && things(problems, 'problem'),
  ];
  const parts = [verdict, found].map((texts) => texts.filter(Boolean).join(', ')).filter((text) => text !== '');
  return `${things(files, 'file')}: ${parts.join('; ')}\n`;
}
