import type { CodePlace } from '@noetl/playbook';
import { isMap } from '../checked-fields.ts';
import { cut } from '../cut.ts';

/** A line of the code of a task, or of something it called. */
export interface CodeLine {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly text: string;
}

export function placesOf(data: unknown): readonly CodeLine[] {
  if (!Array.isArray(data)) return [];
  return data.filter(isMap).map(({ file, line, function: name, text }) => ({
    file: String(file),
    line: Number(line),
    function: String(name),
    text: String(text),
  }));
}

/** The code of a task, where it stands in its playbook, and the file of that. */
export interface WrittenCode {
  readonly label: string;
  readonly at: CodePlace | undefined;
  readonly playbook: string | undefined;
}

/** What the code is called and which line it begins with, for who runs it: tracebacks show what a person can find. */
export const codeName = ({ label, at, playbook }: WrittenCode): { readonly name: string; readonly line: number } =>
  at?.byLine === true && playbook !== undefined ? { name: playbook, line: at.line } : { name: `<${label}>`, line: 1 };

/** What went wrong, and the innermost line of the task's own code. */
export function codeMessage(problem: string, places: readonly CodeLine[], written: WrittenCode): string {
  const own = places.findLast(({ file }) => file === places[0]?.file);
  if (own === undefined) return `${problem} (in the code of '${written.label}'${beginning(written)})`;
  const where = own.file.startsWith('<')
    ? `line ${own.line} of the code of '${written.label}'${beginning(written)}`
    : `${own.file}:${own.line}`;
  return `${problem} (${where}${own.text === '' ? '' : `: ${cut(own.text, 200)}`})`;
}

const beginning = ({ at, playbook }: WrittenCode): string =>
  at === undefined || playbook === undefined ? '' : `, which begins at ${playbook}:${at.line}`;
