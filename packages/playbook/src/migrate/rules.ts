import { LOOP_RULES } from './rules/loop-rules.ts';
import { NAME_RULES } from './rules/name-rules.ts';
import { POLICY_RULES } from './rules/policy-rules.ts';
import { ROOT_RULES } from './rules/root-rules.ts';
import { ROUTING_RULES } from './rules/routing-rules.ts';
import type { Rule } from './rules/rule.ts';
import { TOOL_RULES } from './rules/tool-rules.ts';

/** Every rule of the translation: notes name them, and the table of the guide is generated from them. */
export const RULES = {
  ...ROOT_RULES,
  ...TOOL_RULES,
  ...POLICY_RULES,
  ...LOOP_RULES,
  ...ROUTING_RULES,
  ...NAME_RULES,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;
