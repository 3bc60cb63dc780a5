import type { ScalarValue } from '../../yaml/node.ts';
import { plainValue } from '../../yaml/plain-value.ts';

const PLAIN = /^[\p{L}_/.][\p{L}\p{N}_/. +@()-]*$/u;

/** Whether a text may stand without quotes everywhere, also in `{…}`. */
export function isPlain(text: string): boolean {
  if (!PLAIN.test(text) || text.endsWith(' ')) return false;
  const read = plainValue(text);
  return 'value' in read && read.value === text;
}

/** A scalar as we write it: templates in double quotes, several lines as a block whose lines start at `column`. */
export function scalarText(value: ScalarValue, column: number): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (isPlain(value)) return value;
  if (value.includes('\n') && isBlockable(value)) return blockText(value, column);
  return value.includes('"') && !/['\n\\\p{Cc}]/u.test(value) ? `'${value}'` : JSON.stringify(value);
}

/** Whether the lines mean the same when they stand in a block. */
const isBlockable = (text: string): boolean =>
  !/^[ \n]/.test(text) && !/\n\n$/.test(text) && !/[\p{Cc}\u2028\u2029\ufeff]/u.test(text.replaceAll('\n', ''));

function blockText(text: string, column: number): string {
  const ends = text.endsWith('\n');
  const lines = (ends ? text.slice(0, -1) : text).split('\n');
  return [ends ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : ' '.repeat(column) + line))].join('\n');
}
