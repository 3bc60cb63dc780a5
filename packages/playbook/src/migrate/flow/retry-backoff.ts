import { entry, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, revalued } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import type { StepFlow } from './step-flow.ts';

/** Keys that say how often and how long after one another attempts are made. */
export const BACKOFF_KEYS: readonly string[] = [
  'max_attempts',
  'attempts',
  'initial_delay',
  'delay',
  'backoff_seconds',
  'backoff_multiplier',
  'backoff',
  'max_delay',
];

/** `do: retry` with what a retry clause says of attempts and delays; undefined, with a problem, where it cannot be told. */
export function retryThen(clause: MapTree, at: number, flow: StepFlow): readonly EntryTree[] | undefined {
  const attempts = entryOf(clause, 'max_attempts') ?? entryOf(clause, 'attempts');
  const pause = pauseOf(clause, flow);
  if (pause === undefined) return undefined;
  return [entry('do', 'retry', at), ...(attempts === undefined ? [] : [named(attempts, 'attempts')]), ...pause];
}

/** How many attempts are made in all; undefined where it is not a number. */
export function attemptsOf(clause: MapTree): number | undefined {
  const tree = fieldOf(clause, 'max_attempts') ?? fieldOf(clause, 'attempts');
  return tree?.kind === 'scalar' && typeof tree.value === 'number' ? tree.value : undefined;
}

/** The same inside of a template, also where a template gives it. */
export function attemptsText(clause: MapTree): string | undefined {
  const tree = fieldOf(clause, 'max_attempts') ?? fieldOf(clause, 'attempts');
  return tree?.kind === 'scalar' ? inside(tree.value) : undefined;
}

/** `backoff`, `delay` and `max_delay`. */
function pauseOf(clause: MapTree, { journal }: StepFlow): readonly EntryTree[] | undefined {
  const delay = entryOf(clause, 'initial_delay') ?? entryOf(clause, 'delay') ?? entryOf(clause, 'backoff_seconds');
  const longest = entryOf(clause, 'max_delay');
  const multiplier = entryOf(clause, 'backoff_multiplier');
  const backoff = entryOf(clause, 'backoff');
  if (backoff?.value.kind === 'map') return structured(backoff, backoff.value);
  const ending = [...optional(delay, 'delay'), ...optional(longest, 'max_delay')];
  if (multiplier !== undefined) return multiplied(multiplier, delay, longest);
  if (backoff === undefined) return ending;
  const word = backoff.value.kind === 'scalar' ? backoff.value.value : undefined;
  const known = typeof word === 'string' ? BACKOFFS[word] : undefined;
  if (known === undefined) {
    journal.problem(
      backoff.at,
      `the backoff of this retry is '${String(word)}'`,
      'Write exponential, linear or fixed, then migrate.',
    );
    return undefined;
  }
  return [revalued(backoff, known === word ? backoff.value : scalar(known)), ...ending];
}

const BACKOFFS: Readonly<Record<string, string>> = {
  none: 'none',
  fixed: 'none',
  constant: 'none',
  linear: 'linear',
  exponential: 'exponential',
};

/** Seed 004: `backoff: { type, base_seconds, max_seconds }`. */
function structured(backoff: EntryTree, tree: MapTree): readonly EntryTree[] {
  const type = entryOf(tree, 'type');
  const word = type?.value.kind === 'scalar' ? BACKOFFS[String(type.value.value)] : undefined;
  const kind = type === undefined ? [] : [revalued(rekeyed(type, 'backoff'), scalar(word ?? 'exponential'))];
  return [
    ...(kind.length === 0 ? [entry('backoff', 'exponential', backoff.at)] : kind),
    ...optional(entryOf(tree, 'base_seconds'), 'delay'),
    ...optional(entryOf(tree, 'max_seconds'), 'max_delay'),
  ];
}

/** 1 and 2 have a name; other factors are counted out. */
function multiplied(
  multiplier: EntryTree,
  delay: EntryTree | undefined,
  longest: EntryTree | undefined,
): readonly EntryTree[] {
  const factor = multiplier.value.kind === 'scalar' ? multiplier.value.value : undefined;
  const word = factor === 2 ? 'exponential' : 'none';
  const backoff = revalued(rekeyed(multiplier, 'backoff'), scalar(word));
  if (factor === 1 || factor === 2) return [backoff, ...optional(delay, 'delay'), ...optional(longest, 'max_delay')];
  const first = delay?.value.kind === 'scalar' ? delay.value.value : undefined;
  const text = `{{ ${inside(first ?? 1)} * ${inside(factor ?? 2)} ** (_attempt - 1) }}`;
  const counted =
    delay === undefined ? entry('delay', text, multiplier.at) : revalued(rekeyed(delay, 'delay'), scalar(text));
  return [backoff, counted, ...optional(longest, 'max_delay')];
}

/** A number, or what a template gives, inside of a template. */
const inside = (value: unknown): string => {
  const text = String(value);
  const template = /^\s*\{\{(.*)\}\}\s*$/s.exec(text)?.[1];
  return template === undefined ? text : `(${template.trim()})`;
};

const optional = (older: EntryTree | undefined, key: string): readonly EntryTree[] =>
  older === undefined ? [] : [named(older, key)];

const named = (older: EntryTree, key: string): EntryTree => (older.key === key ? older : rekeyed(older, key));
