import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { complaint, withSteps } from '../reading-playbooks.testing.ts';

describe('DOC-15: when', () => {
  const when = (text: string) => withSteps(`  - step: start\n    next: { arcs: [{ step: end, when: ${text} }] }\n`);
  checkDocuments([
    ['true', when('true'), []],
    ['false', when('false'), []],
    ['one template', when('"{{ ctx is defined }}"'), []],
    ['one template with blanks around', when('"  {{ ctx is defined }} "'), []],
    ['an expression without braces', when('ctx is defined'), ['NOETL_WHEN_SHAPE 6:39']],
    ['text around', when('"not {{ ctx }}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['two templates', when('"{{ ctx }}{{ args }}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a statement', when('"{% if ctx %}true{% endif %}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a number', when('1'), ['NOETL_WHEN_SHAPE 6:39']],
    ['nothing', when(''), ['NOETL_WHEN_SHAPE 6:40']],
    ['a list', when('[true]'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a template that cannot be read', when('"{{ ctx. }}"'), ['NOETL_TEMPLATE_SYNTAX 6:48']],
  ]);

  it('shows how to write it', () => {
    expect(complaint(when('ctx is defined'))).toBe(
      "when is 'ctx is defined', expected a boolean or exactly one '{{ … }}' | Write when: \"{{ ctx is defined }}\".",
    );
  });
});
