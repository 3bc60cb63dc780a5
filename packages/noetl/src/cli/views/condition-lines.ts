import type { Asked, Explanation } from '@noetl/engine';
import { errorLine } from './error-line.ts';
import { type Line, type Part, type Tint, tinted } from './line.ts';
import { shortJson } from './short-json.ts';
import { abridged, visible } from './visible.ts';

const TINTS: Readonly<Record<Asked['verdict'], Tint | undefined>> = {
  matched: 'green',
  error: 'red',
  not_matched: undefined,
  not_evaluated: 'dim',
  not_considered: 'dim',
  unknown: 'dim',
};

const MOST_EXPRESSION = 200;

/** The conditions behind an event: what decided, then a line for each with its verdict, its expression, what it read. */
export function conditionLines(explanation: Explanation): readonly Line[] {
  const { about, conditions } = explanation;
  const sort = about === 'arcs' ? 'arc' : 'rule';
  const names = conditions.map(({ index, leads_to }) => `${sort} ${index + 1} → ${visible(leads_to)}`);
  const width = Math.max(...names.map((name) => name.length));
  return [
    [tinted('dim', `       ${decisionText(explanation)}`)],
    ...conditions.flatMap((asked, at): readonly Line[] => [
      [
        `         ${(names[at] ?? '').padEnd(width)}  `,
        verdictPart(asked.verdict),
        '  ',
        expressionOf(asked, about),
        tinted('dim', readsText(asked)),
      ],
      ...(asked.error === undefined ? [] : [[tinted('red', `           ${errorLine(asked.error)}`)]]),
    ]),
  ];
}

function decisionText({ about, decision, by, task, conditions }: Explanation): string {
  const whose = task === undefined ? NAMES[about] : `policy of ${visible(task)}`;
  if (decision === 'error') return `${whose} could not be evaluated`;
  if (about === 'arcs') {
    const taken = conditions.filter(({ verdict }) => verdict === 'matched').map(({ leads_to }) => visible(leads_to));
    return `${whose}: ${taken.length === 0 ? 'no arc is taken' : `to ${taken.join(', ')}`}`;
  }
  return `${whose}: ${decision} ${typeof by === 'number' ? `by rule ${by + 1}` : 'as no rule holds'}`;
}

const NAMES = { arcs: 'routing', admission: 'admission', policy: 'policy' } as const;

const WIDEST = 'not_considered'.length;

function verdictPart(verdict: Asked['verdict']): Part {
  const word = verdict.replace('_', ' ').padEnd(WIDEST);
  const tint = TINTS[verdict];
  return tint === undefined ? word : tinted(tint, word);
}

function expressionOf({ when }: Asked, about: Explanation['about']): Part {
  if (when !== undefined) return visible(abridged(when, MOST_EXPRESSION));
  return tinted('dim', about === 'arcs' ? 'no condition' : 'else');
}

/** `  ctx.n = 5, workload.limit = 3, ctx.gone is undefined` */
function readsText({ reads = {}, undefined: missing = [] }: Asked): string {
  const read = Object.entries(reads).map(([path, value]) => `${visible(path)} = ${shortJson(value)}`);
  const parts = [...read, ...missing.map((path) => `${visible(path)} is undefined`)];
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`;
}
