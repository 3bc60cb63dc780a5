import { constantOf } from '../model/condition.ts';
import type { Condition, Rule, Task } from '../model/playbook.ts';
import { conjuncts } from './conjuncts.ts';
import type { Warn } from './warn.ts';

/** Each retry is compared with every rule before it; nobody writes more rules than this by hand. */
const MAX_RULES = 200;

/** A retry that no outcome can come to. */
export function checkRetries(task: Task, warn: Warn): void {
  const rules = (task.policy?.rules ?? []).slice(0, MAX_RULES);
  rules.forEach((rule, i) => {
    if (rule.then.do !== 'retry') return;
    const reason = neverMatches(rule, rules.slice(0, i));
    if (reason !== undefined) {
      warn(
        'NOETL_RETRY_NEVER',
        rule.place,
        1,
        `this retry of '${task.label}' never happens: ${reason}`,
        'Reorder the rules, or change the condition.',
      );
    } else if (rule.then.attempts === 1) {
      warn(
        'NOETL_RETRY_NEVER',
        rule.place,
        1,
        `this retry of '${task.label}' never happens: attempts: 1 is one try in all`,
        'attempts counts the first try too: write 2 or more.',
      );
    }
  });
}

function neverMatches(rule: Rule, before: readonly Rule[]): string | undefined {
  if (constantOf(rule.when) === false) return 'its condition is false';
  const taken = before.find(({ when }) => constantOf(when) === true || follows(when, rule.when));
  return taken === undefined ? undefined : `the rule in line ${taken.place.line} matches first whenever this one would`;
}

/** Whether `wider` holds wherever `narrower` does, as far as that can be seen. */
function follows(wider: Condition | undefined, narrower: Condition | undefined): boolean {
  const parts = conjuncts(wider);
  const given = conjuncts(narrower);
  return parts.size > 0 && [...parts].every((part) => given.has(part));
}
