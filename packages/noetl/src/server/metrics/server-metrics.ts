import type { ExecutionEvent } from '@noetl/engine';
import { DEFAULT_POOL } from '../worker-pool.ts';
import { createRegistry } from './registry.ts';

/** What a server counts. Labels are names of routes, pools, kinds and statuses: no id, no value, no secret (SEC-3). */
export interface ServerMetrics {
  committed(events: readonly ExecutionEvent[]): void;
  /** Work was taken that had waited so many milliseconds. */
  claimed(waited: number): void;
  /** A worker was silent for longer than its lease lasts. */
  expired(): void;
  answered(request: AnsweredRequest): void;
  text(): string;
}

export interface AnsweredRequest {
  readonly method: string;
  /** As the route is declared, without the values of its parameters. */
  readonly route: string;
  readonly status: number;
}

/** What is looked at when somebody asks. */
export interface ServerCondition {
  underWay(): number;
  /** How much work waits, by pool. */
  waiting(): ReadonlyMap<string, number>;
  /** How many workers in processes of their own are known, by pool. */
  workers(): ReadonlyMap<string, number>;
  process(): ProcessHealth;
  /** What became of the spans of traces; undefined where none are recorded. */
  spans(): SpanCounts | undefined;
}

interface SpanCounts {
  readonly sent: number;
  readonly dropped: number;
  readonly refused: number;
}

export interface ProcessHealth {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** How late the event loop came to its timers since it was asked last, in seconds. */
  readonly loopDelay: { readonly mean: number; readonly p99: number; readonly max: number };
}

const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LONG = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

export function createServerMetrics(condition: ServerCondition): ServerMetrics {
  const registry = createRegistry();
  registry.gauge('noetl_queue_depth', 'Work that waits for a worker, by pool.', () => byPool(condition.waiting()), [
    'pool',
  ]);
  const claims = registry.histogram(
    'noetl_claim_latency_seconds',
    'How long work was ready before a worker took it.',
    SHORT,
  );
  const expiries = registry.counter(
    'noetl_lease_expiries_total',
    'Leases that were taken over because their worker was silent.',
  );
  /** A pool that has lost its last worker has none: that must be seen. */
  const pools = new Map<string, number>();
  registry.gauge(
    'noetl_workers',
    'Workers in processes of their own, by pool.',
    () => {
      for (const pool of condition.workers().keys()) pools.set(pool, 0);
      return byPool(new Map([...pools, ...condition.workers()]));
    },
    ['pool'],
  );
  const events = registry.counter('noetl_events_total', 'Events that this process has appended to logs.');
  const begun = registry.counter('noetl_executions_started_total', 'Executions that began here.');
  const ended = registry.counter('noetl_executions_ended_total', 'Executions that ended here, by status.', ['status']);
  for (const status of ['success', 'error', 'cancelled']) ended.add([status], 0);
  registry.gauge('noetl_executions_under_way', 'Executions that this process drives.', () => [
    { amount: condition.underWay() },
  ]);
  const executions = registry.histogram(
    'noetl_execution_duration_seconds',
    'From the request of an execution to its end.',
    LONG,
  );
  const tasks = registry.histogram(
    'noetl_task_duration_seconds',
    'How long the tools of attempts took, without waits, by kind and status.',
    LONG,
    ['kind', 'status'],
  );
  const requests = registry.counter('noetl_http_requests_total', 'Requests that were answered.', [
    'method',
    'route',
    'status',
  ]);
  registry.countedElsewhere(
    'noetl_trace_spans_total',
    'Spans of traces, by what became of them.',
    () => Object.entries(condition.spans() ?? NO_SPANS).map(([result, amount]) => ({ values: [result], amount })),
    ['result'],
  );
  let health: ProcessHealth | undefined;
  registry.gauge('process_resident_memory_bytes', 'Memory of the process.', () => {
    health = condition.process();
    return [{ amount: health.residentBytes }];
  });
  registry.gauge('nodejs_heap_used_bytes', 'Memory that objects of the program take.', () => [
    { amount: health?.heapBytes ?? 0 },
  ]);
  registry.gauge(
    'nodejs_eventloop_delay_seconds',
    'How late the event loop came to its timers since the last look.',
    () => Object.entries(health?.loopDelay ?? {}).map(([of, amount]) => ({ values: [of], amount })),
    ['of'],
  );

  function count(event: ExecutionEvent): void {
    if (event.name === 'task.done' && event.payload.outcome !== undefined) {
      const { kind, outcome } = event.payload;
      tasks.observe(outcome.meta.duration_ms / 1000, [kind, outcome.status]);
    } else if (event.name === 'playbook.processed') {
      ended.add([event.payload.status]);
      executions.observe(event.payload.stats.duration_ms / 1000);
    } else if (event.name === 'playbook.execution.requested' || event.name === 'execution.forked') begun.add();
  }

  return {
    committed(some) {
      events.add([], some.length);
      for (const event of some) count(event);
    },
    claimed: (waited) => claims.observe(Math.max(waited, 0) / 1000),
    expired: () => expiries.add(),
    answered: ({ method, route, status }) => requests.add([method, route, `${status}`]),
    text: registry.text,
  };
}

const NO_SPANS: SpanCounts = { sent: 0, dropped: 0, refused: 0 };

const byPool = (pools: ReadonlyMap<string, number>) =>
  [...pools].map(([pool, amount]) => ({ values: [pool.trim() === '' ? DEFAULT_POOL : pool], amount }));
