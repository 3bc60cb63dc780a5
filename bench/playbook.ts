import { readPlaybook } from '@noetl/playbook';
import { HOSTILE_DOCUMENTS } from '../packages/playbook/src/yaml/hostile-documents.testing.ts';
import { type BenchResult, rounded } from './result.ts';

const LARGE_GOAL_MS = 250;
const SMALL_GOAL_MS = 5;
const HOSTILE_GOAL_MS = 50;
const LINEARITY_GOAL = 5;
const TEMPLATES_GOAL_MS = 500;

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
    // docs/decisions/0010-speed-goals-hold-warm.md
    goal: null,
    note: 'no goal: mostly the time in which V8 compiles the reader itself',
  };

  const warm = freshReadingMs(1_000);
  yield {
    scenario: 'playbook.1000-steps-warm',
    kilobytes: kilobytes(large),
    ms: rounded(warm),
    ...goal(warm, LARGE_GOAL_MS),
  };

  // Four times the steps in about four times the time.
  const ratio = warm / freshReadingMs(250);
  yield { scenario: 'playbook.linearity', steps: '250 to 1000', ratio: rounded(ratio), ...goal(ratio, LINEARITY_GOAL) };

  const small = freshReadingMs(20);
  yield {
    scenario: 'playbook.20-steps-warm',
    kilobytes: kilobytes(playbookOf(20)),
    ms: rounded(small),
    ...goal(small, SMALL_GOAL_MS),
  };

  const net = millisecondsOf(netOf(1_000));
  yield { scenario: 'playbook.1000-steps-net', ms: rounded(net), ...goal(net, LARGE_GOAL_MS) };

  const templates = Math.min(...['a', 'b', 'c'].map((edition) => millisecondsOf(templatesOf(edition), 1)));
  yield { scenario: 'playbook.1-mib-of-templates', ms: rounded(templates), ...goal(templates, TEMPLATES_GOAL_MS) };

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

/**
 * The fastest of several readings, each of a text whose templates were never seen before: the cache of compiled
 * templates would otherwise serve small playbooks and not large ones.
 */
function freshReadingMs(steps: number): number {
  const rounds = Math.max(10, Math.round(5_000 / steps));
  const times = Array.from({ length: rounds }, (_, round) => {
    const text = playbookOf(steps, `${steps}_${round}`);
    const started = performance.now();
    read(text);
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** One reading, warnings and errors welcome: the fastest of some. */
function millisecondsOf(text: string, rounds = 5): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    readPlaybook(text, { file: 'bench.yaml' });
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** As many templates as a file can hold in mappings, each of them different. */
function templatesOf(edition: string): string {
  const args = Array.from({ length: 24_000 }, (_, i) => `        k${i}: "{{ workload.${edition} + ${i} }}"\n`);
  return `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: templates }
workload: { a: 1, b: 1, c: 1 }
workflow:
  - step: start
    tool:
      kind: noop
      args:
${args.join('')}`;
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

const kilobytes = (text: string): number => Math.round(text.length / 1_000);
const goal = (value: number, limit: number) => ({ goal: limit, met: value <= limit });

/** A chain of steps that call an API with a policy, route by guards and write ctx. `edition` is in all its templates. */
function playbookOf(steps: number, edition = ''): string {
  const body = Array.from({ length: steps }, (_, i) => {
    const name = i === 0 ? 'start' : `step_${i}`;
    const next = i === steps - 1 ? 'end' : `step_${i + 1}`;
    return `  - step: ${name}
    desc: fetches page ${i} and keeps what came
    tool:
      - fetch:
          kind: http
          url: "{{ workload.api_url }}/pages${edition}/${i}"
          params: { limit: "{{ workload.limit }}" }
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' and outcome.http.status in [429, 503] }}"
                  then: { do: retry, attempts: 5, backoff: exponential, delay: 1 }
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue, set_ctx: { "page${edition}_${i}": "{{ outcome.result.data }}" } }
    next:
      arcs:
        - step: ${next}
          when: "{{ event.name == 'step.done' and ctx.page${edition}_${i} | length > 0 }}"
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
