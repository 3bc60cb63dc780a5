import type { Origin, Origins } from '../migration.ts';
import { shifted } from './edit.ts';
import type { SourceDocument } from './grow.ts';
import { isPlain, scalarText } from './scalar-style.ts';
import type { Above, EntryTree, ItemTree, ListTree, MapTree, ScalarTree, Slice, Tree } from './tree.ts';

/** The tree as text, and where each of its lines comes from. */
export function print(
  root: MapTree,
  { text: source, tail }: SourceDocument,
): { readonly text: string; readonly origins: Origins } {
  const printer = new Printer(source);
  const rest = tail >= source.length ? [] : printer.sliced({ start: tail + 1, end: source.length, column: 0 }, 0);
  const lines = [...printer.root(root), ...rest];
  return { text: lines.map(({ text }) => text).join('\n'), origins: lines.map(({ origin }) => origin) };
}

interface Line {
  readonly text: string;
  readonly origin: Origin;
}

const INDENT = 2;

class Printer {
  private readonly source: string;
  private readonly lineStarts: readonly number[];

  constructor(source: string) {
    this.source = source;
    const starts = [0];
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
    this.lineStarts = starts;
  }

  root({ entries, layout }: MapTree): readonly Line[] {
    return this.entries(entries, layout.flow ? 0 : (layout.indent ?? 0));
  }

  private entries(entries: readonly EntryTree[], column: number): readonly Line[] {
    return entries.flatMap((entry) => [...this.above(entry.above, column, entry.at), ...this.entry(entry, column)]);
  }

  private items(items: readonly ItemTree[], column: number): readonly Line[] {
    return items.flatMap((item) => [...this.above(item.above, column, item.at), ...this.item(item, column)]);
  }

  private entry(entry: EntryTree, column: number): readonly Line[] {
    if (entry.slice !== undefined) return this.sliced(entry.slice, column);
    const head = entry.head ?? `${keyText(entry.key)}: `;
    return this.headed(entry, head, column, INDENT);
  }

  private item(item: ItemTree, column: number): readonly Line[] {
    if (item.slice !== undefined) return this.sliced(item.slice, column);
    const { value } = item;
    const head = item.head ?? '- ';
    if (value.kind === 'scalar' || this.flowText(value, column) !== undefined)
      return this.headed(item, head, column, 0);
    // The first entry stands beside the dash.
    const width = /^-[ \t]+$/.test(head) && head.length > 1 ? head.length : 2;
    const inner = this.block(value, column + width);
    const first = inner.findIndex(({ text }) => !isAside(text));
    const [line, ...rest] = inner.slice(first);
    if (line === undefined) return inner;
    const dashed = { ...line, text: `${' '.repeat(column)}-${' '.repeat(width - 1)}${line.text.trimStart()}` };
    const asides = inner.slice(0, first).map((aside) => ({ ...aside, text: shifted(aside.text, -width) }));
    const beside = item.comment.trim() === '' ? [] : [this.line(' '.repeat(column) + item.comment.trim(), item.at)];
    return [...beside, ...asides, dashed, ...rest];
  }

  private block(tree: MapTree | ListTree, column: number): readonly Line[] {
    return tree.kind === 'map' ? this.entries(tree.entries, column) : this.items(tree.items, column);
  }

  /** A key or dash with a value that is no block beside a dash. */
  private headed(part: ItemTree, head: string, column: number, indent: number): readonly Line[] {
    const { value, at } = part;
    const comment = /^[^ \t]/.test(part.comment) ? ` ${part.comment}` : part.comment;
    const start = ' '.repeat(column);
    const flow = value.kind === 'scalar' ? undefined : this.flowText(value, column);
    if (value.kind !== 'scalar' && flow === undefined) {
      const own = column + (value.layout.indent ?? indent);
      const remarks = value.layout.comments.map((remark) => this.line(start + remark, at));
      return [...remarks, this.line(`${start}${head.trimEnd()}${comment}`, at), ...this.block(value, own)];
    }
    const text = value.kind === 'scalar' ? this.scalarAt(value, column) : (flow ?? '');
    const [first = '', ...rest] = text.split('\n');
    const gap = first === '' ? head.trimEnd() : /[ \t]$/.test(head) ? head : `${head} `;
    const remarks =
      value.kind === 'scalar' || value.layout.slice !== undefined
        ? []
        : value.layout.comments.map((remark) => this.line(start + remark, at));
    const last = rest.length;
    return [
      ...remarks,
      ...[`${start}${gap}${first}`, ...rest].map((line, i) =>
        this.line(i === commentLine(value, last) ? line + comment : line, at, i),
      ),
    ];
  }

  private scalarAt(scalar: ScalarTree, column: number): string {
    if (scalar.source === undefined) return scalarText(scalar.value, column + INDENT);
    return reindented(scalar.source.text, column - scalar.source.column);
  }

  /** The collection on one line, or as it was written; undefined if it has to be a block. */
  private flowText(tree: Tree, column: number): string | undefined {
    if (tree.kind === 'scalar') {
      const text = this.scalarAt(tree, column);
      return tree.source?.style === 'block' || text.includes('\n') ? undefined : text;
    }
    const { slice } = tree.layout;
    if (slice !== undefined) return reindented(this.source.slice(slice.start, slice.end), column - slice.column);
    if (isEmpty(tree)) return tree.kind === 'map' ? '{}' : '[]';
    if (!tree.layout.flow) return undefined;
    const parts: string[] = [];
    for (const part of tree.kind === 'map' ? tree.entries : tree.items) {
      const value = this.flowText(part.value, column);
      if (value === undefined || part.above.lines.length > 0 || part.comment.trim() !== '') return undefined;
      if (part.value.kind === 'scalar' && part.value.source?.style === 'plain' && /[,[\]{}]/.test(value))
        return undefined;
      parts.push('key' in part ? `${keyText(String(part.key))}: ${value}` : value);
    }
    const padding = tree.layout.padding ?? (tree.kind === 'map' ? ' ' : '');
    const inside = `${padding}${parts.join(', ')}${padding}`;
    return tree.kind === 'map' ? `{${inside}}` : `[${inside}]`;
  }

  private above({ lines, column }: Above, to: number, at: number): readonly Line[] {
    return lines.map((line) => this.line(shifted(line, to - column), at));
  }

  sliced({ start, end, column }: Slice, to: number): readonly Line[] {
    const shift = to - column;
    const first = this.lineOf(start);
    return this.source
      .slice(start, end)
      .split('\n')
      .map((line, i) => ({
        text: i === 0 ? ' '.repeat(to) + line : shifted(line, shift),
        origin: { line: first + i, shift, column: 1 },
      }));
  }

  private line(text: string, at: number, below = 0): Line {
    const line = this.lineOf(at);
    const column = at - (this.lineStarts[line - 1] ?? 0) + 1;
    return { text, origin: { line: line + below, shift: undefined, column: below === 0 ? column : 1 } };
  }

  private lineOf(at: number): number {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}

/** Beside a block scalar's head, else behind the value. */
const commentLine = (value: Tree, last: number): number =>
  value.kind === 'scalar' && (value.source === undefined || value.source.style === 'block') ? 0 : last;

const keyText = (key: string): string => (isPlain(key) ? key : JSON.stringify(key));

const isEmpty = (tree: MapTree | ListTree): boolean =>
  tree.kind === 'map' ? tree.entries.length === 0 : tree.items.length === 0;

/** A comment or a blank line. */
const isAside = (line: string): boolean => /^\s*(?:#|$)/.test(line);

/** A text of several lines moved sideways; its first line stands behind something else. */
function reindented(text: string, by: number): string {
  if (by === 0 || !text.includes('\n')) return text;
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.map((line) => shifted(line, by))].join('\n');
}
