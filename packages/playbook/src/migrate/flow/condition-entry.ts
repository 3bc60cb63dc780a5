import { BINDING } from '../names/binding.ts';
import { expressionOf, templateOf } from '../names/condition.ts';
import { bound } from '../names/rewrite-template.ts';
import { scalar } from '../tree/build.ts';
import { revalued } from '../tree/edit.ts';
import type { EntryTree } from '../tree/tree.ts';
import type { StepFlow } from './step-flow.ts';

/**
 * A condition as DOC-15 wants it: a boolean, or exactly one `{{ … }}`. Undefined, with a problem, if it cannot be told
 * what a text means.
 */
export function conditionEntry(when: EntryTree, { journal }: StepFlow): EntryTree | undefined {
  const value = when.value.kind === 'scalar' ? when.value.value : undefined;
  if (typeof value === 'boolean') return when;
  const text = typeof value === 'string' ? value : undefined;
  if (text !== undefined && expressionOf(text) !== undefined) return when;
  const meant = text === undefined ? undefined : (bareExpression(text) ?? comparison(text));
  if (text === undefined || meant === undefined) {
    journal.problem(
      when.at,
      `this condition is ${text === undefined ? 'no text' : `'${text}'`}, and what it compares cannot be told`,
      'Write it as one {{ … }} that is true or false, then migrate.',
    );
    return undefined;
  }
  journal.note('condition-text', when.at, `'${text}' is now '${meant}'`, { review: true });
  return revalued(when, scalar(meant));
}

/** `ok and ready`, without braces. */
function bareExpression(text: string): string | undefined {
  if (/[{}]/.test(text)) return undefined;
  const template = templateOf(text.trim());
  return expressionOf(template) === undefined ? undefined : template;
}

const COMPARISON = /^\s*(\{\{.*?\}\})\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w./-]+))\s*$/s;

/** `{{ workload.action }} == deploy`: text beside text. */
function comparison(text: string): string | undefined {
  const [, left = '', operator = '', single, double, bare] = COMPARISON.exec(text) ?? [];
  const value = expressionOf(left);
  const other = single ?? double ?? bare;
  if (value === undefined || other === undefined || other.includes("'") || other.includes('\\')) return undefined;
  return templateOf(`${bound(value, BINDING.sum)} ${operator} '${other}'`);
}
