import { measuredPoint } from './measured-point.ts';
import { type BenchResult, rounded } from './result.ts';

/** How many items the loop has: `NOETL_BENCH_ITEMS`. */
const ITEMS = Number(process.env.NOETL_BENCH_ITEMS ?? 1_000_000);
const FLAT_GOAL = 1.5;
const GOAL_MB = 512;

/** A loop so long that whatever grows with it shows: the cost of its last items beside its first, and the memory. */
export async function* millionScenarios(): AsyncGenerator<BenchResult> {
  const { ms, peak_rss_mb, growth } = measuredPoint('loop', ITEMS);
  yield {
    scenario: `loop ${ITEMS}`,
    ms: rounded(ms),
    per_s: rounded((ITEMS * 1_000) / ms),
    last_beside_first: growth === null ? null : rounded(growth),
    peak_rss_mb: rounded(peak_rss_mb),
    goal: `${FLAT_GOAL} times, ${GOAL_MB} MB`,
    met: growth !== null && growth <= FLAT_GOAL && peak_rss_mb < GOAL_MB,
  };
}
