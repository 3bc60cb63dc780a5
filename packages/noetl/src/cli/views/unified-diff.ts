import { type Line, paint, type Tint, tinted } from './line.ts';
import { type LineChange, lineChanges } from './line-changes.ts';
import { visible } from './visible.ts';

/** Lines that are shown around a change. */
const CONTEXT = 3;

const SIGNS = { kept: ' ', gone: '-', new: '+' } as const;
const TINTS: Readonly<Record<LineChange['kind'], Tint | undefined>> = { kept: undefined, gone: 'red', new: 'green' };

/** What `patch` reads: how one text of a file becomes the other. Empty if they are the same. */
export function unifiedDiff(file: string, before: string, after: string, color: boolean): string {
  if (before === after) return '';
  const changes = lineChanges(linesOf(before), linesOf(after));
  const name = visible(file);
  const head: readonly Line[] = [[tinted('bold', `--- ${name}`)], [tinted('bold', `+++ ${name}`)]];
  const lines = [...head, ...hunksOf(changes).flatMap((hunk) => hunkLines(hunk, changes))];
  return lines.map((line) => `${paint(line, color)}\n`).join('');
}

/** Each line with its end, so that a last line without one differs. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

interface Hunk {
  /** Indices of changes. */
  readonly from: number;
  readonly to: number;
}

function hunksOf(changes: readonly LineChange[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [i, { kind }] of changes.entries()) {
    if (kind === 'kept') continue;
    const last = hunks.at(-1);
    const [from, to] = [Math.max(0, i - CONTEXT), Math.min(changes.length, i + 1 + CONTEXT)];
    if (last !== undefined && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function hunkLines({ from, to }: Hunk, changes: readonly LineChange[]): readonly Line[] {
  const [above, shown] = [changes.slice(0, from), changes.slice(from, to)];
  const range = (sign: '-' | '+', other: LineChange['kind']) => {
    const count = shown.filter(({ kind }) => kind !== other).length;
    const start = above.filter(({ kind }) => kind !== other).length + (count === 0 ? 0 : 1);
    return `${sign}${start}${count === 1 ? '' : `,${count}`}`;
  };
  const title: Line = [tinted('cyan', `@@ ${range('-', 'new')} ${range('+', 'gone')} @@`)];
  return [title, ...shown.flatMap(changeLines)];
}

function changeLines({ kind, text }: LineChange): readonly Line[] {
  const whole = text.replace(/\n$/, '');
  const end = whole.endsWith('\r') ? '\r' : '';
  const shown = `${SIGNS[kind]}${tabbed(end === '' ? whole : whole.slice(0, -1))}${end}`;
  const tint = TINTS[kind];
  const line: Line = [tint === undefined ? shown : tinted(tint, shown)];
  return text.endsWith('\n') ? [line] : [line, ['\\ No newline at end of file']];
}

/** Tabs do no harm, and a patch needs them. */
const tabbed = (text: string): string => text.split('\t').map(visible).join('\t');
