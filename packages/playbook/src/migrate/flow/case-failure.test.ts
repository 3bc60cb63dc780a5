import { describe, expect, it } from 'vitest';
import { migratedSteps } from './flow.testing.ts';

const entryOf = (kind: string, when: string, more = ''): string => `
  - step: start
    tool: { kind: ${kind} }
    case:
      - when: "{{ ${when} }}"
        then:
          next:
            - step: other
${more}
  - step: other
    tool: { kind: noop }
`;

const whenOf = (kind: string, when: string): string | undefined =>
  /when: "\{\{ (.*) \}\}"/.exec(migratedSteps(entryOf(kind, when)).steps)?.[1];

describe('seed 003: ends of a call and what is there after them', () => {
  it.each(['not error', 'error is not defined', 'error is undefined', 'error is none', 'error == none'])(
    'MIG-1: an exit with %s is the successful end',
    (absence) => {
      expect(whenOf('noop', `event.name == 'step.exit' and ${absence}`)).toMatch(/^event\.name == 'step\.done' and /);
    },
  );

  it.each(["'refused' in error", 'error', 'error is defined', 'error.kind'])(
    'MIG-1: an exit with %s is a failure',
    (asked) => {
      expect(whenOf('noop', `event.name == 'step.exit' and ${asked}`)).toMatch(/^event\.name == 'step\.failed'/);
    },
  );

  it.each([
    ["'refused' in response.error.message", "'refused' in event.payload.error.message"],
    ['response.status_code == 404', 'event.payload.error.details.status == 404'],
    ['status_code == 404', 'event.payload.error.details.status == 404'],
    ['response.error', 'event.payload.error'],
  ])('MIG-1: after a failed call %s is read of the error', (old, now) => {
    expect(whenOf('http', `event.name == 'call.error' and ${old}`)).toBe(`event.name == 'step.failed' and ${now}`);
  });

  it.each(['response.error', 'response.error is defined', "'x' in response.error.message", 'this.error is not none'])(
    'MIG-1: an exit with %s is a failure, which the author should look at',
    (asked) => {
      const { steps, rules } = migratedSteps(entryOf('noop', `event.name == 'step.exit' and ${asked}`));
      expect(steps).toMatch(/when: "\{\{ event\.name == 'step\.failed' and .*event\.payload\.error/);
      expect(rules).toContain('case-event?');
    },
  );

  it.each(['not response.error', 'response.error is not defined', 'not (response.error is defined)'])(
    'MIG-1: an exit with %s is the successful end',
    (absence) => {
      const { steps, rules } = migratedSteps(entryOf('noop', `event.name == 'step.exit' and ${absence}`));
      expect(steps).toContain(`when: "{{ event.name == 'step.done' and `);
      expect(rules).not.toContain('case-event?');
    },
  );

  it('MIG-1: an error that the code of the step gives itself is a field of its result', () => {
    const { steps, rules } = migratedSteps(
      entryOf(`python, code: "result = {'error': 1}"`, "event.name == 'step.exit' and response.error"),
    );
    expect(steps).toContain(`when: "{{ event.name == 'step.done' and results.start.error }}"`);
    expect(rules).toContain('case-event?');
  });

  it('MIG-1: a call that was answered outside of 2xx was done, and is a failure now', () => {
    const status = "(event.payload.error.details.status if event.name == 'step.failed' else results.start.status)";
    expect(whenOf('http', "event.name == 'call.done' and response.status_code == 404")).toBe(`${status} == 404`);
    expect(whenOf('http', "event.name == 'call.done' and response.status_code == 200")).toBe(
      "event.name == 'step.done' and results.start.status == 200",
    );
  });

  it('MIG-1: so is what the arc takes along', () => {
    const args = '              args: { m: "{{ response.error }}", why: "{{ result.error.message }}" }';
    expect(migratedSteps(entryOf('http', "event.name == 'call.error'", args)).steps).toContain(
      'args: { m: "{{ event.payload.error }}", why: "{{ event.payload.error.message }}" }',
    );
  });

  it('MIG-1: a result that a failure does not leave is a problem with advice', () => {
    const { problems } = migratedSteps(entryOf('http', "event.name == 'call.error' and response.rows[0].id == 1"));
    expect(problems).toEqual(["4: 'response.rows[0].id' is read after a failure, which leaves no result"]);
  });
});

describe('seed 003: what a retry knows', () => {
  it.each([
    ['4', '_attempt < 4 - 1'],
    ['"{{ workload.tries }}"', '_attempt < (workload.tries) - 1'],
  ])('MIG-1: max_attempts is the number of attempts in all: %s', (tries, now) => {
    const { steps } = migratedSteps(`
      - step: start
        tool: { kind: noop }
        retry:
          max_attempts: ${tries}
          retry_when: "{{ attempt < max_attempts - 1 }}"
    `);
    expect(steps).toContain(`when: "{{ ${now} }}"`);
  });
});
