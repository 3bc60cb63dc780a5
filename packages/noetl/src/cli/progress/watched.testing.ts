import type { ExecutionEvent } from '@noetl/engine';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { type Recording, record, START } from '../views/recorded.testing.ts';
import { createProgress, type Progress, type ProgressMode } from './progress.ts';

interface Watched {
  readonly stdout: string;
  readonly stderr: string;
  /** Writes to standard error. */
  readonly writes: number;
}

interface Watching {
  readonly mode: ProgressMode;
  readonly color?: boolean;
  readonly columns?: number;
  /** How many events come at once. */
  readonly batch?: number;
  readonly close?: boolean;
  readonly data?: string;
  readonly before?: (progress: Progress) => void;
}

/** Shows recorded events at the times they happened. */
export function watch({ playbook, events }: Pick<Recording, 'playbook' | 'events'>, watching: Watching): Watched {
  const said = { stdout: '', stderr: '', writes: 0 };
  const clock = createVirtualClock(START);
  const { mode, color = false, columns = 100, batch = 1, close = true } = watching;
  const terminal = {
    print: (text: string) => {
      said.stdout += text;
    },
    complain: (text: string) => {
      said.stderr += text;
      said.writes += 1;
    },
    columns,
  };
  const { data } = watching;
  const progress = createProgress({ terminal, execution: 'e', playbook, file: 'demo.yaml', data, mode, color, clock });
  watching.before?.(progress);
  for (let from = 0; from < events.length; from += batch) {
    const some = events.slice(from, from + batch);
    clock.advanceTo(Math.max(clock.now(), Date.parse(some.at(-1)?.timestamp ?? '')));
    progress.events(some);
  }
  if (close) progress.close();
  else clock.advanceTo(clock.now() + 100);
  return said;
}

/** A parallel loop over `N` items that goes on when some fail. */
export const LOOP = `workflow:
  - step: start
    loop: { in: "{{ range(N) | list }}", iterator: n, spec: { mode: parallel, max_in_flight: 10, policy: { failure: best_effort } } }
    tool: [{ work: { kind: noop } }]
`;

/** The events of a loop that ends 10,000 iterations a second, as they would be stored. */
export function longLoop(total: number): Pick<Recording, 'playbook' | 'events'> {
  const { playbook, events } = record(LOOP.replace('N', '20'), { until: ({ name }) => name === 'loop.started' });
  const head = events.map((event) =>
    event.name === 'loop.started' ? { ...event, payload: { ...event.payload, total } } : event,
  );
  const tail = Array.from({ length: total }, (_, index) => {
    const seq = events.length + index + 1;
    const id = `e:1:${index}`;
    const schedules = index < total - 10 ? { schedules: { from: index + 10, count: 1 } } : {};
    return {
      event_id: `e:${seq}`,
      execution_id: 'e',
      seq,
      timestamp: new Date(START + index / 10).toISOString(),
      source: 'worker',
      name: 'loop.iteration.done',
      entity_type: 'loop',
      entity_id: id,
      status: 'success',
      step_run_id: 'e:1',
      iteration_id: id,
      payload: { step: 'start', index, result: null, ...schedules },
    } satisfies ExecutionEvent;
  });
  return { playbook, events: [...head, ...tail] };
}
