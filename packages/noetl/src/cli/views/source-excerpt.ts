import type { Place } from '@noetl/playbook';
import { type Line, tinted } from './line.ts';
import { visible } from './visible.ts';

/** The line of a file with a caret below the place; of a long line the part around it. */
export function sourceExcerpt(text: string, { line, column }: Place): readonly Line[] {
  const source = text.replace(/^\ufeff/, '').split('\n')[line - 1];
  if (source === undefined) return [];
  const from = Math.max(0, column - 1 - 60);
  const margin = ' '.repeat(String(line).length);
  const shown = visible(source.replace(/\r$/, '').slice(from, from + 120));
  return [
    [tinted('dim', `${line} | `), shown],
    [tinted('dim', `${margin} | `), ' '.repeat(column - 1 - from), tinted('red', '^')],
  ];
}
