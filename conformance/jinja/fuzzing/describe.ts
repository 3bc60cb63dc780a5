import { show } from '../evaluate-case.ts';
import type { EngineAnswer, JinjaAnswer, Outcome } from './answer.ts';
import type { CampaignResult, Finding } from './campaign.ts';
import { sourceOf } from './piece.ts';

/** A finding as a reader needs it: how to get it again, the smallest form of it, and both answers. */
export function describeFinding(seed: number, finding: Finding): string[] {
  const { shrunk, jinja, engine, index } = finding;
  const rules = [shrunk.mode, shrunk.undefined, JSON.stringify(shrunk.options)].join(' ');
  return [
    `difference: seed ${seed}, index ${index} (${rules})`,
    `  template ${JSON.stringify(sourceOf(shrunk.piece))}`,
    `  data     ${JSON.stringify(shrunk.context)}`,
    `  jinja2   ${describeJinja(jinja)}`,
    `  ours     ${describeEngine(engine)}`,
  ];
}

export function describeSummary(result: CampaignResult): string {
  const total = [...result.explained.values()].reduce((sum, count) => sum + count, 0);
  const names = [...result.explained].sort(([, left], [, right]) => right - left);
  const detail = names.length === 0 ? '' : ` (${names.map(([name, count]) => `${name}: ${count}`).join(', ')})`;
  const timeouts = result.timeouts === 0 ? '' : `, ${result.timeouts} left out because Jinja2 took too long`;
  return `${result.cases} cases, ${result.unexplained.length} unexplained differences, ${total} explained${detail}${timeouts}`;
}

function describeJinja(answer: JinjaAnswer): string {
  if (answer.textError !== undefined) return `fails: ${answer.textError}: ${answer.message ?? ''}`;
  const value = answer.value === undefined ? '' : ` value ${JSON.stringify(answer.value)}`;
  return `text ${JSON.stringify(answer.text)}${value}`;
}

function describeEngine(answer: EngineAnswer): string {
  const value = answer.value === undefined ? '' : `, value ${describeOutcome(answer.value)}`;
  return `text ${describeOutcome(answer.text)}${value}`;
}

function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === 'value') return show(outcome.value);
  return outcome.kind === 'crash' ? `CRASH ${outcome.message}` : `fails: ${outcome.code} ${outcome.message}`;
}
