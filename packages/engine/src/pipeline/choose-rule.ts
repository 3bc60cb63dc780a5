import type { Rule, Task } from '@noetl/playbook';
import type { RunOptions, Scope } from '@noetl/template';
import { holds } from '../scope/render.ts';

type Policy = NonNullable<Task['policy']>;

/** Which rule of a policy took the outcome: its position, or why there is none. */
export type Choice =
  | { readonly kind: 'rule'; readonly index: number; readonly rule: Rule }
  /** No rule matched: it continues (ENG-10). */
  | { readonly kind: 'unmatched' };

/** Is told each rule before it is asked, so that an error has a place. */
export type Asking = (rule: number) => void;

/** ENG-10: top-down, the first match wins. Throws a PlacedTemplateError. */
export function chooseRule({ rules }: Policy, scope: Scope, run: RunOptions, asking: Asking): Choice {
  const index = rules.findIndex(({ when }, at) => {
    asking(at);
    return when === undefined || holds(when, scope, run);
  });
  const rule = rules[index];
  return rule === undefined ? { kind: 'unmatched' } : { kind: 'rule', index, rule };
}

/**
 * ENG-11: the rule that keeps the body from running. Rules are tried top-down up to the first that reads `outcome`,
 * which `else` counts as doing; only if the first match is skip, the body does not run.
 */
export function chooseSkip({ rules }: Policy, scope: Scope, run: RunOptions, asking: Asking): Choice | undefined {
  for (const [index, rule] of rules.entries()) {
    if (rule.when === undefined || readsOutcome(rule)) return undefined;
    asking(index);
    if (holds(rule.when, scope, run)) return rule.then.do === 'skip' ? { kind: 'rule', index, rule } : undefined;
  }
  return undefined;
}

const readsOutcome = ({ when }: Rule): boolean =>
  when?.kind === 'template' && when.template.references().some(({ name }) => name === 'outcome');
