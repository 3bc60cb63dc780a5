import { offsetInFile } from '../../yaml/node.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { scalar } from './build.ts';
import type { ScalarSource, ScalarTree } from './tree.ts';

/** A change of a scalar's text, in offsets of its value. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The scalar with edits that do not overlap; as far as possible written as it was. */
export function respelled(tree: ScalarTree, edits: readonly TextEdit[]): ScalarTree {
  if (edits.length === 0 || typeof tree.value !== 'string') return tree;
  const ordered = [...edits].sort((a, b) => a.start - b.start);
  const value = applied(tree.value, ordered);
  if (value === tree.value) return tree;
  const { source } = tree;
  const spelled = source === undefined ? undefined : respelledSource(source, ordered, value);
  return spelled === undefined ? scalar(value) : { kind: 'scalar', value, source: spelled };
}

function applied(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let from = 0;
  for (const edit of edits) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

function respelledSource(source: ScalarSource, edits: readonly TextEdit[], value: string): ScalarSource | undefined {
  if (edits.some(({ text }) => text.includes('\n'))) return undefined;
  const places = edits.map(({ start, end, text }) => ({
    start: offsetInFile(source.segments, start),
    // The end of what is replaced stands behind its last character: what follows may stand on another line.
    end: end === start ? offsetInFile(source.segments, start) : offsetInFile(source.segments, end - 1) + 1,
    text: escaped(text, source),
  }));
  const text = applied(source.text, places);
  const spelled = read(source, text, value);
  return spelled?.source;
}

/** The scalar that a text is, read again: only one that says what is meant may stand. */
function read(source: ScalarSource, text: string, value: string): ScalarTree | undefined {
  const before = `${' '.repeat(source.column)}k: `;
  const read = readYaml(`${before}${text}\n`);
  if ('error' in read || read.node.kind !== 'map') return undefined;
  const node = read.node.entries[0]?.value;
  if (node?.kind !== 'scalar' || read.node.entries.length !== 1) return undefined;
  const wanted = source.style === 'block' ? value.trimEnd() : value;
  const got = source.style === 'block' && typeof node.value === 'string' ? node.value.trimEnd() : node.value;
  if (got !== wanted) return undefined;
  const segments = node.segments.map((segment) => ({ ...segment, source: segment.source - before.length }));
  return { kind: 'scalar', value, source: { ...source, text, segments } };
}

function escaped(text: string, source: ScalarSource): string {
  if (source.style !== 'quoted') return text;
  if (source.text.startsWith("'")) return text.replaceAll("'", "''");
  return JSON.stringify(text).slice(1, -1);
}

/** A text of several lines with one more line on top; a literal block stays one. */
export function withLineAbove(tree: ScalarTree, line: string): ScalarTree {
  const value = `${line}\n${String(tree.value)}`;
  const { source } = tree;
  const [head = '', ...lines] = source?.style === 'block' && source.text.startsWith('|') ? source.text.split('\n') : [];
  const first = lines.find((text) => text.trim() !== '');
  // A number behind the bar says how far its lines are indented.
  if (source === undefined || first === undefined || /\d/.test(head)) return scalar(value);
  const indent = /^ */.exec(first)?.[0] ?? '';
  const text = [head, indent + line, ...lines].join('\n');
  return read(source, text, value) ?? scalar(value);
}
