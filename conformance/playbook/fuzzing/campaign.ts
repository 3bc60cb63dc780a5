import { MAX_RSS_BYTES, problemOf } from './check.ts';
import { generateDocument } from './generate.ts';
import { loadSeeds } from './seeds.ts';
import { shrinkDocument } from './shrink.ts';

export interface Finding {
  readonly index: number;
  readonly problem: string;
  readonly document: string;
}

export interface CampaignOptions {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Stops when this returns true, for a campaign that is limited by time. */
  readonly until?: () => boolean;
  readonly problemOf?: (text: string) => string | undefined;
}

export interface CampaignResult {
  readonly cases: number;
  readonly findings: readonly Finding[];
  readonly slowestMs: number;
  readonly rssBytes: number;
}

const RSS_EVERY = 100;

/** Reads `count` mutated documents, and shrinks those that break a promise. */
export function runCampaign({
  seed,
  first,
  count,
  until,
  problemOf: judge = problemOf,
}: CampaignOptions): CampaignResult {
  const seeds = loadSeeds();
  const findings: Finding[] = [];
  let slowestMs = 0;
  let rssBytes = 0;
  let cases = 0;
  for (; cases < count && until?.() !== true; cases++) {
    const index = first + cases;
    const document = generateDocument(seeds, seed, index);
    const started = performance.now();
    const problem = judge(document);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    if (problem !== undefined) {
      findings.push({
        index,
        problem,
        document: shrinkDocument(document, (candidate) => judge(candidate) !== undefined),
      });
    }
    if (cases % RSS_EVERY === 0) {
      const rss = process.memoryUsage.rss();
      if (rss > MAX_RSS_BYTES && rssBytes <= MAX_RSS_BYTES) {
        findings.push({ index, problem: `the process uses ${Math.round(rss / 2 ** 20)} MB`, document });
      }
      rssBytes = Math.max(rssBytes, rss);
    }
  }
  return { cases, findings, slowestMs, rssBytes };
}
