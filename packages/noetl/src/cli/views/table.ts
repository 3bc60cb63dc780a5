import { type Line, tinted, widthOfLine } from './line.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows below their titles, each column as wide as its widest cell. */
export function table(columns: readonly Column[], rows: readonly (readonly Line[])[]): readonly Line[] {
  const widths = columns.map(({ title }, at) =>
    rows.reduce((width, row) => Math.max(width, widthOfLine(row[at] ?? [])), title.length),
  );
  const lineOf = (cells: readonly Line[]): Line =>
    columns.flatMap(({ align = 'left' }, at): Line => {
      const cell = cells[at] ?? [];
      const blank = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOfLine(cell)));
      const last = at === columns.length - 1;
      return align === 'right' ? [blank, ...cell, last ? '' : '  '] : [...cell, last ? '' : `${blank}  `];
    });
  return [lineOf(columns.map(({ title }) => [tinted('dim', title)])), ...rows.map(lineOf)].map(withoutTrail);
}

/** Empty cells at the end leave no blanks behind. */
function withoutTrail(line: Line): Line {
  const end = line.findLastIndex(
    (part) => widthOfLine([part]) > 0 && !(typeof part === 'string' && part.trim() === ''),
  );
  const last = line[end];
  if (last === undefined) return [];
  return [...line.slice(0, end), typeof last === 'string' ? last.trimEnd() : last];
}
