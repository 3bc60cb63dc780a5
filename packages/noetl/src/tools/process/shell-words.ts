import type { Json } from '@noetl/playbook';
import type { BoundPiece } from '../bind-template.ts';
import { textOf } from '../checked-fields.ts';

export interface ShellText {
  readonly text: string;
  /** The values, by the name of the variable that the text reads. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Where the shell would not take a variable for plain data. */
export class ShellProblem extends Error {}

/**
 * TOOL-5: values become variables. Outside of quotes a value is one word; inside of quotes it is a part of the word
 * around it; the shell never reads it as code.
 */
export function shellText(lines: readonly (readonly BoundPiece[])[]): ShellText {
  const variables: Record<string, string> = {};
  let quoting: Quoting = { stack: ['plain'], comment: false, last: '\n', documents: [], line: '' };
  const put = (value: Json): string => {
    const name = `NOETL_VALUE_${Object.keys(variables).length + 1}`;
    variables[name] = textOf(value);
    const text = reference(name, quoting);
    quoting = { ...quoting, last: '"', line: `${quoting.line}$` };
    return text;
  };
  const keep = (text: string): string => {
    quoting = after(quoting, text);
    return text;
  };
  const written = lines.flatMap((pieces) => [
    ...pieces.map((piece) => ('value' in piece ? put(piece.value) : keep(piece.text))),
    keep('\n'),
  ]);
  const [unended] = quoting.documents;
  // Something else may have been taken for its beginning, such as a shift to the left; then values after it would split.
  if (unended !== undefined && Object.keys(variables).length > 0) {
    throw new ShellProblem(`the here-document that ends with '${unended.end}' does not end`);
  }
  return { text: written.join(''), variables };
}

type Level = 'plain' | 'single' | 'double' | 'substitution' | 'backtick' | 'arithmetic' | 'document';

/** A here-document: the lines after the one with `<<`, up to its end. */
interface Document {
  readonly end: string;
  /** `<<'EOF'`: the shell replaces nothing in it. */
  readonly literal: boolean;
  /** `<<-EOF`: tabs before the end do not count. */
  readonly tabs: boolean;
}

interface Quoting {
  /** The innermost is last. */
  readonly stack: readonly Level[];
  readonly comment: boolean;
  /** The character before. */
  readonly last: string;
  /** The one being read, and those that come after it; before the end of the line that names them, those to come. */
  readonly documents: readonly Document[];
  /** What the line of a document begins with. */
  readonly line: string;
}

function reference(name: string, { stack, documents: [document] }: Quoting): string {
  switch (stack.at(-1)) {
    case 'document':
      if (document?.literal) {
        throw new ShellProblem(
          `a template stands in a here-document in which the shell replaces nothing; write <<${document.end} without quotes`,
        );
      }
      return `\${${name}}`;
    case 'double':
      return `\${${name}}`;
    case 'single':
      return `'"\${${name}}"'`;
    case 'arithmetic':
      // Some shells evaluate what stands in a variable here, commands included.
      throw new ShellProblem('a template stands inside of $(( )), where a shell may read its value as code');
    default:
      return `"\${${name}}"`;
  }
}

/** The quoting after a text. A mistake here could split a word, but never turn a value into code. */
function after({ stack, comment, last, documents, line }: Quoting, text: string): Quoting {
  const levels = [...stack];
  let commented = comment;
  let open = documents;
  let begun = line;
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    const char = text[i];
    if (level === 'document') {
      if (char === '\n') {
        if (isEnd(begun, open[0])) open = open.slice(1);
        if (open.length === 0) levels.pop();
        begun = '';
        continue;
      }
      begun += char;
      if (open[0]?.literal || char === '"' || char === "'") continue;
    }
    if (commented && char !== '\n') continue;
    commented = false;
    if (level === 'single') {
      if (char === "'") levels.pop();
    } else if (char === '\\') {
      i++;
    } else if (text.startsWith('$((', i)) {
      levels.push('arithmetic');
      i += 2;
    } else if (text.startsWith('$(', i)) {
      levels.push('substitution');
      i++;
    } else if (level === 'arithmetic' && text.startsWith('))', i)) {
      levels.pop();
      i++;
    } else if (char === '"') {
      if (level === 'double') levels.pop();
      else levels.push('double');
    } else if (char === '`') {
      if (level === 'backtick') levels.pop();
      else levels.push('backtick');
    } else if (level !== 'double' && level !== 'document') {
      const opened = level === 'arithmetic' ? undefined : documentAt(text, i);
      if (opened !== undefined) {
        if (opened.document !== undefined) open = [...open, opened.document];
        i += opened.length - 1;
      } else if (char === '\n' && open.length > 0) levels.push('document');
      else if (char === "'") levels.push('single');
      else if (char === ')' && level === 'substitution') levels.pop();
      else if (char === '#' && /[\s;&|(]/.test(text[i - 1] ?? last)) commented = true;
    }
  }
  return { stack: levels, comment: commented, last: text.at(-1) ?? last, documents: open, line: begun };
}

const isEnd = (line: string, document: Document | undefined): boolean =>
  (document?.tabs ? line.replace(/^\t+/, '') : line) === document?.end;

const OPENING = /<<(?:<|(-?)[ \t]*((?:\\.|'[^'\n]*'|"[^"\n]*"|[^\s;&|<>()'"\\`$])+))/y;

/** What a `<<` opens; `<<<` takes a word as any other. */
function documentAt(text: string, at: number): { readonly document?: Document; readonly length: number } | undefined {
  OPENING.lastIndex = at;
  const found = OPENING.exec(text);
  if (found === null) return undefined;
  const [{ length }, tabs, word] = found;
  if (word === undefined) return { length };
  const document = { end: word.replace(/\\(.)|['"]/g, '$1'), literal: /['"\\]/.test(word), tabs: tabs === '-' };
  return { document, length };
}
