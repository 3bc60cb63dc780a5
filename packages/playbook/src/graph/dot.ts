import type { Playbook } from '../model/playbook.ts';
import { DIMMED_TEXT, LOOKS, type Overlay } from './overlay.ts';
import { type Arrow, type Box, drawPlaybook } from './picture.ts';

const SHAPES = {
  entry: 'shape=circle',
  step: 'shape=box',
  loop: 'shape=box, peripheries=2',
  join: 'shape=hexagon',
  end: 'shape=doublecircle',
} as const;

/** The workflow as a Graphviz digraph. Loops have double borders, joins are hexagons; an overlay colours them. */
export function playbookToDot(playbook: Playbook, overlay?: Overlay): string {
  const { title, boxes, arrows } = drawPlaybook(playbook, overlay);
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

function boxText({ id, sort, heading, lines, look }: Box): string {
  return `${quote([id])} [${[SHAPES[sort], `label=${quote([heading, ...lines])}`, ...boxLook(look)].join(', ')}];`;
}

function boxLook(look: Box['look']): readonly string[] {
  if (look === undefined) return [];
  const { line, fill } = LOOKS[look];
  const text = look === 'untouched' ? [`fontcolor="${DIMMED_TEXT}"`] : [];
  return ['style=filled', `fillcolor="${fill}"`, `color="${line}"`, ...text];
}

function arrowText({ from, to, label, afterFailure, look }: Arrow): string {
  const attributes = [
    ...(label === undefined ? [] : [`label=${quote([label])}`]),
    ...(afterFailure ? ['style=dashed'] : []),
    ...(look === undefined ? (afterFailure ? ['color=red'] : []) : arrowLook(look)),
  ];
  const style = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
  return `${quote([from])} -> ${quote([to])}${style};`;
}

function arrowLook(look: NonNullable<Arrow['look']>): readonly string[] {
  const { line } = LOOKS[look];
  return [`color="${line}"`, ...(look === 'untouched' ? [`fontcolor="${DIMMED_TEXT}"`] : ['penwidth=3'])];
}

/** Graphviz resolves backslashes and HTML entities in a label. */
function quote(lines: readonly string[]): string {
  const escaped = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'));
  return `"${escaped.join('\\n')}"`;
}
