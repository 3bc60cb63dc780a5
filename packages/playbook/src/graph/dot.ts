import type { Playbook } from '../model/playbook.ts';
import { type Arrow, type Box, drawPlaybook } from './picture.ts';

const SHAPES = {
  entry: 'shape=circle',
  step: 'shape=box',
  loop: 'shape=box, peripheries=2',
  join: 'shape=hexagon',
  end: 'shape=doublecircle',
} as const;

/** The workflow as a Graphviz digraph. Loops have double borders, joins are hexagons. */
export function playbookToDot(playbook: Playbook): string {
  const { title, boxes, arrows } = drawPlaybook(playbook);
  return [
    `digraph ${quote([title])} {`,
    `  graph [label=${quote([title])}, labelloc=t, fontname="Helvetica"];`,
    '  node [fontname="Helvetica"];',
    '  edge [fontname="Helvetica"];',
    ...boxes.map((box) => `  ${boxText(box)}`),
    ...(arrows.some((arrow) => arrow.afterFailure) ? ['  // dashed: can be taken after a failure'] : []),
    ...arrows.map((arrow) => `  ${arrowText(arrow)}`),
    '}',
    '',
  ].join('\n');
}

function boxText({ id, sort, heading, lines }: Box): string {
  return `${quote([id])} [${SHAPES[sort]}, label=${quote([heading, ...lines])}];`;
}

function arrowText({ from, to, label, afterFailure }: Arrow): string {
  const attributes = [
    ...(label === undefined ? [] : [`label=${quote([label])}`]),
    ...(afterFailure ? ['style=dashed, color=red'] : []),
  ];
  const style = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
  return `${quote([from])} -> ${quote([to])}${style};`;
}

/** Graphviz resolves backslashes and HTML entities in a label. */
function quote(lines: readonly string[]): string {
  const escaped = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'));
  return `"${escaped.join('\\n')}"`;
}
