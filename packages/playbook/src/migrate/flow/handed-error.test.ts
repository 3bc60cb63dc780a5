import { describe, expect, it } from 'vitest';
import { migratedSteps } from './flow.testing.ts';

const handler = (when: string, read: string, kind = 'http'): string => `
  - step: start
    tool: { kind: ${kind} }
    case:
      - when: "{{ ${when} }}"
        then:
          next:
            - step: failed
  - step: failed
    tool: { kind: noop, args: { why: "{{ ${read} }}" } }
`;

const FAILURE = "event.name == 'call.error'";
const why = (steps: string): string | undefined => /why: "\{\{ (.*) \}\}"/.exec(steps)?.[1];

describe('seed 003: the failure that a step is about', () => {
  it.each([
    ['error.message', 'error.message'],
    ['error.status', 'error.details.status | default(none)'],
    ['error.type', 'error.kind'],
    ['error', 'error.message'],
    ['error | tojson', 'error | tojson'],
    ["error.message if error is defined else ''", "error.message if error is not none else ''"],
  ])('MIG-1: %s is handed on by the arcs that lead there', (old, now) => {
    const { steps, problems, rules } = migratedSteps(handler(FAILURE, old));
    expect(problems).toEqual([]);
    expect(steps).toContain('args: { error: "{{ event.payload.error }}" }');
    expect(why(steps)).toBe(now);
    expect(rules).toContain('error-handed');
  });

  it('MIG-1: an arc that is taken without a failure too hands on none, to who provides for that', () => {
    const both = "event.name == 'call.done' and response.status_code != 200";
    const { steps, problems } = migratedSteps(handler(both, "error.message if error is defined else ''"));
    expect(problems).toEqual([]);
    expect(steps).toContain(`args: { error: "{{ event.payload.error if event.name == 'step.failed' else none }}" }`);
    expect(migratedSteps(handler(both, 'error.message')).problems).toEqual([
      "9: nothing provides 'error' here: the failure of another step is known only where that step goes on",
    ]);
  });

  it('MIG-1: where no failure leads, it is a problem, or a note where the template provides for that', () => {
    const done = "event.name == 'call.done'";
    expect(migratedSteps(handler(done, 'error.message')).problems).toHaveLength(1);
    const provided = migratedSteps(handler(done, "error.message | default('')"));
    expect(provided.problems).toEqual([]);
    expect(provided.rules).toContain('name-envelope?');
  });
});

describe('older names that nothing provides', () => {
  it.each(['response.id', 'this.id', 'output.id', 'last_error.message'])('MIG-1: %s in a task is a problem', (read) => {
    const [name] = read.split('.');
    expect(migratedSteps(handler(FAILURE, read)).problems).toEqual([
      `9: nothing provides '${name}' here: no name of the language is called that any more`,
    ]);
  });

  it('MIG-1: so is the result of the step before, where several lead to the task', () => {
    const second = `
  - step: second
    tool: { kind: noop }
    next: failed
`;
    expect(migratedSteps(handler("event.name == 'call.done'", 'result.id') + second).problems).toEqual([
      "9: nothing provides 'result' here: it was the result of whatever ran before",
    ]);
  });

  it('MIG-1: what an arc hands on provides for the step that it leads to, not for others', () => {
    const { problems } = migratedSteps(`
      - step: start
        tool: { kind: python, code: "result = 1" }
        next:
          - step: one
            args: { response: 1 }
      - step: one
        tool: { kind: noop, args: { x: "{{ response.id }}" } }
        next: other
      - step: other
        tool: { kind: noop, args: { x: "{{ response.id }}" } }
    `);
    expect(problems).toEqual(["10: nothing provides 'response' here: no name of the language is called that any more"]);
  });

  it.each(["response.id | default('')", "this.id if this is defined else ''"])('MIG-1: %s is told', (read) => {
    const { problems, rules } = migratedSteps(handler(FAILURE, read));
    expect(problems).toEqual([]);
    expect(rules).toContain('name-envelope?');
  });
});
