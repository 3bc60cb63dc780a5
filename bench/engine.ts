import {
  DEFAULT_ENGINE_LIMITS,
  type Decision,
  decide,
  type ExecutionState,
  effectsOf,
  fold,
  type Input,
  initialState,
  type Plan,
  planOf,
  type WorkerEvent,
  withValueAt,
} from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { type BenchResult, rounded } from './result.ts';

const STEP_GOAL_MICROS = 60;
const FLAT_GOAL = 1.5;
const HEAP_GOAL_MB = 200;
const ITERATIONS = 1_000_000;
const NOW = Date.UTC(2026, 0, 1);
const TIMESTAMP = '2026-01-01T00:00:00.000Z';

/** What the core costs: one decision with its events folded and their effects read, nothing stored. */
export async function* engineScenarios(): AsyncGenerator<BenchResult> {
  const step = microsPerStep();
  yield {
    scenario: 'engine.noop-step',
    micros: rounded(step),
    goal: STEP_GOAL_MICROS,
    met: step <= STEP_GOAL_MICROS,
  };
  yield millionIterations();
}

/** A step that leads to itself: each run is a report of a worker, its routing, and the next scheduling. */
function microsPerStep(): number {
  const plan = planFrom(`
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: start }] }
`);
  const runs = 20_000;
  let best = Infinity;
  for (let sample = 0; sample < 5; sample++) {
    let state = started(plan);
    const began = cpuMicros();
    for (let run = 1; run <= runs; run++) state = after(plan, state, { run, path: [] }, 'step.started');
    best = Math.min(best, (cpuMicros() - began) / runs);
  }
  return best;
}

/** The cost of the first iterations, of the last, and the largest heap between them. */
function millionIterations(): BenchResult {
  const plan = planFrom(`
workflow:
  - step: start
    loop: { in: "{{ range(${ITERATIONS}) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 10 } }
    tool: { kind: noop }
`);
  let state = started(plan);
  const parts = 20;
  const micros: number[] = [];
  let heap = 0;
  for (let part = 0; part < parts; part++) {
    const began = cpuMicros();
    for (let index = (part * ITERATIONS) / parts; index < ((part + 1) * ITERATIONS) / parts; index++) {
      state = after(plan, state, { run: 1, path: [index] }, 'loop.iteration.started');
    }
    micros.push(((cpuMicros() - began) * parts) / ITERATIONS);
    heap = Math.max(heap, process.memoryUsage().heapUsed / 1024 / 1024);
  }
  if (state.phase !== 'processed') throw new Error('the loop of the bench did not come to its end');
  // The first part also pays for the compiler, so that the second is the one to compare with.
  const ratio = Math.min(...micros.slice(-3)) / Math.min(...micros.slice(1, 4));
  return {
    scenario: 'engine.loop-1000000',
    micros_first: rounded(micros[1] ?? 0),
    micros_last: rounded(micros.at(-1) ?? 0),
    ratio: rounded(ratio),
    heap_mb: rounded(heap),
    goal: `ratio ${FLAT_GOAL}, ${HEAP_GOAL_MB} MB, ${STEP_GOAL_MICROS} µs`,
    met: ratio <= FLAT_GOAL && heap <= HEAP_GOAL_MB && Math.min(...micros.slice(-3)) <= STEP_GOAL_MICROS,
  };
}

/** CPU of the whole process, its garbage collection included: what others do on the machine does not count. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const TASK = { label: 'task_1', visit: 1, attempt: 1 };
const META = { attempt: 1, duration_ms: 0, ts: TIMESTAMP };

/** The state after a worker has reported a whole pipeline of one task. */
function after(
  plan: Plan,
  state: ExecutionState,
  work: { readonly run: number; readonly path: readonly number[] },
  started: 'step.started' | 'loop.iteration.started',
): ExecutionState {
  const events: readonly WorkerEvent[] = [
    { name: started, timestamp: TIMESTAMP, payload: {} },
    { name: 'task.started', timestamp: TIMESTAMP, task: TASK, payload: { kind: 'noop', input: {} } },
    {
      name: 'task.done',
      timestamp: TIMESTAMP,
      task: TASK,
      payload: {
        kind: 'noop',
        outcome: { status: 'ok', result: null, meta: META },
        directive: { do: 'continue', rule: 'default' },
        next: { kind: 'done' },
      },
    },
    { name: 'finished', timestamp: TIMESTAMP },
  ];
  const decision = made(decide(plan, state, { kind: 'report', at: NOW, work, events }));
  for (const event of decision.events) effectsOf(decision.state, event);
  return decision.state;
}

function started(plan: Plan): ExecutionState {
  const request: Input = {
    kind: 'request',
    at: NOW,
    execution_id: 'e',
    path: 'bench',
    version: 1,
    content_hash: 'bench',
    payload: {},
  };
  const { events } = made(decide(plan, initialState, request));
  // A long list goes into the result store, as a server would do.
  const stored = { $noetl: 'reference', store: 'bench', key: 'k', checksum: '', size: 0, schema_hint: '' };
  return fold(events.map((event) => (event.name === 'loop.started' ? withValueAt(event, ['in'], stored) : event)));
}

function made(decision: Decision): Extract<Decision, { kind: 'events' }> {
  if (decision.kind !== 'events') throw new Error(`the bench met ${JSON.stringify(decision)}`);
  return decision;
}

function planFrom(workflow: string): Plan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: bench }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 'bench.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the bench is not valid');
  return planOf(playbook, { ...DEFAULT_ENGINE_LIMITS, stepRuns: Number.MAX_SAFE_INTEGER });
}
