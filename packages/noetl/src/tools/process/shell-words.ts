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
  let quoting: Quoting = { stack: ['plain'], comment: false, last: '\n' };
  const put = (value: Json): string => {
    const name = `NOETL_VALUE_${Object.keys(variables).length + 1}`;
    variables[name] = textOf(value);
    const text = reference(name, quoting);
    quoting = { ...quoting, last: '"' };
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
  return { text: written.join(''), variables };
}

type Level = 'plain' | 'single' | 'double' | 'substitution' | 'backtick' | 'arithmetic';
interface Quoting {
  /** The innermost is last. */
  readonly stack: readonly Level[];
  readonly comment: boolean;
  /** The character before. */
  readonly last: string;
}

function reference(name: string, { stack }: Quoting): string {
  switch (stack.at(-1)) {
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
function after({ stack, comment, last }: Quoting, text: string): Quoting {
  const levels = [...stack];
  let commented = comment;
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    const char = text[i];
    if (commented) {
      commented = char !== '\n';
    } else if (level === 'single') {
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
    } else if (level !== 'double') {
      if (char === "'") levels.push('single');
      else if (char === ')' && level === 'substitution') levels.pop();
      else if (char === '#' && /[\s;&|(]/.test(text[i - 1] ?? last)) commented = true;
    }
  }
  return { stack: levels, comment: commented, last: text.at(-1) ?? last };
}
