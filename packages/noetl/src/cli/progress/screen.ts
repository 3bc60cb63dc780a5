import { fit, type Line, paint, widthOfLine } from '../views/line.ts';

/** The end of a terminal: lines that stay and scroll away, and below them some that are drawn again and again. */
export interface Screen {
  /** The columns that lines which are drawn again may take. */
  width(): number;
  /** Adds lines that stay, and replaces the ones below. One write, which never erases what it writes again at once. */
  draw(staying: readonly Line[], changing: readonly Line[]): void;
}

interface ScreenOptions {
  readonly color: boolean;
  columns(): number;
  write(text: string): void;
}

const ERASE_REST_OF_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

export function createScreen({ color, columns, write }: ScreenOptions): Screen {
  let drawn: readonly number[] = [];
  let before = '';
  // The last column stays free: many terminals wrap as soon as it is written.
  const width = () => Math.max(1, columns() - 1);
  return {
    width,
    draw(staying, changing) {
      const rows = changing.map((line) => fit(line, width()));
      const text = rows.map((line) => `${paint(line, color)}${ERASE_REST_OF_LINE}\n`).join('');
      if (staying.length === 0 && text === before) return;
      const kept = staying.map((line) => `${paint(line, color)}${ERASE_REST_OF_LINE}\n`).join('');
      write(`${backTo(drawn, columns())}${kept}${text}${ERASE_BELOW}`);
      drawn = rows.map(widthOfLine);
      before = text;
    },
  };
}

/** Back to the first row that changes. A window that became narrower has wrapped them. */
function backTo(drawn: readonly number[], columns: number): string {
  const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / Math.max(1, columns))), 0);
  return rows === 0 ? '' : `\r\u001b[${rows}A`;
}
