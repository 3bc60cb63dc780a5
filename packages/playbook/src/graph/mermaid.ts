import type { Playbook } from '../model/playbook.ts';
import { mermaidText } from './mermaid-text.ts';
import { type Arrow, type Box, drawPlaybook } from './picture.ts';

const FRAMES = {
  entry: ['((', '))'],
  step: ['[', ']'],
  loop: ['[[', ']]'],
  join: ['{{', '}}'],
  end: ['(((', ')))'],
} as const;

/** The workflow as a Mermaid flowchart. Loops have double sides, joins are hexagons. */
export function playbookToMermaid(playbook: Playbook): string {
  const { title, boxes, arrows } = drawPlaybook(playbook);
  const failures = arrows.flatMap(({ afterFailure }, i) => (afterFailure ? [i] : []));
  return [
    '---',
    `title: ${yamlText(title)}`,
    '---',
    'flowchart TD',
    ...boxes.map((box) => `  ${boxText(box)}`),
    ...arrows.map((arrow) => `  ${arrowText(arrow)}`),
    ...(failures.length === 0
      ? []
      : ['  %% dotted: can be taken after a failure', `  linkStyle ${failures.join(',')} stroke:red`]),
    '',
  ].join('\n');
}

function boxText({ id, sort, heading, lines }: Box): string {
  const [left, right] = FRAMES[sort];
  const text = [`<b>${mermaidText(heading)}</b>`, ...lines.map(mermaidText)].join('<br/>');
  return `${id}${left}"${text}"${right}`;
}

function arrowText({ from, to, label, afterFailure }: Arrow): string {
  const line = afterFailure ? '-.->' : '-->';
  return label === undefined ? `${from} ${line} ${to}` : `${from} ${line}|"${mermaidText(label)}"| ${to}`;
}

/** A quoted YAML scalar in which only plain characters stand for themselves. */
function yamlText(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // Without the u flag: characters beyond the first plane become two escapes, as in JSON.
  return `"${text.replace(/[^A-Za-z0-9 _./-]/g, escaped)}"`;
}
