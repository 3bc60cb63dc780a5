/** A drawing read back from its text: labels by id, with their lines, and arrows. */
export interface Drawn {
  readonly title: string;
  readonly boxes: ReadonlyMap<string, readonly string[]>;
  readonly arrows: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly dotted: boolean;
  }[];
}

const MERMAID_LOOKS = /^( {2}(%% .*|linkStyle [\d,]+ [\w:#,-]+|classDef \w+ [\w:#,-]+|class \w+(,\w+)* \w+)|)$/;
const DOT_LOOK = '(?:, style=filled, fillcolor="#\\w+", color="#\\w+"(?:, fontcolor="#\\w+")?)?';
const DOT_BOX = new RegExp(
  `^ {2}"(\\w+)" \\[shape=\\w+(?:, peripheries=2)?, label="((?:[^"\\\\]|\\\\.)*)"${DOT_LOOK}\\];$`,
);
const DOT_ARROW =
  /^ {2}"(\w+)" -> "(\w+)"(?: \[(?:label="((?:[^"\\]|\\.)*)")?(?:, )?(style=dashed)?(?:(?:, )?color=(?:red|"#\w+"))?(?:, (?:penwidth=3|fontcolor="#\w+"))?\])?;$/;

/** Reads Mermaid as strictly as its own lexer would: one statement a line, labels in quotes, nothing else. */
export function readMermaid(text: string): Drawn {
  const [, title = '', body = ''] = /^---\ntitle: (".*")\n---\nflowchart TD\n(.*)$/s.exec(text) ?? [];
  const boxes = new Map<string, string[]>();
  const arrows: Drawn['arrows'][number][] = [];
  const label = (quoted: string) => quoted.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
  for (const line of body.split('\n').filter((statement) => !MERMAID_LOOKS.test(statement))) {
    const box =
      /^ {2}([A-Za-z]\w*)(?:\(\(|\[|\[\[|\{\{|\(\(\()"<b>([^"<>]*)<\/b>((?:<br\/>[^"<>]*)*)"[)\]}]{1,3}$/.exec(line);
    const arrow = /^ {2}([A-Za-z]\w*) (-->|-\.->)(?:\|"([^"<>]*)"\|)? ([A-Za-z]\w*)$/.exec(line);
    if (box !== null) {
      const [, id = '', heading = '', rest = ''] = box;
      boxes.set(id, [heading, ...rest.split('<br/>').slice(1)].map(label));
    } else if (arrow !== null) {
      const [, from = '', line = '', guard = '', to = ''] = arrow;
      arrows.push({ from, to, label: label(guard), dotted: line === '-.->' });
    } else throw new Error(`not a statement: ${line}`);
  }
  return { title: JSON.parse(title), boxes, arrows };
}

/** Reads DOT the same way. */
export function readDot(text: string): Drawn {
  const [, title = '', body = ''] = /^digraph "((?:[^"\\]|\\.)*)" \{\n(.*)\n\}\n$/s.exec(text) ?? [];
  const boxes = new Map<string, string[]>();
  const arrows: Drawn['arrows'][number][] = [];
  for (const line of body
    .split('\n')
    .filter((statement) => !/^ {2}((graph|node|edge) \[.*\];|\/\/ .*)$/.test(statement))) {
    const box = DOT_BOX.exec(line);
    const arrow = DOT_ARROW.exec(line);
    if (box !== null) {
      const [, id = '', lines = ''] = box;
      boxes.set(id, dotLines(lines));
    } else if (arrow !== null) {
      const [, from = '', to = '', guard = '', style] = arrow;
      arrows.push({ from, to, label: dotLines(guard).join('\n'), dotted: style !== undefined });
    } else throw new Error(`not a statement: ${line}`);
  }
  return { title: dotLines(title).join('\n'), boxes, arrows };
}

function dotLines(quoted: string): string[] {
  return quoted
    .replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
    .split('\n')
    .map((line) => line.replaceAll('&amp;', '&'));
}
