import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Playbook } from '../model/playbook.ts';
import { readPlaybook } from '../read-playbook.ts';
import { playbookToDot } from './dot.ts';
import { type Drawn, readDot, readMermaid } from './drawn.testing.ts';
import { playbookToMermaid } from './mermaid.ts';

const examples = new URL('../../../../examples/', import.meta.url);

const exampleFiles = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

function example(file: string): Playbook {
  return playbookOf(readFileSync(new URL(file, examples), 'utf8'));
}

function playbookOf(text: string): Playbook {
  const { playbook, diagnostics } = readPlaybook(text, { file: 'test.yaml' });
  if (playbook === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return playbook;
}

/** A workflow of steps with the given keys. */
function workflow(...steps: readonly Record<string, unknown>[]): Playbook {
  return playbookOf(
    JSON.stringify({ apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata: { name: 'test' }, workflow: steps }),
  );
}

const noop = { kind: 'noop' };

describe('a playbook as a graph', () => {
  it('is a Mermaid flowchart', () => {
    expect(playbookToMermaid(example('failure-arc.yaml'))).toBe(
      [
        '---',
        'title: "failure_arc"',
        '---',
        'flowchart TD',
        '  entry_point(("<b>entry</b>"))',
        '  start["<b>start</b><br/>reserve (javascript)"]',
        '  apologise["<b>apologise</b><br/>letter (noop)"]',
        '  confirm["<b>confirm</b><br/>letter (noop)"]',
        '  entry_point --> start',
        `  start -.->|"event.name == 'step.failed'"| apologise`,
        '  start -->|"otherwise"| confirm',
        '  %% dotted: can be taken after a failure',
        '  linkStyle 1 stroke:red',
        '',
      ].join('\n'),
    );
  });

  it('is a DOT digraph', () => {
    expect(playbookToDot(example('failure-arc.yaml'))).toBe(
      [
        'digraph "failure_arc" {',
        '  graph [label="failure_arc", labelloc=t, fontname="Helvetica"];',
        '  node [fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
        '  "entry_point" [shape=circle, label="entry"];',
        '  "start" [shape=box, label="start\\nreserve (javascript)"];',
        '  "apologise" [shape=box, label="apologise\\nletter (noop)"];',
        '  "confirm" [shape=box, label="confirm\\nletter (noop)"];',
        '  // dashed: can be taken after a failure',
        '  "entry_point" -> "start";',
        `  "start" -> "apologise" [label="event.name == 'step.failed'", style=dashed, color=red];`,
        '  "start" -> "confirm" [label="otherwise"];',
        '}',
        '',
      ].join('\n'),
    );
  });

  describe.each([
    ['mermaid', (playbook: Playbook): Drawn => readMermaid(playbookToMermaid(playbook))],
    ['dot', (playbook: Playbook): Drawn => readDot(playbookToDot(playbook))],
  ])('in %s', (_format, draw) => {
    it.each(exampleFiles)('shows every step, task and arc of %s', (file) => {
      const playbook = example(file);
      const { title, boxes, arrows } = draw(playbook);
      expect(title).toBe(playbook.metadata.name);
      const drawn = [...boxes.values()];
      for (const { name, tasks } of playbook.workflow) {
        const lines = drawn.find(([heading]) => heading === name) ?? [];
        for (const { label, kind } of tasks) expect(lines.join('\n')).toContain(`${label} (${kind})`);
      }
      const arcs = playbook.workflow.flatMap(({ router }) => router?.arcs ?? []);
      expect(arrows).toHaveLength(arcs.length + 1);
      for (const { from, to } of arrows) expect([boxes.has(from), boxes.has(to)]).toEqual([true, true]);
    });

    it('marks the entry, wherever it stands', () => {
      const { arrows } = draw(
        playbookOf(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: test }
executor: { spec: { entry_step: second } }
workflow:
  - { step: first, tool: { kind: noop } }
  - { step: second, next: { arcs: [{ step: first }] } }
`),
      );
      expect(arrows[0]).toEqual({ from: 'entry_point', to: 'second', label: '', dotted: false });
    });

    it('shows an undefined end as an end, and a defined one as the step it is', () => {
      const start = { step: 'start', tool: noop, next: { arcs: [{ step: 'end' }] } };
      const undefinedEnd = draw(workflow(start));
      expect(undefinedEnd.boxes.get('end_point')).toEqual(['end']);
      expect(undefinedEnd.arrows.at(-1)).toMatchObject({ from: 'start', to: 'end_point' });
      const definedEnd = draw(workflow(start, { step: 'end', tool: noop }));
      expect(definedEnd.boxes.has('end_point')).toBe(false);
      expect(definedEnd.boxes.get('step_2')).toEqual(['end', 'task_1 (noop)']);
    });

    it('shows loops with iterator, list, mode and max_in_flight, also nested ones', () => {
      expect(draw(example('nested-loops.yaml')).boxes.get('visit')).toEqual([
        'visit',
        'for each city in workload.cities (parallel, max_in_flight 2)',
        'for each hotel in iter.city.hotels (sequential)',
        'describe (noop)',
      ]);
      const { boxes } = draw(workflow({ step: 'start', tool: noop, loop: { in: [1, 2], iterator: 'n' } }));
      expect(boxes.get('start')?.[1]).toBe('for each n in [1,2] (sequential)');
    });

    it('shows joins, admission, inclusive routing and jumps', () => {
      const { boxes } = draw(example('fan-out-and-join.yaml'));
      expect(boxes.get('offer')).toEqual(['offer', 'join all', 'add_up (noop)']);
      expect(boxes.get('start')).toEqual(['start', 'takes every arc that matches']);
      const admission = [...draw(example('admission.yaml')).boxes.values()].flat().join('\n');
      expect(admission).toMatch(/admission with \d+ rules?/);
      expect(draw(example('pagination.yaml')).boxes.get('collect')).toContain('turn_page (noop), may jump to fetch');
    });

    it('tells arcs that can take a failure from those that cannot (ENG-5)', () => {
      const arcs = (spec: Record<string, unknown>, ...whens: (string | boolean | undefined)[]) =>
        draw(
          workflow({
            step: 'start',
            tool: noop,
            next: { spec: { mode: 'inclusive', ...spec }, arcs: whens.map((when) => ({ step: 'start', when })) },
          }),
        )
          .arrows.slice(1)
          .map(({ label, dotted }) => [label, dotted]);
      expect(
        arcs(
          {},
          "{{ event.name == 'step.failed' }}",
          "{{ event.name == 'step.done' }}",
          "{{ event.name != 'step.done' and workload }}",
          '{{ execution_id }}',
          undefined,
          true,
          false,
        ),
      ).toEqual([
        ["event.name == 'step.failed'", true],
        ["event.name == 'step.done'", false],
        ["event.name != 'step.done' and workload", true],
        ['execution_id', false],
        ['', false],
        ['', false],
        ['never', false],
      ]);
      expect(arcs({ on_failure: 'all' }, '{{ execution_id }}', undefined)).toEqual([
        ['execution_id', true],
        ['', true],
      ]);
    });

    it('shortens what is long', () => {
      const tasks = Array.from({ length: 15 }, () => noop);
      const when = `{{ ${'execution_id and '.repeat(100)} true }}`;
      const { boxes, arrows } = draw(
        workflow(
          { step: 'start', tool: tasks, next: { arcs: [{ step: 'x'.repeat(500), when }] } },
          {
            step: 'x'.repeat(500),
            tool: noop,
          },
        ),
      );
      expect(boxes.get('start')?.slice(-2)).toEqual(['task_12 (noop)', '… 3 more tasks']);
      expect(boxes.get('step_2')?.[0]).toBe(`${'x'.repeat(99)}…`);
      expect(arrows[1]?.label).toHaveLength(60);
      expect(arrows[1]?.label).toMatch(/^execution_id and .*…$/);
    });
  });
});
