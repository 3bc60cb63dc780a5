import type { MapEntry, MapNode, ScalarNode, Span, YamlNode } from '../../yaml/node.ts';
import type { Above, EntryTree, ItemTree, Layout, MapTree, Slice, Tree } from './tree.ts';

/** A text that trees grew from. */
export interface SourceDocument {
  readonly text: string;
  /** Where its last entry ends. */
  readonly tail: number;
}

/** A document as a tree; undefined if it uses anchors, because then one text stands for several values. */
export function grow(
  text: string,
  root: MapNode,
): { readonly root: MapTree; readonly document: SourceDocument } | undefined {
  const grower = new Grower(text);
  const tree = grower.tree(root, 0, { start: 0, end: text.length });
  if (grower.anchored || tree.kind !== 'map') return undefined;
  return { root: tree, document: { text, tail: grower.lineEnd(root.span.end) } };
}

class Grower {
  anchored = false;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** `column`: of the entry or item it belongs to. `within`: where it must stand, unless it is an alias. */
  tree(node: YamlNode, column: number, within: Span): Tree {
    if (node.span.start < within.start || node.span.end > within.end) this.anchored = true;
    if (this.anchored) return { kind: 'scalar', value: null, source: undefined };
    if (node.kind === 'scalar') return this.scalar(node, column);
    const first = this.text[node.span.start];
    const isFlow = (node.kind === 'map' && first === '{') || (node.kind === 'list' && first === '[');
    if (isFlow) return this.flow(node, column);
    const own = this.columnOf(node.span.start);
    const layout: Layout = { flow: false, indent: own - column, padding: undefined, slice: undefined, comments: [] };
    return node.kind === 'map'
      ? { kind: 'map', entries: this.entries(node, own, within), layout }
      : { kind: 'list', items: this.items(node, own, within), layout };
  }

  private scalar(node: ScalarNode, column: number): Tree {
    const { start, end } = node.span;
    const segments = node.segments.map(({ value, source }) => ({ value, source: source - start }));
    const source = { text: this.text.slice(start, end), column, style: node.style, segments };
    return { kind: 'scalar', value: node.value, source };
  }

  private entries(node: MapNode, column: number, within: Span): readonly EntryTree[] {
    let previous = within.start;
    return node.entries.map((entry) => {
      const { start } = entry.keySpan;
      const value = entry.value;
      const colon = this.text.indexOf(':', entry.keySpan.end);
      const part = this.part(value, start, colon + 1, previous, column);
      previous = part.slice?.end ?? previous;
      return { key: entry.key, ...part };
    });
  }

  private items(node: Extract<YamlNode, { kind: 'list' }>, column: number, within: Span): readonly ItemTree[] {
    let previous = within.start;
    return node.items.map((value, i) => {
      const dash = i === 0 ? node.span.start : this.dashAfter(previous, column);
      const part = this.part(value, dash, dash + 1, previous, column);
      previous = part.slice?.end ?? previous;
      return part;
    });
  }

  /** `start`: of the key or dash; `headEnd`: behind the colon or dash; `previous`: where what stands before it ends. */
  private part(value: YamlNode, start: number, headEnd: number, previous: number, column: number): ItemTree {
    const empty = value.span.start === value.span.end;
    const lineEnd = this.lineEnd(headEnd);
    const sameLine = !empty && value.span.start < lineEnd;
    const gapEnd = sameLine ? value.span.start : headEnd;
    if (this.text.slice(headEnd, gapEnd).trim() !== '' || value.span.start < start) this.anchored = true;
    const end = this.lineEnd(empty ? headEnd : value.span.end);
    const isBlock = value.kind !== 'scalar' && !this.isFlow(value);
    // Comments between the head and a block below it belong to the block.
    const from = isBlock && !sameLine ? lineEnd : gapEnd;
    const tree = this.tree(value, column, { start: from, end: Math.max(end, lineEnd) });
    return {
      value: tree,
      at: start,
      above: this.above(previous, start, column),
      comment: this.commentOf(value, headEnd, sameLine, isBlock),
      head: this.text.slice(start, gapEnd),
      slice: { start, end, column },
    };
  }

  /** What follows on the line of the head, if the value does not continue there. */
  private commentOf(value: YamlNode, headEnd: number, sameLine: boolean, isBlock: boolean): string {
    const besideHead = sameLine ? '' : this.text.slice(headEnd, this.lineEnd(headEnd));
    if (!/^[ \t]*(?:#|$)/.test(besideHead)) this.anchored = true;
    if (isBlock || value.span.start === value.span.end) return besideHead;
    if (value.kind === 'scalar' && value.style === 'block') return besideHead;
    return besideHead.trimEnd() + this.text.slice(value.span.end, this.lineEnd(value.span.end));
  }

  /** The whole lines between two places. */
  private above(from: number, to: number, column: number): Above {
    const lineStart = this.text.lastIndexOf('\n', to - 1) + 1;
    const start = from === 0 ? 0 : from + 1;
    if (start >= lineStart) return { lines: [], column };
    return { lines: this.text.slice(start, lineStart - 1).split('\n'), column };
  }

  private flow(node: Exclude<YamlNode, ScalarNode>, column: number): Tree {
    const slice: Slice = { ...node.span, column };
    const padding = this.text[node.span.start + 1] === ' ' ? ' ' : '';
    const layout: Layout = { flow: true, indent: undefined, padding, slice, comments: flowComments(this.text, node) };
    return node.kind === 'map'
      ? { kind: 'map', entries: node.entries.map((entry) => this.flowEntry(entry, column, node.span)), layout }
      : {
          kind: 'list',
          items: node.items.map((value) => this.flowPart(value, value.span.start, column, node.span)),
          layout,
        };
  }

  private flowEntry(entry: MapEntry, column: number, within: Span): EntryTree {
    return { key: entry.key, ...this.flowPart(entry.value, entry.keySpan.start, column, within) };
  }

  private flowPart(value: YamlNode, at: number, column: number, within: Span): ItemTree {
    const tree = this.tree(value, column, within);
    // Lines of a text inside of brackets may stand anywhere, those of one in a block may not; an item needs a text.
    const isLoose = tree.kind === 'scalar' && /^$|\n/.test(tree.source?.text ?? '');
    const kept = isLoose ? { ...tree, source: undefined } : tree;
    return { value: kept, at, above: { lines: [], column }, comment: '', head: undefined, slice: undefined };
  }

  private dashAfter(from: number, column: number): number {
    let line = this.text.indexOf('\n', from) + 1;
    while (line > 0 && !/^ *-(?:[ \t\r\n]|$)/.test(this.text.slice(line, line + column + 2))) {
      line = this.text.indexOf('\n', line) + 1;
    }
    return line + column;
  }

  private isFlow(node: YamlNode): boolean {
    const first = this.text[node.span.start];
    return first === '{' || first === '[';
  }

  private columnOf(at: number): number {
    return at - (this.text.lastIndexOf('\n', at - 1) + 1);
  }

  lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at);
    return end < 0 ? this.text.length : end;
  }
}

/** Comments between the values of a flow collection. */
function flowComments(text: string, node: YamlNode): readonly string[] {
  const found: string[] = [];
  const gap = (start: number, end: number) => {
    for (const match of text.slice(start, end).matchAll(/(?<=[ \t\n]|^)#[^\n]*/g)) found.push(match[0].trimEnd());
  };
  let from = node.span.start;
  const visit = (inner: YamlNode) => {
    if (inner.kind === 'scalar') {
      gap(from, inner.span.start);
      from = Math.max(from, inner.span.end);
    } else if (inner.kind === 'list') {
      for (const value of inner.items) visit(value);
    } else {
      for (const { keySpan, value } of inner.entries) {
        gap(from, keySpan.start);
        from = keySpan.end;
        visit(value);
      }
    }
  };
  visit(node);
  gap(from, node.span.end);
  return found;
}
