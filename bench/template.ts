import { createEngine } from '@noetl/template';
import { hostileScenarios } from './hostile.ts';
import { microsPerCall } from './measure.ts';
import { type BenchResult, rounded } from './result.ts';
import { nunjucksCompileMicros, type RivalTimes, timeRivals } from './rivals.ts';
import { largeContext, PREDICATE, smallContext, TEN_EXPRESSIONS } from './template-inputs.ts';

const PREDICATE_GOAL_MICROS = 1;
const TEN_GOAL_MICROS = 6;
const LARGE_CONTEXT_GOAL_RATIO = 1.5;
const COMPILE_GOAL_MICROS = 30;

/** How fast templates are evaluated and compiled, next to nunjucks and CPython's Jinja2. */
export async function* templateScenarios(): AsyncGenerator<BenchResult> {
  const small = smallContext();
  const large = largeContext();

  const predicate = evaluationMicros([PREDICATE], small);
  const predicateRivals = await timeRivals([PREDICATE], small, 5000);
  yield {
    scenario: 'template.predicate',
    micros: rounded(predicate),
    ...goal(predicate, PREDICATE_GOAL_MICROS),
    ...besideRivals(predicate, predicateRivals),
  };

  const ten = evaluationMicros(TEN_EXPRESSIONS, small);
  const tenRivals = await timeRivals(TEN_EXPRESSIONS, small, 1000);
  yield {
    scenario: 'template.ten-expressions',
    micros: rounded(ten),
    ...goal(ten, TEN_GOAL_MICROS),
    ...besideRivals(ten, tenRivals),
  };

  const tenLarge = evaluationMicros(TEN_EXPRESSIONS, large);
  const largeRivals = await timeRivals(TEN_EXPRESSIONS, large, 1000);
  yield {
    scenario: 'template.ten-expressions-5mb',
    contextMegabytes: rounded(JSON.stringify({ rows: large.rows }).length / 1e6),
    micros: rounded(tenLarge),
    ratioToSmall: rounded(tenLarge / ten),
    ...goal(tenLarge / ten, LARGE_CONTEXT_GOAL_RATIO),
    ...besideRivals(tenLarge, largeRivals),
  };

  yield byReference(large);

  const compiling = compileMicros(small);
  const nunjucks = nunjucksCompileMicros(numberedPredicate);
  yield {
    scenario: 'template.compile',
    micros: rounded(compiling),
    ...goal(compiling, COMPILE_GOAL_MICROS),
    ...besideRivals(compiling, { nunjucksMicros: nunjucks, jinja2Micros: predicateRivals.jinja2CompileMicros }),
  };

  yield* hostileScenarios();
}

function evaluationMicros(sources: readonly string[], context: Record<string, unknown>): number {
  const engine = createEngine();
  const templates = sources.map((source) => engine.compile(source));
  return microsPerCall(() => {
    let last: unknown;
    for (const template of templates) last = template.evaluate(context);
    return last;
  });
}

/** A template that is one name hands on the caller's own list, whatever its size. */
function byReference(context: Record<string, unknown>): BenchResult {
  const template = createEngine().compile('{{ rows }}');
  if (template.evaluate(context) !== context.rows) throw new Error('a 20,000-row list was copied, not handed on');
  return {
    scenario: 'template.list-by-reference',
    rows: (context.rows as readonly unknown[]).length,
    sameList: true,
    micros: rounded(microsPerCall(() => template.evaluate(context))),
  };
}

/**
 * Every source is a new one, so that no cache can answer. Part of the work is left until a template is first evaluated,
 * so that evaluation counts too.
 */
function compileMicros(context: Record<string, unknown>): number {
  const engine = createEngine();
  let round = 0;
  return microsPerCall(() => {
    round += 1;
    return engine.compile(numberedPredicate(round)).evaluate(context);
  });
}

function numberedPredicate(round: number): string {
  return `{{ outcome.status == 'error' and outcome.http.status in [429, ${round}] }}`;
}

function goal(measured: number, limit: number): { goal: number; met: boolean } {
  return { goal: limit, met: measured <= limit };
}

function besideRivals(micros: number, rivals: Pick<RivalTimes, 'nunjucksMicros' | 'jinja2Micros'>) {
  return {
    nunjucksMicros: rounded(rivals.nunjucksMicros),
    nunjucksRatio: rounded(rivals.nunjucksMicros / micros),
    jinja2Micros: rivals.jinja2Micros === null ? null : rounded(rivals.jinja2Micros),
    jinja2Ratio: rivals.jinja2Micros === null ? null : rounded(rivals.jinja2Micros / micros),
  };
}
