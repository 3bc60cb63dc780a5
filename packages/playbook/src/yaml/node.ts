/** A YAML document as data with places. Offsets count UTF-16 units from the start of the file. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export type ScalarValue = string | number | boolean | null;

/** Where the text of a scalar stands in the file: from `value` on, its characters follow those at `source`. */
export interface Segment {
  readonly value: number;
  readonly source: number;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly span: Span;
  readonly value: ScalarValue;
  readonly style: 'plain' | 'quoted' | 'block';
  readonly segments: readonly Segment[];
}

interface ListNode {
  readonly kind: 'list';
  readonly span: Span;
  readonly items: readonly YamlNode[];
}

export interface MapEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: YamlNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly span: Span;
  readonly entries: readonly MapEntry[];
}

export type YamlNode = ScalarNode | ListNode | MapNode;

/** The offset in the file of a character of a scalar's text. */
export function offsetInFile(segments: readonly Segment[], offset: number): number {
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle]?.value ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const found = segments[low];
  return found === undefined ? 0 : found.source + (offset - found.value);
}

export const entryOf = (node: MapNode, key: string): MapEntry | undefined =>
  node.entries.find((entry) => entry.key === key);
