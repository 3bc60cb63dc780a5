/** Turns offsets into lines and columns. */
export class LineIndex {
  private readonly starts: readonly number[];
  readonly source: string;

  constructor(source: string) {
    this.source = source;
    // A byte order mark is no character of the first line.
    const starts = [source.startsWith('\ufeff') ? 1 : 0];
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
    this.starts = starts;
  }

  /** 1-based line and column of an offset. */
  place(offset: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }

  line(number: number): string {
    const start = this.starts[number - 1] ?? this.source.length;
    const end = this.starts[number] ?? this.source.length + 1;
    const line = this.source.slice(start, end - 1);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  offset({ line, column }: { readonly line: number; readonly column: number }): number {
    return (this.starts[line - 1] ?? 0) + column - 1;
  }
}
