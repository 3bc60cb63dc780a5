import type { Condition } from '../model/playbook.ts';
import type { ScalarNode, YamlNode } from '../yaml/node.ts';
import { describe, type Reading } from './reading.ts';

/** DOC-15: `when` is a boolean, or text that is exactly one `{{ … }}`. */
export function readCondition(node: YamlNode, reading: Reading): Condition | undefined {
  const place = reading.place(node.span);
  if (node.kind === 'scalar') {
    if (typeof node.value === 'boolean') return { kind: 'constant', value: node.value, place };
    const text = typeof node.value === 'string' ? node.value.trim() : '';
    if (text.startsWith('{{') && text.endsWith('}}')) {
      const bare = trimmed(node, text);
      const template = reading.conditionTemplate(bare, text);
      if (template === undefined) return undefined;
      if (template.native) return { kind: 'template', template, place, segments: bare.segments };
    }
  }
  const hint =
    node.kind === 'scalar' && typeof node.value === 'string' && !node.value.includes('{')
      ? `Write when: "{{ ${node.value} }}".`
      : 'Join conditions inside of one template with and, or, not.';
  reading.problems.error(
    'NOETL_WHEN_SHAPE',
    node.span,
    `when is ${describe(node)}, expected a boolean or exactly one '{{ … }}'`,
    hint,
  );
  return undefined;
}

/** The scalar without the blanks around its text, so that offsets in the text still find their place. */
function trimmed(node: ScalarNode, text: string): ScalarNode {
  if (text === node.value) return node;
  const lead = String(node.value).indexOf(text);
  const segments = node.segments.map(({ value, source }) => ({ value: value - lead, source }));
  return { ...node, value: text, segments };
}
