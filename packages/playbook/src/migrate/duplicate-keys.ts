import type { Span } from '../yaml/node.ts';
import { readYaml } from '../yaml/read-yaml.ts';

/** A text of which every key stands once. */
export interface SingleKeys {
  readonly source: string;
  /** What became a comment, by line from 0. */
  readonly left: readonly { readonly line: number; readonly key: string }[];
}

const MOST = 50;

/**
 * Of two entries with the same key, older readers took the last. The one before it becomes a comment, so that every line
 * stays the line it was; undefined where something else is wrong, or where it shares a line with what must stay.
 */
export function withSingleKeys(source: string): SingleKeys | undefined {
  const left: { line: number; key: string }[] = [];
  let text = source;
  for (let n = 0; n < MOST; n += 1) {
    const yaml = readYaml(text);
    if (!('error' in yaml)) return { source: text, left };
    if (yaml.error.code !== 'NOETL_YAML_DUPLICATE_KEY') return undefined;
    const commented = withoutFirst(text, yaml.error.span);
    if (commented === undefined) return undefined;
    left.push({ line: commented.line, key: text.slice(yaml.error.span.start, yaml.error.span.end) });
    text = commented.text;
  }
  return undefined;
}

function withoutFirst(text: string, second: Span): { readonly text: string; readonly line: number } | undefined {
  const lines = text.split('\n');
  const before = text.slice(0, second.start).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const key = `${' '.repeat(column)}${text.slice(second.start, second.end)}:`;
  let first = before.length - 2;
  while (first >= 0 && !(lines[first] ?? '').startsWith(key)) {
    if (indentOf(lines[first]) < column) return undefined;
    first -= 1;
  }
  if (first < 0) return undefined;
  let end = first + 1;
  while (end < before.length - 1 && indentOf(lines[end]) > column) end += 1;
  const commented = lines.map((line, i) =>
    i < first || i >= end || line.trim() === '' ? line : `${' '.repeat(column)}# ${line.slice(column)}`,
  );
  return { text: commented.join('\n'), line: first };
}

/** Blank lines belong to whatever is around them. */
const indentOf = (line: string | undefined): number => {
  const indent = (line ?? '').search(/\S/);
  return indent < 0 ? Number.POSITIVE_INFINITY : indent;
};
