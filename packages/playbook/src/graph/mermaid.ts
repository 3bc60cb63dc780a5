import type { Playbook } from '../model/playbook.ts';
import { mermaidText } from './mermaid-text.ts';
import { DIMMED_TEXT, LOOKS, type Overlay } from './overlay.ts';
import { type Arrow, type Box, drawPlaybook } from './picture.ts';

const FRAMES = {
  entry: ['((', '))'],
  step: ['[', ']'],
  loop: ['[[', ']]'],
  join: ['{{', '}}'],
  end: ['(((', ')))'],
} as const;

/** The workflow as a Mermaid flowchart. Loops have double sides, joins are hexagons; an overlay colours them. */
export function playbookToMermaid(playbook: Playbook, overlay?: Overlay): string {
  const { title, boxes, arrows } = drawPlaybook(playbook, overlay);
  const failures = arrows.some(({ afterFailure }) => afterFailure);
  return [
    '---',
    `title: ${yamlText(title)}`,
    '---',
    'flowchart TD',
    ...boxes.map((box) => `  ${boxText(box)}`),
    ...arrows.map((arrow) => `  ${arrowText(arrow)}`),
    ...(failures ? ['  %% dotted: can be taken after a failure'] : []),
    ...[...boxLooks(boxes), ...arrowLooks(arrows)].map((statement) => `  ${statement}`),
    '',
  ].join('\n');
}

function boxLooks(boxes: readonly Box[]): readonly string[] {
  return [...grouped(boxes, ({ look }) => look)].flatMap(([look, alike]) => {
    const { line, fill } = LOOKS[look];
    const text = look === 'untouched' ? DIMMED_TEXT : '#1f2328';
    const ids = alike.map((at) => boxes[at]?.id ?? '');
    return [`classDef ${look} fill:${fill},stroke:${line},color:${text}`, `class ${ids.join(',')} ${look}`];
  });
}

function arrowLooks(arrows: readonly Arrow[]): readonly string[] {
  const looks = grouped(arrows, ({ look, afterFailure }) => look ?? (afterFailure ? 'afterFailure' : undefined));
  return [...looks].map(([look, alike]) => `linkStyle ${alike.join(',')} ${arrowStyle(look)}`);
}

function arrowStyle(look: NonNullable<Arrow['look']> | 'afterFailure'): string {
  if (look === 'afterFailure') return 'stroke:red';
  const { line } = LOOKS[look];
  return look === 'untouched' ? `stroke:${line},color:${DIMMED_TEXT}` : `stroke:${line},stroke-width:3px`;
}

/** The places of those that are alike; those without a key are left out. */
function grouped<T, K>(list: readonly T[], keyOf: (item: T) => K | undefined): ReadonlyMap<K, readonly number[]> {
  const groups = new Map<K, number[]>();
  for (const [at, item] of list.entries()) {
    const key = keyOf(item);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  return groups;
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
