import type { FuzzCase } from './fuzz-case.ts';
import { expr, group, type Piece, sourceOf } from './piece.ts';

const BATCH = 24;
const MAX_ROUNDS = 60;

/**
 * Makes a failing case smaller while it still fails: expressions give way to their parts or to plain values, optional
 * pieces and data go. `failing` tells which of some candidates still fail.
 */
export async function shrink(
  start: FuzzCase,
  failing: (candidates: readonly FuzzCase[]) => Promise<readonly boolean[]>,
): Promise<FuzzCase> {
  let current = start;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const smaller = await firstFailing(candidatesOf(current), failing);
    if (smaller === undefined) return current;
    current = smaller;
  }
  return current;
}

async function firstFailing(
  candidates: readonly FuzzCase[],
  failing: (candidates: readonly FuzzCase[]) => Promise<readonly boolean[]>,
): Promise<FuzzCase | undefined> {
  for (let start = 0; start < candidates.length; start += BATCH) {
    const batch = candidates.slice(start, start + BATCH);
    const verdicts = await failing(batch);
    const found = batch[verdicts.indexOf(true)];
    if (found !== undefined) return found;
  }
  return undefined;
}

function candidatesOf(fuzzCase: FuzzCase): FuzzCase[] {
  const length = sourceOf(fuzzCase.piece).length;
  const sources = smallerPieces(fuzzCase.piece)
    .map((piece) => ({ piece, length: sourceOf(piece).length }))
    .filter((candidate) => candidate.length < length && (fuzzCase.mode === 'string' || isSingleOutput(candidate.piece)))
    .sort((left, right) => left.length - right.length)
    .map(({ piece }): FuzzCase => ({ ...fuzzCase, piece }));
  const data = smallerData(fuzzCase.context).map((context): FuzzCase => ({ ...fuzzCase, context }));
  const plain: FuzzCase[] = [];
  if (fuzzCase.undefined !== 'default') plain.push({ ...fuzzCase, undefined: 'default' });
  if (Object.keys(fuzzCase.options).length > 0) plain.push({ ...fuzzCase, options: {} });
  return [...sources, ...plain, ...data];
}

/** A case about a native value stays one `{{ … }}`. */
function isSingleOutput(piece: Piece): boolean {
  return /^\{\{.*\}\}$/s.test(sourceOf(piece));
}

const PLAIN = [expr`1`, expr`'a'`, expr`[]`, expr`0`];

/** Every tree with one piece replaced by something smaller. */
function smallerPieces(piece: Piece): Piece[] {
  const here: Piece[] = [];
  if (piece.sort === 'optional') here.push(group``);
  if (piece.sort === 'expression') here.push(...expressionsIn(piece), ...PLAIN);
  if (piece.sort !== 'expression') here.push(...childPieces(piece));
  const inside = piece.parts.flatMap((part, index) => {
    if (typeof part === 'string') return shorterTexts(part).map((text) => replacePart(piece, index, text));
    return smallerPieces(part).map((smaller) => replacePart(piece, index, smaller));
  });
  return [...here, ...inside];
}

function replacePart(piece: Piece, index: number, part: string | Piece): Piece {
  return { ...piece, parts: piece.parts.map((old, at) => (at === index ? part : old)) };
}

function childPieces(piece: Piece): Piece[] {
  return piece.parts.filter((part): part is Piece => typeof part !== 'string');
}

function expressionsIn(piece: Piece): Piece[] {
  return childPieces(piece).flatMap((child) => [
    ...(child.sort === 'expression' ? [child] : []),
    ...expressionsIn(child),
  ]);
}

/** For string literals and damaged sources, which are one text: the text without one stretch of it. */
function shorterTexts(text: string): string[] {
  const points = [...text];
  const isLiteral = /^['"]/.test(text);
  if (!isLiteral && points.length < 40) return [];
  const step = Math.max(1, Math.floor(points.length / 12));
  const [first, last] = isLiteral ? [1, points.length - 1] : [0, points.length];
  const shorter: string[] = [];
  for (let start = first; start < last; start += step) {
    shorter.push([...points.slice(0, start), ...points.slice(Math.min(start + step, last))].join(''));
  }
  return shorter;
}

function smallerData(context: Record<string, unknown>): Record<string, unknown>[] {
  return Object.keys(context).flatMap((key) => {
    const { [key]: value, ...rest } = context;
    return [rest, ...smallerValues(value).map((smaller) => ({ ...context, [key]: smaller }))];
  });
}

function smallerValues(value: unknown): unknown[] {
  if (typeof value === 'string') {
    const points = [...value];
    return points.map((_, index) => points.filter((__, at) => at !== index).join(''));
  }
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) > 1 ? [Math.trunc(value / 2), 1] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => [
      value.filter((_, at) => at !== index),
      ...smallerValues(item).map((smaller) => value.map((old: unknown, at) => (at === index ? smaller : old))),
    ]);
  }
  if (typeof value === 'object' && value !== null) return smallerData(value as Record<string, unknown>);
  return [];
}
