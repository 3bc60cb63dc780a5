import { LOOP_RULES } from './loop-rules.ts';
import { NAME_RULES } from './name-rules.ts';
import { POLICY_RULES } from './policy-rules.ts';
import { ROOT_RULES } from './root-rules.ts';
import { ROUTING_RULES } from './routing-rules.ts';
import type { Rule } from './rule.ts';
import { TOOL_RULES } from './tool-rules.ts';

const GROUPS: readonly (readonly [title: string, rules: Readonly<Record<string, Rule>>])[] = [
  ['The document', ROOT_RULES],
  ['The work of a step', TOOL_RULES],
  ['What is done about an outcome', POLICY_RULES],
  ['Loops', LOOP_RULES],
  ['Which step follows', ROUTING_RULES],
  ['Names in templates', NAME_RULES],
];

const TABLES = /<!-- rules -->\n.*?<!-- end of rules -->/s;

/** The guide with its tables of old and new as the rules of the translation tell them. */
export const withRuleTables = (page: string): string =>
  page.replace(TABLES, () => `<!-- rules -->\n${GROUPS.map(groupTable).join('\n')}<!-- end of rules -->`);

function groupTable([title, rules]: (typeof GROUPS)[number]): string {
  const rows = Object.entries(rules).map(
    ([id, rule]) => `| ${code(rule.old)} | ${code(rule.new)} | ${cell(rule.why)} | \`${id}\` |\n`,
  );
  return `### ${title}\n\n| old | new | | rule |\n|---|---|---|---|\n${rows.join('')}`;
}

/** What stands in parentheses is no YAML. */
function code(yaml: string): string {
  if (yaml === '') return '—';
  return yaml.startsWith('(') ? cell(yaml.slice(1, -1)) : `\`${cell(yaml)}\``;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
