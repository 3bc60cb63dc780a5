import { type Recording, record } from './recorded.testing.ts';

/** A workflow with a retry, a loop with a failure, a skipped step, an approval, and a failure that an arc takes. */
const WEATHER = `workload: { days: [mon, tue, wed], city: Bern }
workflow:
  - step: start
    tool:
      - fetch:
          kind: http
          url: https://example.org
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: retry, attempts: 4, delay: 10 }
                - else: { then: { do: continue } }
    next: { spec: { mode: inclusive }, arcs: [{ step: measure }, { step: archive }] }
  - step: measure
    loop:
      in: "{{ workload.days }}"
      iterator: day
      spec: { mode: parallel, max_in_flight: 2, policy: { failure: best_effort } }
    tool:
      - read: { kind: noop }
    next: { arcs: [{ step: publish }] }
  - step: archive
    spec: { policy: { admit: { rules: [{ when: "{{ workload.city == 'Bern' }}", then: { allow: false } }] } } }
    tool: { kind: noop }
  - step: publish
    tool:
      - approve: { kind: wait, for: approval, name: boss }
      - send: { kind: noop }
    next: { arcs: [{ step: apologize, when: "{{ event.name == 'step.failed' }}" }] }
  - step: apologize
    tool: { kind: noop, result: sorry }
`;

/** Text with which a tool tries to steer the terminal. */
const EVIL = 'no value\u001b[2J for\u009b tue\u202e';

export const recordWeather = (): Recording =>
  record(WEATHER, {
    tools: {
      'start.fetch': ({ attempt }) =>
        attempt === 1
          ? { error: { kind: 'http.status', message: '503 Service Unavailable', retryable: true }, ms: 300 }
          : { ms: 1000, result: { station: 7 } },
      'measure.read': ({ path: [index = 0] }) =>
        index === 1 ? { error: { kind: 'sensor', message: EVIL }, ms: 1500 } : { ms: 1500, result: index * 10 },
      'publish.send': () => ({ error: { kind: 'mail', message: 'the box is full\nwrite less' }, ms: 20 }),
      'apologize.task_1': () => ({ result: 'sorry' }),
    },
    inputs: [{ kind: 'signal', name: 'boss', payload: { publish: true }, by: 'ada' }],
  });

/** Three attempts that fail, and nobody takes the failure. */
export const recordFailure = (): Recording =>
  record(
    `workflow:
  - step: start
    next: { arcs: [{ step: load }] }
  - step: load
    tool:
      - get:
          kind: http
          url: https://example.org
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: retry, attempts: 3, delay: 0 }
                - else: { then: { do: continue } }
`,
    {
      tools: {
        'load.get': ({ attempt }) => ({
          error: { kind: 'http.status', message: `50${attempt}`, details: { status: 500 + attempt } },
          ms: 100,
        }),
      },
    },
  );
