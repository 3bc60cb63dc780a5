import { describe, expect, it } from 'vitest';
import { migratedSteps } from '../flow/flow.testing.ts';

/** A step with this loop. */
const loop = (fields: string) => `- step: start\n  loop:\n${fields.replace(/^/gm, '    ')}\n  tool: { kind: noop }\n`;

describe('loops (MIG-1)', () => {
  it.each([
    [
      'async is parallel',
      "in: '{{ workload.a }}'\niterator: n # one\nmode: async",
      "in: '{{ workload.a }}'\niterator: n # one\nspec: { mode: parallel }",
      ['loop-mode'],
    ],
    [
      'the mode of today under spec',
      'in: [1]\niterator: n\n# one by one\nmode: sequential # always',
      'in: [1]\niterator: n\nspec:\n  # one by one\n  mode: sequential # always',
      ['loop-mode'],
    ],
    [
      'collection and element',
      "collection: '{{ workload.a }}' # c\nelement: n",
      "in: '{{ workload.a }}' # c\niterator: n",
      ['loop-key'],
    ],
    [
      'a limit caps the collection',
      "in: '{{ workload.a or [] }}'\niterator: n\nlimit: 10",
      'in: "{{ (workload.a or [])[:10] }}"\niterator: n',
      ['loop-limit'],
    ],
    [
      'a number that a template gives is left to the default',
      "in: [1]\niterator: n\nspec:\n  mode: parallel\n  max_in_flight: '{{ workload.n }}'",
      'in: [1]\niterator: n\nspec:\n  mode: parallel',
      ['loop-key?'],
    ],
  ])('%s', (_, old, now, rules) => {
    expect(migratedSteps(loop(old))).toEqual({ steps: loop(now), rules, problems: [] });
    expect(migratedSteps(loop(now))).toEqual({ steps: loop(now), rules: [], problems: [] });
  });

  it('refuses a cursor', () => {
    const { problems } = migratedSteps(loop('cursor: { kind: postgres }\niterator: n'));
    expect(problems).toEqual(["3: the loop goes over a 'cursor', not over a list"]);
  });

  it('are what the kind iterator was (003)', () => {
    const old = `- step: start
  tool:
    kind: iterator
    collection: '{{ workload.a }}' # all
    element: n
    mode: async
    task:
      kind: python # work
      code: result = n
`;
    const { steps, problems } = migratedSteps(old);
    expect(problems).toEqual([]);
    expect(steps).toBe(`- step: start
  loop:
    in: '{{ workload.a }}' # all
    iterator: n
    spec: { mode: parallel }
  tool:
    kind: python # work
    code: result = n
`);
  });

  it('refuses an iterator that says more', () => {
    const { problems } = migratedSteps(
      '- step: start\n  tool: { kind: iterator, in: [1], where: x, task: { kind: noop } }\n',
    );
    expect(problems).toContain("2: the iterator has 'where'");
  });
});
