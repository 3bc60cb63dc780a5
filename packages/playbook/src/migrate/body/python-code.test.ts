import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from '../flow/flow.testing.ts';

const rows = [
  {
    of: 'a return outside of a function: it becomes the body of main, with the args it may assign to',
    old: `
      - step: start
        tool:
          kind: python
          args: { n: 1 }
          code: |
            # twice
            n = n * 2
            text = """
            as it is
            """
            if n > 3:
                return text

            return {"n": n}
    `,
    now: `
      - step: start
        tool:
          kind: python
          args: { n: 1 }
          code: |
            def main(n):
                # twice
                n = n * 2
                text = """
            as it is
            """
                if n > 3:
                    return text

                return {"n": n}
    `,
    rules: ['python-return'],
  },
  {
    of: 'input_data, which was a mapping of all args',
    old: `
      - step: start
        tool:
          kind: python
          args: { n: 1, text: a }
          code: |
            result = input_data.get('n')
    `,
    now: `
      - step: start
        tool:
          kind: python
          args: { n: 1, text: a }
          code: |
            input_data = {"n": n, "text": text}
            result = input_data.get('n')
    `,
    rules: ['python-names'],
  },
  {
    of: 'input_data of a task without args: what the token carries',
    old: `
      - step: start
        tool:
          kind: python
          code: result = input_data
    `,
    now: `
      - step: start
        tool:
          kind: python
          args:
            input_data: "{{ args }}"
          code: result = input_data
    `,
    rules: ['python-names'],
  },
  {
    of: 'context, of which the code names what it wants',
    old: `
      - step: start
        tool:
          kind: python
          code: result = context.get('execution_id')
    `,
    now: `
      - step: start
        tool:
          kind: python
          args:
            context:
              execution_id: "{{ execution_id }}"
          code: result = context.get('execution_id')
    `,
    rules: ['python-names'],
  },
  {
    of: 'templates in the code itself, which args give it',
    old: `
      - step: start
        tool:
          kind: python
          code: |
            size = {{ workload.size }} * {{ workload.size }}  # {{ not this }}
            result = "{{ nor this }}"
    `,
    now: `
      - step: start
        tool:
          kind: python
          args:
            size_value: "{{ workload.size }}"
          code: |
            size = size_value * size_value  # {{ not this }}
            result = "{{ nor this }}"
    `,
    rules: ['code-values'],
  },
  {
    of: 'names that the code gives itself, and returns of its functions',
    old: `
      - step: start
        tool:
          kind: python
          code: |
            def add(input_data):
                return input_data  # context
            with open("x") as context:
                result = add(context)
    `,
    now: `
      - step: start
        tool:
          kind: python
          code: |
            def add(input_data):
                return input_data  # context
            with open("x") as context:
                result = add(context)
    `,
    rules: [],
  },
];

describe('MIG-1 python code that relied on what older engines put around it', () => {
  it.each(rows)('$of', ({ old, now, rules }) => {
    expect(migratedSteps(old)).toEqual({ steps: trimmed(now), rules, problems: [] });
  });

  it('is a problem where it reads all of what templates can read', () => {
    const { problems } = migratedSteps('- step: start\n  tool: python\n  code: result = list(context)\n');
    expect(problems).toEqual(["3: the code reads 'context', which no task is given"]);
  });
});
