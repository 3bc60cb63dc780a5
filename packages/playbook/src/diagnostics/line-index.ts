/** Turns offsets into lines and columns. Finds lines only as far as it is asked: a hostile file has a million. */
export class LineIndex {
  /** Where the lines start that were found so far. */
  private readonly starts: number[];
  private complete = false;
  readonly source: string;

  constructor(source: string) {
    this.source = source;
    // A byte order mark is no character of the first line.
    this.starts = [source.startsWith('\ufeff') ? 1 : 0];
  }

  /** 1-based line and column of an offset. */
  place(offset: number): { readonly line: number; readonly column: number } {
    while (!this.complete && this.lastStart() <= offset) this.findNext();
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
    const start = this.startOf(number) ?? this.source.length;
    const end = this.startOf(number + 1) ?? this.source.length + 1;
    const line = this.source.slice(start, end - 1);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  offset({ line, column }: { readonly line: number; readonly column: number }): number {
    return (this.startOf(line) ?? 0) + column - 1;
  }

  /** Whether lines from one offset to another follow each other in what the author wrote, too. */
  inStep(_start: number, _end: number): boolean {
    return true;
  }

  private startOf(line: number): number | undefined {
    while (!this.complete && this.starts.length < line) this.findNext();
    return this.starts[line - 1];
  }

  private lastStart(): number {
    return this.starts[this.starts.length - 1] ?? 0;
  }

  private findNext(): void {
    const end = this.source.indexOf('\n', this.lastStart());
    if (end < 0) this.complete = true;
    else this.starts.push(end + 1);
  }
}
