/** A line of Python as far as its form tells. */
export interface PythonLine {
  readonly text: string;
  /** Whether it begins inside of a text of several lines. */
  readonly quoted: boolean;
  /** Whether it stands in a function or class. */
  readonly inner: boolean;
}

/** The lines of a source; no parser of Python is needed for what is asked of them. */
export function pythonLines(source: string): readonly PythonLine[] {
  const owners: number[] = [];
  let quote: string | undefined;
  return source.split('\n').map((text) => {
    const quoted = quote !== undefined;
    const indent = text.search(/\S/);
    if (!quoted && indent >= 0 && text[indent] !== '#') {
      while (owners.length > 0 && (owners.at(-1) ?? 0) >= indent) owners.pop();
    }
    const inner = owners.length > 0;
    if (!quoted && /^\s*(?:async\s+def|def|class)\s/.test(text)) owners.push(indent);
    quote = quoteAfter(text, quote);
    return { text, quoted, inner };
  });
}

/** The quotes of a text that goes on in the next line. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open;
  for (let at = 0; at < line.length; at += 1) {
    const three = line.slice(at, at + 3);
    if (line[at] === '\\') at += 1;
    else if (quote === undefined && line[at] === '#') return undefined;
    else if (quote === undefined && (three === '"""' || three === "'''")) [quote, at] = [three, at + 2];
    else if (quote === undefined && (line[at] === '"' || line[at] === "'")) quote = line[at];
    else if (quote !== undefined && line.startsWith(quote, at)) [quote, at] = [undefined, at + (quote.length - 1)];
  }
  // A text in single quotes ends with its line.
  return quote?.length === 3 ? quote : undefined;
}

/** A template in the code itself, outside of its texts and comments. */
interface CodeTemplate {
  readonly start: number;
  readonly end: number;
  readonly expression: string;
}

/** No Python means `{{` there, so that it is always a template. */
export function codeTemplates(source: string): readonly CodeTemplate[] {
  const found: CodeTemplate[] = [];
  let offset = 0;
  for (const { text, quoted } of pythonLines(source)) {
    if (!quoted) found.push(...templatesIn(text, offset));
    offset += text.length + 1;
  }
  return found;
}

function templatesIn(line: string, offset: number): readonly CodeTemplate[] {
  const found: CodeTemplate[] = [];
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (char === '\\') at += 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === '#') break;
    else if (char === '"' || char === "'") quote = char;
    else if (line.startsWith('{{', at)) {
      const end = line.indexOf('}}', at);
      if (end < 0) break;
      found.push({ start: offset + at, end: offset + end + 2, expression: line.slice(at + 2, end).trim() });
      at = end + 1;
    }
  }
  return found;
}
