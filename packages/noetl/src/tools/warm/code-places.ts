import { isMap } from '../checked-fields.ts';

/** A line of the code of a task, or of something it called. */
export interface CodePlace {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly text: string;
}

export function placesOf(data: unknown): readonly CodePlace[] {
  if (!Array.isArray(data)) return [];
  return data.filter(isMap).map(({ file, line, function: name, text }) => ({
    file: String(file),
    line: Number(line),
    function: String(name),
    text: String(text),
  }));
}

/** What went wrong, and the innermost line of the task's own code. */
export function codeMessage(problem: string, places: readonly CodePlace[], label: string): string {
  const own = places.findLast(({ file }) => file === places[0]?.file);
  if (own === undefined) return `${problem} (in the code of '${label}')`;
  const where = own.file.startsWith('<') ? `line ${own.line} of the code of '${label}'` : `${own.file}:${own.line}`;
  return `${problem} (${where}${own.text === '' ? '' : `: ${own.text.slice(0, 200)}`})`;
}
