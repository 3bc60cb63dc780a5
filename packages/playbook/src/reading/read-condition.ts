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
      if (template.native) return reading.templateData(template, place, bare.segments);
    }
  }
  const message = `when is ${describe(node)}, expected a boolean or exactly one '{{ … }}'`;
  reading.problems.error('NOETL_WHEN_SHAPE', node.span, message, hintFor(node));
  return undefined;
}

function hintFor(node: YamlNode): string {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number') return `Write when: ${value !== 0}.`;
  if (typeof value !== 'string' || value.trim() === '') return 'Write when: "{{ … }}", or remove the key.';
  return value.includes('{')
    ? 'Join conditions inside of one template with and, or, not.'
    : `Write when: "{{ ${value} }}".`;
}

/** The scalar without the blanks around its text, so that offsets in the text still find their place. */
function trimmed(node: ScalarNode, text: string): ScalarNode {
  if (text === node.value) return node;
  const lead = String(node.value).indexOf(text);
  const segments = node.segments.map(({ value, source }) => ({ value: value - lead, source }));
  return { ...node, value: text, segments };
}
