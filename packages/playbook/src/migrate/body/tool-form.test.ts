import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from '../flow/flow.testing.ts';

interface Row {
  readonly of: string;
  readonly old: string;
  readonly now: string;
  readonly rules: readonly string[];
}

const rows: readonly Row[] = [
  {
    of: 'a kind with its fields beside it, comments with them',
    old: `
      - step: start # first
        tool: python # work
        # what it does
        code: |
          result = 1 # kept
        args: { n: 1 }
    `,
    now: `
      - step: start # first
        tool: # work
          kind: python
          # what it does
          code: |
            result = 1 # kept
          args: { n: 1 }
    `,
    rules: ['tool-kind'],
  },
  {
    of: 'type: workbook with its name and values (004)',
    old: `
      - step: start
        type: workbook
        name: add
        with:
          a: 1
    `,
    now: `
      - step: start
        tool:
          kind: workbook
          name: add
          args:
            a: 1
    `,
    rules: ['tool-kind', 'task-args'],
  },
  {
    of: 'a step that only ends',
    old: `
      - step: start
        tool: end
        desc: over
    `,
    now: `
      - step: start
        desc: over
    `,
    rules: ['tool-none'],
  },
  {
    of: 'a field beside the tool instead of in it',
    old: `
      - step: start
        tool:
          kind: postgres
          dsn: db
        command: SELECT 1
    `,
    now: `
      - step: start
        tool:
          kind: postgres
          dsn: db
          command: SELECT 1
    `,
    rules: ['tool-kind'],
  },
  {
    of: 'type for kind, and a task under tool in a list',
    old: `
      - step: start
        tool:
          - name: a
            type: noop
          - name: b
            tool: { kind: noop }
    `,
    now: `
      - step: start
        tool:
          - name: a
            kind: noop
          - name: b
            kind: noop
    `,
    rules: ['tool-kind'],
  },
  {
    of: 'values of the step: args of its task, whose own win',
    old: `
      - step: start
        args:
          a: 1
          b: 2
        tool:
          kind: python
          args: { b: 3 }
          code: result = a
    `,
    now: `
      - step: start
        tool:
          kind: python
          args: { a: 1, b: 3 }
          code: result = a
    `,
    rules: ['task-args'],
  },
  {
    of: 'fields under spec',
    old: `
      - step: start
        tool:
          kind: http
          spec:
            method: POST
            endpoint: "http://x" # there
            timeout: 3
    `,
    now: `
      - step: start
        tool:
          kind: http
          method: POST
          url: "http://x" # there
          spec:
            timeout: 3
    `,
    rules: ['tool-spec', 'tool-field'],
  },
];

describe('the forms of a tool (MIG-1)', () => {
  it.each(rows)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(old);
    expect(migrated.steps).toBe(trimmed(now));
    expect([...migrated.rules].sort()).toEqual([...rules].sort());
    expect(migrated.problems).toEqual([]);
    expect(migratedSteps(now)).toMatchObject({ steps: trimmed(now), problems: [] });
  });

  it.each([
    ['one task', '- step: start\n  tool: { kind: noop }\n'],
    ['named tasks', '- step: start\n  tool:\n    - name: a\n      kind: noop\n'],
    ['labelled tasks', '- step: start\n  tool:\n    - a: { kind: noop }\n    - b: { kind: workbook, name: x }\n'],
  ])('%s of today stay as they are', (_, steps) => {
    expect(migratedSteps(steps)).toEqual({ steps, rules: [], problems: [] });
  });

  it('says of kinds that are none what to do', () => {
    const { problems } = migratedSteps('- step: start\n  tool: { kind: nats, bucket: b }\n');
    expect(problems).toEqual(["2: there is no kind 'nats'"]);
  });
});
