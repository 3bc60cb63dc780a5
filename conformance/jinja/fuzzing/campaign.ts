import { ADJUSTMENTS, EXPLAINED_DIFFERENCES } from '../explained-differences.ts';
import type { Oracle } from '../oracle.ts';
import { askEngine, type EngineAnswer, type JinjaAnswer, jinjaRequest } from './answer.ts';
import { sameAnswer } from './compare.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { generateCase } from './generate.ts';
import { sourceOf } from './piece.ts';
import { shrink } from './shrink.ts';

export interface Finding {
  readonly index: number;
  readonly case: FuzzCase;
  readonly shrunk: FuzzCase;
  readonly jinja: JinjaAnswer;
  readonly engine: EngineAnswer;
}

export interface CampaignResult {
  readonly cases: number;
  readonly timeouts: number;
  readonly explained: ReadonlyMap<string, number>;
  readonly unexplained: readonly number[];
}

export interface CampaignOptions {
  readonly oracle: Oracle;
  /** What is compared with Jinja2: the engine, or in a test one with a known fault. */
  readonly engine?: AskEngine;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Findings beyond this many are counted, not shrunk. */
  readonly maxShrunk: number;
  readonly stopAtFirst?: boolean;
  onFinding(finding: Finding): void;
  onProgress?(done: number): void;
}

type AskEngine = (fuzzCase: FuzzCase) => EngineAnswer;

const BATCH = 250;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { oracle, seed, first, count, engine = askEngine } = options;
  const explained = new Map<string, number>();
  const unexplained: number[] = [];
  let timeouts = 0;
  for (let start = 0; start < count; start += BATCH) {
    const indices = Array.from({ length: Math.min(BATCH, count - start) }, (_, offset) => first + start + offset);
    const cases = indices.map((index) => generateCase(seed, index));
    const verdicts = await judge(oracle, engine, cases);
    timeouts += verdicts.filter((verdict) => verdict.jinja.timeout).length;
    for (const [position, verdict] of verdicts.entries()) {
      for (const name of verdict.explanations) explained.set(name, (explained.get(name) ?? 0) + 1);
      if (verdict.unexplained) {
        const index = indices[position] as number;
        unexplained.push(index);
        if (unexplained.length <= options.maxShrunk) {
          options.onFinding(await shrunkFinding(oracle, engine, index, cases[position] as FuzzCase));
        }
      }
    }
    if (options.stopAtFirst && unexplained.length > 0) break;
    options.onProgress?.(Math.min(start + BATCH, count));
  }
  return { cases: count, timeouts, explained, unexplained };
}

async function shrunkFinding(oracle: Oracle, ask: AskEngine, index: number, original: FuzzCase): Promise<Finding> {
  const shrunk = await shrink(original, async (candidates) =>
    (await judge(oracle, ask, candidates)).map((verdict) => verdict.unexplained),
  );
  const [jinja] = await oracle.ask<JinjaAnswer>([jinjaRequest(shrunk)]);
  return { index, case: original, shrunk, jinja: jinja as JinjaAnswer, engine: ask(shrunk) };
}

interface CaseVerdict {
  readonly unexplained: boolean;
  /** The names of the documented differences that together explain what differs. */
  readonly explanations: readonly string[];
  readonly jinja: JinjaAnswer;
}

async function judge(oracle: Oracle, ask: AskEngine, cases: readonly FuzzCase[]): Promise<CaseVerdict[]> {
  const waiting = oracle.ask<JinjaAnswer>(cases.map((fuzzCase) => jinjaRequest(fuzzCase)));
  const ours = cases.map(ask);
  const theirs = await waiting;
  return Promise.all(
    cases.map(async (fuzzCase, position) => {
      const [jinja, engine] = [theirs[position] as JinjaAnswer, ours[position] as EngineAnswer];
      if (sameAnswer(fuzzCase, jinja, engine)) return { unexplained: false, explanations: [], jinja };
      const explanations = await explain(oracle, fuzzCase, engine);
      return { unexplained: explanations.length === 0, explanations, jinja };
    }),
  );
}

async function explain(oracle: Oracle, fuzzCase: FuzzCase, engine: EngineAnswer): Promise<readonly string[]> {
  const answersWith = (sets: readonly (readonly string[])[]) =>
    oracle.ask<JinjaAnswer>(sets.map((names) => jinjaRequest(fuzzCase, names)));
  const same = (answer: JinjaAnswer) => sameAnswer(fuzzCase, answer, engine);

  const [all, ...singles] = await answersWith([ADJUSTMENTS, ...ADJUSTMENTS.map((name) => [name])]);
  if (all === undefined) return [];
  const alone = ADJUSTMENTS.find((_, position) => same(singles[position] as JinjaAnswer));
  if (alone !== undefined) return [alone];
  if (same(all)) {
    const without = await answersWith(ADJUSTMENTS.map((name) => ADJUSTMENTS.filter((other) => other !== name)));
    const needed = ADJUSTMENTS.filter((_, position) => !same(without[position] as JinjaAnswer));
    return needed.length > 0 ? needed : ADJUSTMENTS;
  }
  const difference = { case: fuzzCase, source: sourceOf(fuzzCase.piece), jinja: all, engine };
  const rule = EXPLAINED_DIFFERENCES.find((candidate) => candidate.explains?.(difference));
  return rule === undefined ? [] : [rule.name];
}
