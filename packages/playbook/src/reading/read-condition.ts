import type { Condition } from '../model/playbook.ts';
import type { YamlNode } from '../yaml/node.ts';
import { describe, type Reading } from './reading.ts';

/** DOC-15: `when` is a boolean, or text that is exactly one `{{ … }}`. */
export function readCondition(node: YamlNode, reading: Reading): Condition | undefined {
  const place = reading.place(node.span);
  if (node.kind === 'scalar') {
    if (typeof node.value === 'boolean') return { kind: 'constant', value: node.value, place };
    if (typeof node.value === 'string' && node.value.includes('{{')) {
      const template = reading.conditionTemplate(node, node.value);
      if (template === undefined) return undefined;
      if (template.native && node.value.trim().startsWith('{{'))
        return { kind: 'template', template, place, segments: node.segments };
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
