import type { Place } from '@noetl/playbook';
import { type Line, tinted } from './line.ts';
import { visible } from './visible.ts';

/** Characters of a line that are shown, and before the place if there are more. */
const SHOWN = 120;
const BEFORE = 60;

/** The line of a file with a caret below the place; of a long line the part around it. */
export function sourceExcerpt(text: string, { line, column }: Place): readonly Line[] {
  const source = text
    .replace(/^\ufeff/, '')
    .split('\n')
    [line - 1]?.replace(/\r$/, '');
  if (source === undefined) return [];
  const from = source.length <= SHOWN ? 0 : Math.max(0, column - 1 - BEFORE);
  const part = visible(source.slice(from, from + SHOWN));
  const head = from > 0 ? `…${part.slice(1)}` : part;
  const shown = from + SHOWN < source.length ? `${head.slice(0, -1)}…` : head;
  const margin = ' '.repeat(String(line).length);
  const blanks = Math.min(Math.max(0, column - 1 - from), SHOWN);
  return [
    [tinted('dim', `${line} | `), shown],
    [tinted('dim', `${margin} | `), ' '.repeat(blanks), tinted('red', '^')],
  ];
}
