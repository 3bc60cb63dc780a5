import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { playbookToDot } from './dot.ts';
import { readDot, readMermaid } from './drawn.testing.ts';
import { playbookToMermaid } from './mermaid.ts';
import type { Overlay } from './overlay.ts';
import { shorten } from './shorten.ts';

/** Text that means something to a format, to a library that reads it, or to the page it is shown in. */
const HOSTILE = [
  'a"b',
  '"',
  "'",
  'x[y](z){{w}}',
  '<script>alert(1)</script>',
  '<b>&amp;#quot;#35;',
  'style: x:#fff;',
  'classDef x:#f;',
  '%%{init: {}}%%',
  '%% comment',
  'direction TB',
  '$$x$$',
  '1. foo',
  '- foo',
  '**b** _i_ `c`',
  'a|b',
  'end',
  'END',
  'graph',
  'subgraph',
  'node',
  'class',
  'default',
  'constructor',
  '__proto__',
  'a\nb',
  'a\r\n\tb',
  '日本 🎉 ünï',
  'ﬂ°°35¶ß',
  '\u202eabc\u0000\u001b[31m',
  'back\\slash\\',
  '\\N\\l\\n',
  ':::cls',
  'a@b',
  'fa:fa-car',
  '-->',
  'entry_point',
  'end_point',
  'step_1',
];

const name = fc
  .oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    fc.array(fc.constantFrom(...HOSTILE), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
  )
  .filter((text) => shorten(text, 100) !== '' && !/[\0\ufffd-\uffff]/.test(text));

describe('a graph of hostile names', () => {
  it('shows every name as it is, and nothing that is not there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (names) => {
        const text = JSON.stringify({
          apiVersion: 'noetl.io/v2',
          kind: 'Playbook',
          metadata: { name: names[0] },
          executor: { spec: { entry_step: names[0] } },
          workflow: names.map((step, i) => ({
            step,
            tool: { kind: 'noop' },
            next: { arcs: [{ step: names[i + 1] ?? names[0], when: `{{ execution_id == ${JSON.stringify(step)} }}` }] },
          })),
        });
        const { playbook } = readPlaybook(text, { file: 'hostile.yaml' });
        fc.pre(playbook !== undefined);
        if (playbook === undefined) return;
        const looks = ['done', 'failed', 'active', 'skipped', 'untouched'] as const;
        const overlay: Overlay = {
          step: (step) => ({ look: looks[step.length % 5] ?? 'done', lines: [step] }),
          arc: (step) => ({ look: step.length % 2 === 0 ? 'taken' : 'untouched', note: undefined }),
        };
        const drawings = [
          readMermaid(playbookToMermaid(playbook)),
          readDot(playbookToDot(playbook)),
          readMermaid(playbookToMermaid(playbook, overlay)),
          readDot(playbookToDot(playbook, overlay)),
        ];
        for (const drawn of drawings) {
          const headings = [...drawn.boxes.values()].map(([heading]) => heading);
          expect(headings).toEqual(['entry', ...playbook.workflow.map((step) => shorten(step.name, 100))]);
          expect(drawn.title).toBe(shorten(playbook.metadata.name, 100));
          expect(drawn.arrows).toHaveLength(names.length + 1);
          for (const { from, to } of drawn.arrows)
            expect([drawn.boxes.has(from), drawn.boxes.has(to)]).toEqual([true, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has entities for all that means something to Mermaid', () => {
    const workflow = HOSTILE.map((step) => ({ step, tool: { kind: 'noop' } }));
    const text = JSON.stringify({
      apiVersion: 'noetl.io/v2',
      kind: 'Playbook',
      metadata: { name: 'hostile' },
      executor: { spec: { entry_step: HOSTILE[0] } },
      workflow: workflow.filter(({ step }) => !step.includes('\0')),
    });
    const { playbook } = readPlaybook(text, { file: 'hostile.yaml' });
    if (playbook === undefined) throw new Error('the names are not accepted');
    const mermaid = playbookToMermaid(playbook);
    expect(mermaid).not.toMatch(/direction (TB|TD|BT|LR|RL)|%%\{|script>|\$\$|`|:::|\*|&/);
    expect(mermaid).toContain('<b>#60;script#62;alert(1)#60;/script#62;</b>');
  });
});
