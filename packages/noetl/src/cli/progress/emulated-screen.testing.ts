import { widthOf } from '../views/text-width.ts';

const TOKENS = /\u001b\[(?<count>\d*)(?<steering>[A-Z])|(?<end>\n)|(?<back>\r)|(?<text>[^\u001b\r\n]+)/g;

/**
 * What a terminal shows after the text, with what scrolled away: lines are replaced as a whole. A line that is drawn
 * again must not be as wide as the terminal.
 */
export function emulateScreen(output: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = 0;
  for (const { groups = {} } of output.matchAll(TOKENS)) {
    if (groups.text !== undefined) rows[row] = groups.text;
    if (groups.end !== undefined) row += 1;
    if (groups.steering === 'J') rows.splice(row);
    if (groups.steering === 'A') {
      const again = rows.slice(row - Number(groups.count), row);
      const wide = again.find((line) => widthOf(line) >= columns);
      if (wide !== undefined) throw new Error(`the line wraps: ${wide}`);
      row -= Number(groups.count);
    }
  }
  return rows;
}
