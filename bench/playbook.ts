import { readPlaybook } from '@noetl/playbook';
import { HOSTILE_DOCUMENTS } from '../packages/playbook/src/yaml/hostile-documents.testing.ts';
import { microsPerCall } from './measure.ts';
import { type BenchResult, rounded } from './result.ts';

const LARGE_GOAL_MS = 250;
const SMALL_GOAL_MS = 5;
const HOSTILE_GOAL_MS = 250;

/** How fast a playbook is read, validated and analysed. */
export async function* playbookScenarios(): AsyncGenerator<BenchResult> {
  const large = playbookOf(1_000);
  const started = performance.now();
  read(large);
  const cold = performance.now() - started;
  yield {
    scenario: 'playbook.1000-steps-first',
    kilobytes: kilobytes(large),
    ms: rounded(cold),
  };

  const times = new Map([250, 500, 1_000].map((steps) => [steps, readingMs(playbookOf(steps))]));
  const warm = times.get(1_000) ?? 0;
  yield {
    scenario: 'playbook.1000-steps-warm',
    kilobytes: kilobytes(large),
    ms: rounded(warm),
    ...goal(warm, LARGE_GOAL_MS),
  };

  // Four times the steps in about four times the time.
  const ratio = warm / (times.get(250) ?? 1);
  yield { scenario: 'playbook.linearity', steps: '250 to 1000', ratio: rounded(ratio), ...goal(ratio, 6) };

  const small = readingMs(playbookOf(20));
  yield {
    scenario: 'playbook.20-steps-warm',
    kilobytes: kilobytes(playbookOf(20)),
    ms: rounded(small),
    ...goal(small, SMALL_GOAL_MS),
  };

  const net = millisecondsOf(netOf(1_000));
  yield { scenario: 'playbook.1000-steps-net', ms: rounded(net), ...goal(net, LARGE_GOAL_MS) };

  const hostile = Object.entries(HOSTILE_DOCUMENTS).map(([name, make]) => [name, millisecondsOf(make())] as const);
  const [slowest, ms] = hostile.reduce((worst, next) => (next[1] > worst[1] ? next : worst));
  yield {
    scenario: 'playbook.hostile',
    documents: hostile.length,
    slowest,
    ms: rounded(ms),
    ...goal(ms, HOSTILE_GOAL_MS),
  };
}

/** One reading, warnings and errors welcome: the fastest of three. */
function millisecondsOf(text: string): number {
  const times = [1, 2, 3].map(() => {
    const started = performance.now();
    readPlaybook(text, { file: 'bench.yaml' });
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** Steps that branch, meet and write the same keys everywhere: the most that analysing a workflow has to look at. */
function netOf(steps: number): string {
  const body = Array.from({ length: steps }, (_, i) => {
    const targets = [1, 2, 3, 4].map((d) => `{ step: s${1 + ((i * 7 + d * 131) % (steps - 1))} }`);
    return `  - step: ${i === 0 ? 'start' : `s${i}`}
    spec: { join: ${i % 4 === 0 ? 'any' : i % 4 === 1 ? 'all' : i} }
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { k${i % 7}: 1 } } } }] } } }
    next: { spec: { mode: inclusive }, arcs: [${targets.join(', ')}] }
`;
  });
  return `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: net }
workflow:
${body.join('')}`;
}

function read(text: string): void {
  const { playbook, diagnostics } = readPlaybook(text, { file: 'bench.yaml' });
  if (playbook === undefined || diagnostics.length > 0)
    throw new Error(`the playbook of the benchmark: ${diagnostics[0]?.message}`);
}

const readingMs = (text: string): number => microsPerCall(() => read(text)) / 1_000;
const kilobytes = (text: string): number => Math.round(text.length / 1_000);
const goal = (value: number, limit: number) => ({ goal: limit, met: value <= limit });

/** A chain of steps that call an API with a policy, route by guards and write ctx. */
function playbookOf(steps: number): string {
  const body = Array.from({ length: steps }, (_, i) => {
    const name = i === 0 ? 'start' : `step_${i}`;
    const next = i === steps - 1 ? 'end' : `step_${i + 1}`;
    return `  - step: ${name}
    desc: fetches page ${i} and keeps what came
    tool:
      - fetch:
          kind: http
          url: "{{ workload.api_url }}/pages/${i}"
          params: { limit: "{{ workload.limit }}" }
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' and outcome.http.status in [429, 503] }}"
                  then: { do: retry, attempts: 5, backoff: exponential, delay: 1 }
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue, set_ctx: { "page_${i}": "{{ outcome.result.data }}" } }
    next:
      arcs:
        - step: ${next}
          when: "{{ event.name == 'step.done' and ctx.page_${i} | length > 0 }}"
        - step: end
`;
  });
  return `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: bench, path: bench/pages }
workload: { api_url: "http://127.0.0.1", limit: 100 }
workflow:
${body.join('')}`;
}
