import type { Json } from '@noetl/playbook';
import type { About } from '../diff/comparable-event.ts';
import type { Found } from '../diff/difference-list.ts';
import { type ValueDifference, valueDifferences } from '../diff/value-differences.ts';
import { shortJson } from './short-json.ts';
import { workName } from './work-name.ts';

/** `measure#2[3].read, attempt 2` */
export function aboutText({ what, step, nth, path, label, visit, attempt }: About): string {
  if (step === undefined) return WHOLE[what] ?? what;
  const run = nth === 1 ? '' : `#${nth}`;
  const name = `${workName(step)}${run}${workName('', path, label)}`;
  const times = [...(visit > 1 ? [`visit ${visit}`] : []), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  const about = [name, ...times].join(', ');
  const word = WORDS[what];
  return word === undefined ? about : `${word} ${about}`;
}

const WHOLE: Readonly<Partial<Record<About['what'], string>>> = {
  request: 'the request',
  workload: 'the workload',
  edits: 'what the fork changed',
  cancel: 'the cancel',
  result: 'the result',
};

const WORDS: Readonly<Partial<Record<About['what'], string>>> = {
  loop: 'the items of',
  ctx: 'what is written to ctx by',
  end: 'the end of',
  arcs: 'the arcs of',
};

/** What the two say differently; of something that only one says, nothing. */
export const detailsOf = ({ a, b }: Found, most: number): readonly ValueDifference[] =>
  a === undefined || b === undefined ? [] : valueDifferences(a.said, b.said, most);

/** A value in a cell. */
export const cellText = (value: Json | undefined, limit: number): string =>
  value === undefined ? '–' : shortJson(value, limit);
